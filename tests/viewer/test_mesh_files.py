"""OBJ and Collada files: what they hold, and damaged or hostile ones."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from floatbase.errors import RobotFileError
from floatbase.viewer import read_mesh
from floatbase.viewer.mesh_checks import MAX_TEXT_BYTES

OBJ = "# a square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1 4//1\nf -4 -3 -2\n"

EFFECT = """<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse>
<color>1 0.5 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>"""
SHAPE = (
    '<triangles count="2" material="s"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3</p></triangles>'
)
PLACED = """<node><translate>0 0 1</translate><rotate>0 0 1 90</rotate><scale>2 1 1</scale>
<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="s" target="#m"/>
</technique_common></bind_material></instance_geometry></node>"""


def collada(shape: str = SHAPE, node: str = PLACED, numbers: str = "0 0 0 1 0 0 1 1 0 0 1 0", more: str = "") -> str:
    count = len(numbers.split())
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.01"/><up_axis>Z_UP</up_axis></asset>{EFFECT}{more}
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="{count}">{numbers}</float_array>
</source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{shape}</mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="w">{node}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


def written(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_polygons_of_obj_files_become_triangles(tmp_path: Path) -> None:
    (part,) = read_mesh(written(tmp_path, OBJ, "a.obj"))
    corners = part.mesh.corners.tolist()
    assert corners[0] == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    assert corners[1] == [[0, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert corners[2] == corners[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v 0 0 0\nf 1 2 3\n", "line 2: expected"),
        ("v 0 0\n", "line 1: expected"),
        ("v a b c\n", "line 1: expected"),
        ("v 0 0 0\nf 0 1 1\n", "line 2: expected"),
        ("v 0 0 0\nf 1 1 -2\n", "line 2: expected"),
        ("v 0 0 0\nf 1 1\n", "line 2: expected"),
        ("v nan 0 0\nf 1 1 1\n", "not finite"),
        ("v 1e300 0 0\nf 1 1 1\n", "from its origin"),
        ("hello\n", "no triangle"),
        ("", "no triangle"),
    ],
)
def test_damaged_obj_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RobotFileError, match=message):
        read_mesh(written(tmp_path, text, "a.obj"))


def test_collada_files_place_and_color_their_triangles(tmp_path: Path) -> None:
    (part,) = read_mesh(written(tmp_path, collada(), "a.dae"))
    assert part.color == (1.0, 0.5, 0.0)
    expected = [[[0, 0, 1], [0, 2, 1], [-1, 2, 1]], [[0, 0, 1], [-1, 2, 1], [-1, 0, 1]]]
    assert np.allclose(part.mesh.corners, np.array(expected) * 0.01)


@pytest.mark.parametrize(
    "shape",
    [
        '<polylist count="1"><input semantic="VERTEX" source="#v" offset="1"/><vcount>4</vcount>'
        "<p>9 0 9 1 9 2 9 3</p></polylist>",
        '<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p></polygons>',
    ],
)
def test_collada_polygons_are_cut_into_triangles(tmp_path: Path, shape: str) -> None:
    (part,) = read_mesh(written(tmp_path, collada(shape, '<node><instance_geometry url="#g"/></node>'), "a.dae"))
    assert part.color is None
    expected = [[[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [0, 1, 0]]]
    assert np.allclose(part.mesh.corners, np.array(expected) * 0.01)


BOMB = "".join(
    f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>' for k in range(40)
)
ENDLESS = '<library_nodes><node id="n"><instance_node url="#n"/></node></library_nodes>'
MANY = f'<library_nodes>{BOMB}<node id="n40"><instance_geometry url="#g"/></node></library_nodes>'
ENTITY = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<COLLADA", "not a Collada file"),
        (collada().replace("<COLLADA", ENTITY + "<COLLADA", 1), "not a Collada file"),
        ("<COLLADA/>", "no scene"),
        (collada(more=ENDLESS, node='<node><instance_node url="#n"/></node>'), "nested deeper"),
        (collada(more=MANY, node='<node><instance_node url="#n0"/></node>'), "nodes are more than"),
        (collada(SHAPE.replace("0 2 3", "0 2 4")), "refers to corners"),
        (collada(SHAPE.replace("0 2 3", "0 2 -1")), "refers to corners"),
        (collada(SHAPE.replace("0 2 3", "0 2 x")), "expected numbers"),
        (collada(numbers="0 0 0 1 0 0 1 1 0 0 1 nan"), "not finite"),
        (collada().replace('count="12"', 'count="999999999999"'), "expected 999999999999 numbers, got 12"),
        (collada(SHAPE.replace("#v", "#nothing")), "which the file does not have"),
        (collada(SHAPE.replace('offset="0"', 'offset="999999"')), "says nothing of its vertices"),
        (collada(node="<node/>"), "no triangle"),
    ],
)
def test_hostile_collada_files_are_refused_without_much_memory(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text, "a.dae")
    tracemalloc.start()
    with pytest.raises(RobotFileError, match=message):
        read_mesh(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6


@pytest.mark.parametrize("ending", [".obj", ".dae", ".stl"])
def test_large_files_and_folders_are_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"large{ending}"
    with open(path, "wb") as file:
        file.truncate(4 * MAX_TEXT_BYTES)
    with pytest.raises(RobotFileError, match="larger than"):
        read_mesh(path)
    with pytest.raises(RobotFileError, match="cannot be read"):
        read_mesh(tmp_path / f"missing{ending}")
    (tmp_path / f"folder{ending}").mkdir()
    with pytest.raises(RobotFileError, match="cannot be read"):
        read_mesh(tmp_path / f"folder{ending}")
