"""Every quantity that a robot can be asked for, written as a program for a GPU."""

import itertools

import pytest
from benchmarks import gpu_functions
from tests.compiler.gpu.test_ptx import assembled

import floatbase as fb
from floatbase.compiler.gpu.code import compile_device
from floatbase.compiler.lowering import device_rows
from floatbase.compiler.lowering.kernel import Kernel
from floatbase.robot.quantities import QUANTITIES

FRAMES = ("left_foot", "right_foot")


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    """A trunk with two legs of two joints, and a force sensor above each foot."""
    inertia = "<inertial><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial>"
    parts, sensors = [f"<link name='trunk'>{inertia}</link>"], []
    for side, y in (("left", 0.1), ("right", -0.1)):
        chain = ["trunk", f"{side}_thigh", f"{side}_shin", f"{side}_foot"]
        parts += [f"<link name='{link}'>{inertia}</link>" for link in chain[1:]]
        for number, (parent, child) in enumerate(itertools.pairwise(chain)):
            kind = "fixed" if number == 2 else "continuous"
            parts.append(
                f"<joint name='{child}_joint' type='{kind}'><parent link='{parent}'/><child link='{child}'/>"
                f"<origin xyz='0 {y if number == 0 else 0} -.3'/><axis xyz='{number} {1 - number} 0'/></joint>"
            )
        sensors.append(
            f"<sensor name='{side}_force' type='force_torque'><parent joint='{side}_foot_joint'/>"
            "<force_torque><frame>child</frame><measure_direction>child_to_parent</measure_direction></force_torque>"
            "<origin rpy='0 0 0' xyz='0 0 0'/></sensor>"
        )
    path = tmp_path_factory.mktemp("robot") / "legs.urdf"
    path.write_text(f"<robot name='legs'>{''.join(parts + sensors)}</robot>")
    return fb.load(path, floating=True, keep_force_sensors=True)


@pytest.fixture(scope="module")
def requests(robot):
    return {request[0]: request for request in gpu_functions.requests(robot, FRAMES)}


@pytest.mark.parametrize("name", QUANTITIES)
def test_it_is_written_and_assembled(name, robot, requests, tmp_path):
    function = gpu_functions.function(robot, requests[name], FRAMES)
    assembled(compile_device(function.program, ("float32", "float32"), (9, 0)), tmp_path)


@pytest.mark.parametrize("name", ["forward_dynamics_product", "step", "linearize_gradient"])
def test_long_programs_are_cut(name, robot, requests, tmp_path, monkeypatch):
    monkeypatch.setattr(device_rows, "LONGEST", 200)
    monkeypatch.setattr(device_rows, "PART", 100)
    monkeypatch.setattr(Kernel, "part", 150)
    function = gpu_functions.function(robot, requests[name], FRAMES)
    code = compile_device(function.program, ("float32", "float32"), (9, 0))
    assert code.ptx.count(b".func") > 2
    assembled(code, tmp_path)
