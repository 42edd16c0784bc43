import re
import time
import warnings

import pytest
from tests.model.kinematics import load

import floatbase as fb
from floatbase.errors import MissingDependencyError, ModelError, RobotFileError, UnknownNameError
from floatbase.model import ModelWarning, build_tree, catalog, find, load_settings, load_urdf, robots
from floatbase.model.packages import share_folders

KNOWN = ["icub", "icub2.5", "panda", "anymal_c", "solo12", "g1", "talos", "talos_reduced", "go2", "ur10"]


def test_names_are_unique_lower_case_and_well_known_ones_are_there():
    names = robots()
    assert len(names) == len(set(names)) > 80
    assert all(re.fullmatch(r"[a-z0-9_.]+", name) for name in names)
    assert set(KNOWN) <= set(names)


@pytest.mark.parametrize("floating", [True, False])
@pytest.mark.parametrize("name", robots())
def test_every_robot_loads_and_builds(name, floating):
    model, tree = load(name, floating=floating)
    assert set(tree.frames) == {item.name for item in (*model.links, *model.frames)}
    assert tree.mass == pytest.approx(model.mass, rel=1e-12)
    assert all(body.parent < number for number, body in enumerate(tree.bodies))
    entries = {body.joint.index + k for body in tree.bodies[1:] for k in range(body.joint.nv)}
    assert entries == set(range(tree.joint_nv)) and len(tree.velocity_names) == tree.nv


def test_names_mean_the_files_people_expect():
    assert find("icub").parent.name == "iCubGazeboV2_7"
    assert find("iCubGazeboV2_7") == find("icub")
    assert find("icub2.5").parent.name == "iCubGazeboV2_5"
    assert find("iCubGenova02").parent.name == "iCubGenova02"
    assert find("Panda") == find("panda")


def test_arms_are_fixed_and_legged_robots_float():
    assert not load_settings("panda")["floating"]
    assert load_settings("anymal_c") == {"floating": True}


def test_finding_is_fast():
    find("icub")
    start = time.perf_counter()
    find("icub")
    assert time.perf_counter() - start < 0.02  # a millisecond on an idle machine


def test_misspelt_name_lists_near_matches():
    with pytest.raises(UnknownNameError, match=r"unknown robot 'anymal_d'; did you mean .*'anymal_c'"):
        find("anymal_d")


def test_what_is_not_read_is_named(tmp_path):
    with pytest.raises(RobotFileError, match="'Cassie' cannot be loaded: its files are in SDF"):
        fb.load("Cassie")
    (tmp_path / "robot.sdf").write_text("<sdf version='1.7'><model name='m'/></sdf>")
    with pytest.raises(RobotFileError, match=r"robot\.sdf: SDF files are not read; robots come as URDF"):
        fb.load(tmp_path / "robot.sdf")


def test_every_robot_file_of_the_packages_is_a_robot_or_left_out_for_a_reason():
    """New versions of the packages bring new files."""
    endings = (".urdf", ".xacro", ".sdf", ".mjcf", ".xml")
    known = {find(name) for name in robots() if name not in catalog.LIBRARY}
    unknown = []
    for share in share_folders():
        for below in ("example-robot-data/robots", "iCub/robots"):
            for file in (path for path in (share / below).rglob("*") if path.suffix in endings):
                path = file.relative_to(share / below).as_posix()
                refused = path.partition("_description/")[0] in catalog.REFUSED
                if not (file in known or refused or path in catalog.NOT_ROBOTS or file.name == "package.xml"):
                    unknown.append(path)
    assert not unknown


@pytest.mark.parametrize("file", catalog.NOT_ROBOTS)
def test_files_that_are_no_robots_are_refused(file):
    (path,) = (found for share in share_folders() if (found := share / "example-robot-data/robots" / file).is_file())
    with pytest.raises(RobotFileError, match=r"there are no links|xacro files must be expanded"):
        fb.load(path)


def test_missing_wheels_name_the_extra(monkeypatch):
    monkeypatch.setattr(catalog, "share_folders", list)
    assert robots() == catalog.LIBRARY
    for name, package in (("icub", "icub-models"), ("panda", "example-robot-data"), ("r2d2", "icub-models")):
        with pytest.raises(MissingDependencyError, match=rf"{package}.*floatbase\[robots\]"):
            find(name)


def test_every_mesh_of_icub_is_found():
    meshes = [shape for link in load_urdf(find("icub")).links for shape in link.visuals if shape.kind == "mesh"]
    assert len(meshes) > 30
    assert all(shape.file != shape.uri for shape in meshes)


def test_loading_icub_is_fast():
    times = []
    for _ in range(3):
        start = time.perf_counter()
        load("icub")
        times.append(time.perf_counter() - start)
    assert min(times) < 0.2  # 25 ms on an idle core


@pytest.mark.parametrize("name", ["icubNancy01", "romeo_small", "romeo_laas_small"])
def test_robots_with_known_faults_load_by_name_with_a_warning(name):
    with pytest.warns(ModelWarning, match="no density gives the inertia of"):
        assert fb.load(name).mass > 20.0
    with pytest.raises(ModelError, match="allow_nonphysical=True"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        build_tree(load_urdf(find(name)))
