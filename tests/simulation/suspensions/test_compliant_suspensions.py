"""Compliant suspensions: published numbers, energy, dissipation, linearisation, slack, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.simulation.suspensions.hanging import (
    DAMPING,
    GRAVITY,
    HOOK,
    LENGTH,
    MASS,
    PLATFORM,
    STIFFNESS,
    TORSION,
    TORSION_DAMPING,
    allowed,
    derivative,
    energy,
    hung,
    motion,
    pose,
)

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError, StateError
from floatbase.simulation.suspensions import (
    CompliantDoublePendulum,
    CompliantPendulum,
    RigidDoublePendulum,
    equations,
    suspended_acceleration,
)

UNDAMPED = CompliantPendulum(LENGTH, STIFFNESS, TORSION)
DAMPED = CompliantPendulum(LENGTH, STIFFNESS, TORSION, DAMPING, TORSION_DAMPING)
DOUBLE = CompliantDoublePendulum(2.0, 1.5, 6e4, STIFFNESS, TORSION)
DAMPED_DOUBLE = CompliantDoublePendulum(2.0, 1.5, 6e4, STIFFNESS, TORSION, 200.0, 30.0, DAMPING, TORSION_DAMPING)
BOTH = np.array([HOOK, PLATFORM])
PLACE = pose([0.3, 0.2, 0.1], [0.2, -0.5, -3.5])[None]


def taut_double(rng, size=0.3, stretches=(0.03, 0.02)):
    """A state of hook and platform with both cables taut."""
    H = hung([2.0 + stretches[0], 1.5 + stretches[1]], size * rng.standard_normal((2, 3)))
    H[1, :3, :3] = H[1, :3, :3] @ spatial.rotation_exponential(0.1 * rng.standard_normal(3))
    return H


@pytest.mark.parametrize(
    ("law", "expected", "moment_about_point"),
    [
        (
            "printed",
            (-869.63511974, -428.47449128, 0, -682.28497842, 1384.77083462, 2763.46222923),
            (-819.0, -518.0, 27.2),
        ),
        ("consistent", (-869.63511974, -428.47449128, 0, -787.91798349, 1599.16439334, 2629.94936413), (0, 0, 0)),
    ],
)
def test_the_published_wrenches(law, expected, moment_about_point):
    suspension = replace(UNDAMPED, law=law)
    f = suspension.wrenches(PLACE, np.zeros(6))
    assert_allclose(spatial.angular_first(f), expected, atol=1e-7)
    assert suspension.misalignment(PLACE) == pytest.approx(0.5094385266, abs=1e-10)
    assert suspension.slack(PLACE)[0] == pytest.approx(-0.0579862420, abs=1e-10)
    R, p = PLACE[0, :3, :3], PLACE[0, :3, 3]
    moment = R @ f[3:] + np.cross(p, R @ f[:3])
    assert_allclose(moment, moment_about_point, atol=1e-9 if law == "consistent" else 0.1)


def drift(suspension, parameters, poses, twists):
    """How much the energy varies, J."""
    states = zip(poses, twists, strict=True)
    return np.ptp([energy(suspension, parameters, H, V)[1] for H, V in states])


def linearization(suspension):
    """Derivatives (12, 12) of pose and twist rates of the platform at rest, by central differences."""
    rest = pose([0, 0, 0], [0, 0, -LENGTH - MASS * GRAVITY / STIFFNESS])

    def rates(x):
        H = rest @ spatial.pose_exponential(x[:6])
        turn = spatial.pose_right_jacobian_inverse(x[:6]) @ x[6:]
        return np.r_[turn, suspended_acceleration(suspension, PLATFORM[None], H[None], x[6:]).acceleration]

    assert_allclose(rates(np.zeros(12)), 0.0, atol=1e-10)
    return np.array([(rates(1e-6 * e) - rates(-1e-6 * e)) / 2e-6 for e in np.eye(12)]).T


@pytest.mark.parametrize(
    ("suspension", "expected"),
    [
        (replace(DAMPED, law="printed"), [0.00227 + 1.6747j, -3.4133 + 13.3672j, -2.75624 + 26.1294j]),
        (DAMPED, [-0.00001 + 1.6661j, -4.5374 + 13.1037j, -2.75624 + 26.1294j]),
        (UNDAMPED, [1.6661j, 13.8671j, 26.2744j]),
    ],
)
def test_eigenvalues_of_the_platform_at_rest(suspension, expected):
    """Both lateral pairs are double; yaw is free. As printed, the swing grows with identified gains."""
    found = np.linalg.eigvals(linearization(suspension))
    above = found[found.imag > 0.1]
    wanted = np.array([expected[0], expected[0], expected[1], expected[1], expected[2]])
    assert_allclose(above[np.argsort(above.imag)], wanted, atol=1e-4)
    assert np.sort(np.abs(found))[1] < 1e-4 and len(above) == 5
    if suspension.law == "consistent":
        assert found.real.max() <= 1e-5


def test_the_wrench_is_the_gradient_of_the_energy(rng):
    for suspension, H in ((UNDAMPED, PLACE), (DOUBLE, taut_double(rng))):
        n = suspension.bodies
        for _ in range(5):
            V = rng.standard_normal(6 * n)
            slope = derivative(suspension, H, V, lambda H, V, law=suspension: law.energy(H))
            assert_allclose(-suspension.wrenches(H, 0 * V) @ V, slope, rtol=1e-10)


def test_printed_springs_are_not_conservative(rng):
    """In a swing without damping as printed, energy comes from nowhere."""
    changes = {}
    for law in ("printed", "consistent"):
        suspension = replace(UNDAMPED, law=law)
        H = hung([LENGTH + 0.0142], [[0.25, 0.12, 0.1]])
        poses, twists = motion(suspension, PLATFORM[None], H, np.zeros(6), np.linspace(0, 1.5, 31))
        changes[law] = np.ptp(
            [energy(suspension, PLATFORM[None], *state)[1] for state in zip(poses, twists, strict=True)]
        )
    assert changes["consistent"] < 4e-7 and changes["printed"] > 0.1


def test_printed_reaction_is_missing(rng):
    H, changes = taut_double(rng, 0.2, (0.02, 0.015)), {}
    assert_allclose(
        DOUBLE.wrenches(H, np.zeros(12))[6:],
        UNDAMPED_BELOW.wrenches(np.array([spatial.pose_from(H[1, :3, :3], H[1, :3, 3] - H[0, :3, 3])]), np.zeros(6)),
    )
    for law in ("printed", "consistent"):
        suspension = replace(DOUBLE, law=law)
        V = allowed(suspension, BOTH, H, 0.1 * rng.standard_normal(12))
        poses, twists = motion(suspension, BOTH, H, V, np.linspace(0, 0.25, 16), tolerance=1e-10)
        changes[law] = drift(suspension, BOTH, poses, twists)
        assert np.abs(suspension.deviation(poses)).max() < 1e-6
    assert changes["consistent"] < 4e-7 and changes["printed"] > 1.0


UNDAMPED_BELOW = CompliantPendulum(1.5, STIFFNESS, TORSION)


def test_damping_never_gives_energy(rng):
    """As printed it does: the symmetric part of D Pi is indefinite."""
    H = np.array([taut_double(rng) for _ in range(20)])
    V = rng.standard_normal((20, 12))
    assert (DAMPED_DOUBLE.dissipation(H, V) > 0).all()
    assert (DAMPED.dissipation(H[:, :1] * [[[1.0, 1, 1, 3]] * 4], V[:, :6]) >= 0).all()
    A = equations.pendulum_rows(LENGTH)
    projector = A.T @ np.linalg.solve(A @ A.T, A)
    D = np.diag([TORSION_DAMPING] * 3 + [DAMPING] * 3)
    smallest = [np.linalg.eigvalsh(M + M.T)[0] / 2 for M in (D @ projector, projector @ D @ projector)]
    assert smallest[0] == pytest.approx(-20.1, abs=0.1) and smallest[1] > -1e-10
    held = PLACE.copy()
    held[0, :3, 3] = held[0, :3, 2] * -3.5
    worst = spatial.angular_first(np.linalg.eigh(D @ projector + projector @ D)[1][:, 0])
    assert replace(DAMPED, law="printed").dissipation(held, worst) == pytest.approx(smallest[0], rel=1e-6)
    assert DAMPED.dissipation(held, worst) >= 0.0


def test_wrenches_are_those_of_the_thesis_with_halves_exchanged(rng):
    """Springs and dampers by the equations for twists with the angular part first."""
    for law in ("printed", "consistent"):
        suspension = replace(DAMPED, law=law)
        for _ in range(20):
            H = hung([LENGTH + 0.02], 0.5 * rng.standard_normal((1, 3)))
            H[0, :3, :3] = H[0, :3, :3] @ spatial.rotation_exponential(0.3 * rng.standard_normal(3))
            R, p, V = H[0, :3, :3], H[0, :3, 3], rng.standard_normal(6)
            rho, arm, k_r = np.linalg.norm(p), np.array([0, 0, -LENGTH]), TORSION
            u, z = -p / rho, R[:, 2]
            theta = np.arctan2(np.linalg.norm(np.cross(z, u)), z @ u)
            moment = k_r * theta * np.cross(z, u) / np.linalg.norm(np.cross(z, u))
            force = STIFFNESS * (LENGTH * p / rho - p)
            if law == "consistent":
                force = force - k_r * theta / (rho * np.sin(theta)) * (z - u * (u @ z))
            A = np.hstack([spatial.hat(arm), np.eye(3)])
            projector = A.T @ np.linalg.inv(A @ A.T) @ A
            D = np.diag([TORSION_DAMPING] * 3 + [DAMPING] * 3)
            damping = D @ projector if law == "printed" else projector @ D @ projector
            expected = np.r_[R.T @ moment, R.T @ force] - damping @ V
            found = spatial.angular_first(suspension.wrenches(H, spatial.angular_first(V)))
            assert_allclose(found, expected, atol=1e-13 * np.abs(expected).max())


def test_damped_motion_loses_energy(rng):
    for _ in range(20):
        H = hung([LENGTH + 0.02], 0.2 * rng.standard_normal((1, 3)))
        H[0, :3, :3] = H[0, :3, :3] @ spatial.rotation_exponential(0.03 * rng.standard_normal(3))
        V = 0.05 * rng.standard_normal(6)
        poses, twists = motion(DAMPED, PLATFORM[None], H, V, np.linspace(0, 0.15, 31), tolerance=1e-9)
        assert (DAMPED.slack(poses) < 0).all()
        found = np.array([energy(DAMPED, PLATFORM[None], *state)[1] for state in zip(poses, twists, strict=True)])
        lost = np.array([DAMPED.dissipation(h, v) for h, v in zip(poses, twists, strict=True)])
        assert (np.diff(found) <= 1e-9).all()
        assert found[0] - found[-1] == pytest.approx(np.sum((lost[1:] + lost[:-1]) / 2 * 0.005), rel=1e-2)


def test_static_stretch_and_what_cables_carry():
    stretch = MASS * GRAVITY / STIFFNESS
    assert stretch == pytest.approx(14.210e-3, rel=1e-4)
    H = hung([LENGTH + stretch], [[0, 0, 0.7]])
    assert_allclose(DAMPED.wrenches(H, np.zeros(6)), [0, 0, MASS * GRAVITY, 0, 0, 0], atol=1e-9)
    total = (MASS + HOOK[0]) * GRAVITY
    H = hung([2.0 + total / 6e4, 1.5 + stretch], [[0, 0, 0.3], [0, 0, -0.4]])
    found = suspended_acceleration(DAMPED_DOUBLE, BOTH, H, np.zeros(12))
    assert_allclose(found.acceleration, 0.0, atol=1e-9)
    assert_allclose(-DAMPED_DOUBLE.slack(H) * [6e4, STIFFNESS], [total, MASS * GRAVITY], rtol=1e-9)


def test_slack_cables_do_nothing(rng):
    V = rng.standard_normal(6)
    near = hung([LENGTH - 0.05], [[0.3, 0.1, 0]])
    assert not DAMPED.wrenches(near, V).any() and DAMPED.energy(near) == 0.0 == DAMPED.dissipation(near, V)
    at_point = pose([0.1, 0, 0], [0, 0, 0])[None]
    assert not DAMPED.wrenches(at_point, V).any()
    H = taut_double(rng, stretches=(0.03, -0.03))
    twists = rng.standard_normal(12)
    f = DAMPED_DOUBLE.wrenches(H, twists)
    assert f[2] > 0.0 and not f[6:].any()
    H = taut_double(rng, stretches=(-0.03, 0.03))
    f = DAMPED_DOUBLE.wrenches(H, np.zeros(12))
    force = H[0, :3, :3] @ f[:3] + H[1, :3, :3] @ f[6:9]
    assert f[6:9].any() and np.abs(force).max() < 1e-9
    assert DAMPED_DOUBLE.dissipation(H, twists) > 0.0


def test_a_cable_does_not_push_if_told_so():
    rising = np.array([0, 0, 3.0, 0, 0, 0])
    H = hung([LENGTH + 0.005], [[0, 0, 0]])
    assert DAMPED.wrenches(H, rising)[2] < 0.0
    pulling = replace(DAMPED, unilateral=True)
    assert not pulling.wrenches(H, rising).any()
    assert_allclose(pulling.wrenches(H, -rising), DAMPED.wrenches(H, -rising))


def test_rows_of_the_sliding_hook(rng):
    H, V = taut_double(rng), rng.standard_normal(12)
    V = allowed(DOUBLE, BOTH, H, V)
    DOUBLE.check(H, V, taut=True)
    assert_allclose(
        DOUBLE.constraint_rate(H, V), derivative(DOUBLE, H, V, lambda H, V: DOUBLE.constraint(H)), atol=1e-12
    )
    moved = derivative(DOUBLE, H, V, lambda H, V: DOUBLE.deviation(H))
    assert_allclose(moved, DOUBLE.constraint(H) @ V, atol=1e-12)
    swap = np.kron(np.array([[0, 1], [1, 0]]), np.eye(3))
    printed = np.array([[0, 2.03, 0, 1, 0, 0], [-2.03, 0, 0, 0, 1, 0]])
    assert_allclose(DOUBLE.constraint(H)[:, :6], printed @ swap, atol=1e-13)
    soft, stiff = (
        suspended_acceleration(replace(DOUBLE, hook_stiffness=k), BOTH, H, V).multipliers for k in (6e4, 9e4)
    )
    assert_allclose(soft, stiff, rtol=1e-12)
    rigid = RigidDoublePendulum(2.03, 1.52)
    held = hung([2.03, 1.52], [[0.1, 0.2, 0.3], [0.2, 0, 0]])
    assert_allclose(rigid.constraint(held)[:2], DOUBLE.constraint(held), atol=1e-12)


def test_batches_and_symbols_agree(rng):
    H = np.array([taut_double(rng) for _ in range(4)])
    V = rng.standard_normal((4, 12))
    H[3, 1, :3, 3] = H[3, 0, :3, 3] - [0, 0, 1.0]
    values = DAMPED_DOUBLE.parameters * rng.uniform(0.9, 1.0, (4, 9))
    for suspension, n, taken in ((DAMPED_DOUBLE, 2, values), (DAMPED, 1, DAMPED.parameters * np.ones((4, 1)))):

        def everything(theta, H, V, suspension=suspension):
            law = suspension.with_parameters(theta)
            return law.wrenches(H, V), law.energy(H), law.dissipation(H, V)

        poses, twists = H[:, :n] if n == 2 else PLACE + np.zeros((4, 1, 1, 1)), V[:, : 6 * n]
        program = fb.trace(everything, {"theta": (taken.shape[1],), "H": (n, 4, 4), "V": (6 * n,)}, "everything")
        for alone, together in zip(
            fb.interpret(program, taken, poses, twists), everything(taken, poses, twists), strict=True
        ):
            assert_allclose(alone, together, rtol=1e-11, atol=1e-9)


def test_states_without_an_axis_and_slack_ones_are_refused():
    over = pose([np.pi, 0, 0], [0, 0, -LENGTH - 0.01])[None]
    with pytest.raises(StateError, match=r"z axis points away .* the angle is pi"):
        DAMPED.check(over, np.zeros(6))
    with pytest.raises(StateError, match=r"in state \[1\]"):
        DAMPED.wrenches(np.array([PLACE, over]), np.zeros((2, 6)))
    with pytest.raises(StateError, match=r"cable 0 is slack: .* 0\.1 m less than its length"):
        DAMPED.check(hung([LENGTH - 0.1], [[0, 0, 0]]), np.zeros(6), taut=True)
    DAMPED.check(hung([LENGTH - 0.1], [[0, 0, 0]]), np.zeros(6))
    with pytest.raises(StateError, match=r"cable 1 is slack in state 2"):
        states = np.array([hung([2.1, length], np.zeros((2, 3))) for length in (1.6, 1.7, 1.4)])
        DOUBLE.check(states, np.zeros((3, 12)), taut=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stiffness": 0.0}, "stiffness is 0"),
        ({"torsion": -1.0}, "torsion is -1"),
        ({"damping": -2.0}, "damping is -2"),
        ({"law": "printd"}, "valid choices are consistent, printed"),
    ],
)
def test_parameters_that_no_cable_has_are_refused(changes, message):
    with pytest.raises(ArgumentError, match=message):
        replace(DAMPED, **changes)
    with pytest.raises(ArgumentError, match=message):
        replace(DAMPED_DOUBLE, **changes)
