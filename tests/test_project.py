"""Checks of the project itself: its size, its rooms, its dependencies, its tables and its documentation."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "floatbase"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

LINE_LIMIT = 400
# each may import those before it, and itself
ROOMS = (
    "errors",
    "compiler",
    "gpu",
    "spatial",
    "model",
    "results",
    "algorithms",
    "fingerprint",
    "progress",
    "robot",
    "kernels",
    "loading",
    "logs",
    "simulation",
    "viewer",
    "report",
    "demo",
    "experiments",
    "cli",
)
COUNTS = {"T": 60, "L": 90, "B": 35, "R": 76, "C": 66}
HEAVY = (
    "casadi",
    "matplotlib",
    "scipy",
    "pinocchio",
    "mujoco",
    "idyntree",
    "icub_models",
    "example_robot_data",
    "pyarrow",
    "h5py",
    "viser",
)


def python_files(*directories: str) -> list[Path]:
    return sorted(path for name in directories for path in (ROOT / name).rglob("*.py"))


def imports(path: Path, *, top_level_only: bool = False) -> Iterator[str]:
    """Full names of the modules that a file imports; those under `if TYPE_CHECKING` do not count as top level."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if top_level_only else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "floatbase":
                yield from (f"floatbase.{alias.name}" for alias in node.names)
            else:
                yield node.module


def test_no_file_is_too_long() -> None:
    lengths = {
        path: len(path.read_text(encoding="utf-8").splitlines())
        for path in python_files("src", "tests", "benchmarks", "examples", "docs")
    }
    too_long = {str(path.relative_to(ROOT)): length for path, length in lengths.items() if length > LINE_LIMIT}
    assert not too_long


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_depend_on_one_another_in_one_direction(room: str) -> None:
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    module = SOURCE / f"{room}.py"
    files = [module] if module.exists() else sorted((SOURCE / room).rglob("*.py"))
    wrong = [
        f"{path.relative_to(SOURCE)} imports {name}"
        for path in files
        for name in imports(path)
        if name.startswith("floatbase.") and name.split(".")[1] not in allowed
    ]
    assert not wrong


def test_modules_import_only_the_core_dependencies_at_top_level() -> None:
    core = {re.split(r"[<>=~!\[; ]", requirement)[0] for requirement in SETTINGS["project"]["dependencies"]}
    allowed = core | set(sys.stdlib_module_names) | {"floatbase"}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in python_files("src")
        for name in imports(path, top_level_only=True)
        if name.split(".")[0] not in allowed
    ]
    assert not wrong


def test_importing_the_package_is_light() -> None:
    code = f"import sys, floatbase; print([name for name in {HEAVY!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def capability_rows() -> list[tuple[str, str, list[str], list[str], str]]:
    rows = []
    for line in (ROOT / "docs" / "capabilities.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.fullmatch(r"[A-Z]-\d\d", cells[0]):
            identifier, name, public, tests, status = cells
            rows.append((identifier, name, re.findall("`(.*?)`", public), re.findall("`(.*?)`", tests), status))
    return rows


def test_every_capability_has_one_row() -> None:
    expected = [f"{letter}-{number:02}" for letter, count in COUNTS.items() for number in range(1, count + 1)]
    assert [row[0] for row in capability_rows()] == expected


def test_capabilities_name_what_exists() -> None:
    wrong = []
    for identifier, name, public, tests, status in capability_rows():
        if not name or status not in ("done", "partial", "planned"):
            wrong.append(f"{identifier}: no name, or unknown status {status!r}")
        if status == "planned" and (public or tests):
            wrong.append(f"{identifier}: planned, but has names or tests")
        if status != "planned" and not (public and tests):
            wrong.append(f"{identifier}: {status}, but lacks a public name or a test")
        wrong += [f"{identifier}: no public name {item}" for item in public if not resolves(item)]
        wrong += [f"{identifier}: no test {item}" for item in tests if not (ROOT / "tests" / item).exists()]
    assert not wrong


def resolves(name: str) -> bool:
    """Whether a name of the table exists: `spatial.hat`, or `robot.pose` for a method of a robot."""
    import floatbase

    first, _, rest = name.partition(".")
    if first == "robot":
        return hasattr(floatbase.Robot, rest)
    try:
        start = importlib.import_module(f"floatbase.{first}") if rest else floatbase
        reduce(getattr, (rest or first).split("."), start)
    except (ImportError, AttributeError):
        return False
    return True


def test_the_capability_counts_are_right() -> None:
    statuses = [row[4] for row in capability_rows()]
    expected = ", ".join(f"{statuses.count(status)} {status}" for status in ("done", "partial", "planned")) + "."
    assert expected in (ROOT / "docs" / "capabilities.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "document",
    [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
    ],
)
def test_links_between_documents_lead_somewhere(document: str) -> None:
    path = ROOT / document
    generated = {
        "api",
        "changelog.md",
        "contributing.md",
        "gallery.md",
        "gpu-results.md",
        "results.md",
    }  # pages that the site's hooks write
    wrong = []
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        inside = not re.match(r"\w+:", target) and target.removeprefix("../").split("/")[0] not in generated
        if inside and not (path.parent / target).exists():
            wrong.append(target)
    assert not wrong


def test_every_example_says_what_it_shows() -> None:
    examples = python_files("examples")
    assert len(examples) >= 3
    for path in examples:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


@pytest.mark.parametrize("package", ["floatbase", "floatbase.compiler"])
def test_no_public_name_is_hidden_by_a_module(package):
    """A name that is imported late must not be that of a submodule, which would take its place once imported."""
    module = importlib.import_module(package)
    modules = {item.name for item in pkgutil.iter_modules(module.__path__)}
    assert not set(module._PLACES) & modules
    public = (*vars(module).get("_MODULES", ()), "errors", "model")
    for name in module.__all__:
        assert not inspect.ismodule(getattr(module, name)) or name in public
