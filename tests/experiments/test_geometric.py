"""The recursions of the experiment `geometric-linearization`, and the experiment itself in a quick setting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.experiments import printed_forms

from floatbase import experiments
from floatbase.experiments.geometric import published, steps
from floatbase.experiments.geometric.derivatives import (
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    momentum_matrix,
)
from floatbase.experiments.geometric.dynamics import (
    bias,
    extended_inverse_dynamics,
    forward_dynamics,
    hybrid_dynamics,
    mass_matrix,
)
from floatbase.experiments.geometric.flows import flow
from floatbase.experiments.geometric.inverse_mass import inverse_mass_matrix
from floatbase.experiments.geometric.linearization import trivialized_field
from floatbase.experiments.geometric.quantities import QUANTITIES, derivatives
from floatbase.experiments.geometric.system import (
    State,
    published_state,
    published_system,
    random_model,
    random_state,
    system_of,
)
from floatbase.model.library.nine_joints import joint_transform
from floatbase.spatial import twist_cross, wrench_cross

QUICK = {"draws": 3, "systems": 2, "flows": 1, "lengths": 3, "flow_steps": 2}


@pytest.fixture(params=["printed", "random"])
def system(request, rng):
    return published_system() if request.param == "printed" else system_of(random_model(rng))


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    return experiments.run("geometric-linearization", out=tmp_path_factory.mktemp("runs") / "quick", **QUICK)


def test_the_quick_experiment_holds(quick):
    assert quick.failures == ()
    assert len(quick.rows) > 100
    assert {path.suffix for path in quick.folder.iterdir()} >= {".json", ".html", ".png", ".txt"}


def test_every_printed_number_has_a_row(quick):
    rows = {row.quantity.partition(":")[0]: row for row in quick.rows}
    assert set(published.matrices()) <= set(rows)
    largest = [row.published for row in quick.rows if row.section.startswith("Forward differences")]
    assert_array_equal(largest, [x for name in QUANTITIES for x in published.DERIVATIVE_ERRORS[name][:2]])
    assert all(row.source.startswith("Bos 2019, ") for row in quick.rows if row.published is not None)


def test_another_step_is_not_compared_with_published_errors(tmp_path):
    result = experiments.run("geometric-linearization", out=tmp_path / "out", step=1e-5, **QUICK)
    errors = [row for row in result.rows if row.section.startswith("Forward differences")]
    assert {row.holds for row in errors} == {None}


def test_printed_matrices_are_complete():
    shapes = {name: matrix.shape for name, (matrix, _) in published.matrices().items()}
    assert len(shapes) == 17
    assert shapes["M^-1"] == (15, 15)
    unreadable = {name: int(np.isnan(matrix).sum()) for name, (matrix, _) in published.matrices().items()}
    assert {name: count for name, count in unreadable.items() if count} == {
        "M^-1": 1,
        "M_fb^-1 from the mass matrix": 2,
    }


@pytest.mark.parametrize("printed", [False, True])
def test_joint_transforms_are_those_of_the_library(printed):
    system = published_system()
    system = system if printed else type(system)(*list(vars(system).values())[:-1], printed_origins=False)
    s = np.linspace(-2.0, 2.0, 9)
    for i, X in enumerate(system.transforms(s)[1:], 1):
        assert_allclose(X, joint_transform(i, s[i - 1], printed) @ system.fixed[i - 1], atol=1e-14)


def test_transform_derivatives(system, rng):
    s = rng.uniform(-1.0, 1.0, 9)
    disturbed = system.transforms(s + 1e-30j)
    for X, X_rate in zip(disturbed[1:], system.transform_derivatives(s)[1:]):
        assert_allclose(X_rate, X.imag / 1e-30, atol=1e-12)


def test_dynamics_agree_with_one_another(system, rng):
    state = random_state(rng)
    M, h = mass_matrix(system, state.s), bias(system, state)
    r_dot, force = rng.standard_normal(9), rng.standard_normal(9)
    assert_allclose(inverse_mass_matrix(system, state.s) @ M, np.eye(15), atol=1e-8)
    fixed = mass_matrix(system, state.s, fixed_base=True)
    assert_allclose(inverse_mass_matrix(system, state.s, fixed_base=True) @ fixed, np.eye(9), atol=1e-8)
    v_dot, tau = hybrid_dynamics(system, state, r_dot)
    acceleration = np.concatenate([v_dot, r_dot])
    scale = np.abs(h).max()
    assert_allclose(M @ acceleration + h, np.concatenate([np.zeros(6), tau]), atol=1e-12 * scale)
    assert_allclose(extended_inverse_dynamics(system, state, v_dot, r_dot)[0], M @ acceleration + h, atol=1e-12 * scale)
    found = forward_dynamics(system, state, force)
    assert_allclose(M @ found + h, np.concatenate([np.zeros(6), force]), atol=1e-9 * scale)


def test_one_pass_gives_what_the_printed_tables_give(system, rng):
    state, v_dot, r_dot = random_state(rng), rng.standard_normal(6), rng.standard_normal(9)
    force, motion = extended_inverse_dynamics(system, state, v_dot, r_dot)
    printed, _ = printed_forms.extended_inverse_dynamics(system, state, v_dot, r_dot)
    assert_allclose(printed, force, atol=1e-12 * np.abs(force).max())
    found = inverse_dynamics_derivatives(system, state, motion).s
    printed = printed_forms.derivative_by_positions(system, state, v_dot, r_dot)
    assert_allclose(printed, found, atol=1e-12 * np.abs(found).max())


def test_batches_are_rows(system, rng):
    states = [random_state(rng) for _ in range(3)]
    batch = State(*(np.stack(parts) for parts in zip(*states)))
    tau = rng.standard_normal((3, 9))
    for k, state in enumerate(states):
        assert_allclose(forward_dynamics(system, batch, tau)[k], forward_dynamics(system, state, tau[k]), rtol=1e-9)
        assert_allclose(mass_matrix(system, batch.s)[k], mass_matrix(system, state.s), rtol=1e-12)
        assert_allclose(bias(system, batch)[k], bias(system, state), rtol=1e-9)


def test_joints_of_different_branches_do_not_feel_one_another():
    """Structural zeros are exact, D2 and D4 of the example."""
    found = derivatives(steps.published_case())
    branches = np.zeros((9, 9), dtype=bool)
    for branch in ([0, 1, 2], [3, 4], [3, 5], [6, 7, 8]):
        branches[np.ix_(branch, branch)] = True
    for name in ("D2 ID", "D4 ID"):
        assert_array_equal(found[name][6:][~branches], 0.0)


def test_derivatives_by_forces_are_columns_of_the_inverse_mass_matrix(system, rng):
    state, tau = random_state(rng), rng.standard_normal(9)
    _, by_force = forward_dynamics_derivatives(system, state, tau)
    moved = forward_dynamics(system, State(*(np.stack([part] * 9) for part in state)), tau + 1e-30j * np.eye(9))
    assert_allclose(by_force, moved.imag.T / 1e-30, atol=1e-9 * np.abs(by_force).max())


def test_only_derivatives_by_positions_depend_on_accelerations(system, rng):
    state = random_state(rng)
    moving, still = (
        inverse_dynamics_derivatives(system, state, extended_inverse_dynamics(system, state, a, b)[1])
        for a, b in ((rng.standard_normal(6), rng.standard_normal(9)), (np.zeros(6), np.zeros(9)))
    )
    for name in ("H_body", "H_world", "v", "r"):
        assert_allclose(getattr(moving, name), getattr(still, name), rtol=1e-12)
    assert not np.allclose(moving.s, still.s)


def test_momentum_matrix(rng):
    u, m = rng.standard_normal((2, 6))
    assert_allclose(momentum_matrix(m) @ u, wrench_cross(u) @ m, atol=1e-14)
    assert_allclose(momentum_matrix(m), -momentum_matrix(m).T, atol=1e-14)


def test_flow_is_of_fourth_order(rng):
    system, state = system_of(random_model(rng)), random_state(rng)

    def end(steps):
        return flow(lambda g: trivialized_field(system, g, np.zeros(9)), state, 0.02, steps)[-1]

    reference = end(64)
    coarse, fine = (np.linalg.norm(reference.to(end(steps))) for steps in (4, 8))
    assert 12.0 < coarse / fine < 22.0


def test_moving_there_and_back(rng):
    state, other = random_state(rng), random_state(rng)
    back = state.moved(state.to(other))
    for ours, expected in zip(back, other):
        assert_allclose(ours, expected, atol=1e-13)


def test_the_printed_state_is_that_of_the_text():
    state, r_dot = published_state(published_system())
    assert_allclose(state.H[:3, 3], [4.0, 5.0, 6.0])
    assert_array_equal(state.s, np.arange(13.0, 22.0))
    assert_array_equal(state.r, np.arange(21.0, 30.0))
    assert_array_equal(r_dot, np.arange(30.0, 39.0))
    assert_allclose(twist_cross(state.v)[1, 0], state.v[5])
