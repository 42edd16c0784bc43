"""How many operations the programs of a humanoid take: speed is decided here."""

import pytest

from floatbase import algorithms
from floatbase.compiler.tracing import trace
from floatbase.model.build import build_tree
from floatbase.model.catalog import find
from floatbase.model.urdf import load_urdf

pytest.importorskip("icub_models")

LIMITS = {
    "inverse_dynamics": ("qva", 4000),
    "forward_dynamics": ("qva", 9500),
    "mass_matrix": ("q", 4700),
    "inverse_mass_matrix": ("q", 14000),
    "coriolis_matrix": ("qv", 22500),
    "centroidal_momentum": ("qv", 2800),
    "centroidal_momentum_matrix": ("q", 3600),
    "centroidal_momentum_rate": ("qva", 4300),
    "regressor": ("qva", 21700),
}


@pytest.fixture(scope="module")
def icub():
    return build_tree(load_urdf(find("icub")))


@pytest.mark.parametrize("name", LIMITS)
def test_operations(icub, name):
    letters, limit = LIMITS[name]
    sizes = {letter: icub.nq if letter == "q" else icub.nv for letter in letters}
    program = trace(lambda *x: getattr(algorithms, name)(icub, *x), sizes, name=name)
    assert program.operation_count <= limit
