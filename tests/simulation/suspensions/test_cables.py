"""Cables that can be slack: balance, energy, winches, and motion against an independent integration with events."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from tests.simulation.suspensions.hanging import GRAVITY, HOOK, MASS, PLATFORM, energy, hung, motion, pose

import floatbase as fb
from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError, StateError
from floatbase.simulation.suspensions import Cable, Cables, suspended_acceleration

CORNERS = [(0.5, 0.0, 0.1), (-0.25, 0.43, 0.1), (-0.25, -0.43, 0.1)]
BOTH = np.array([HOOK, PLATFORM])


def four_cables(damping=0.0):
    """One from the world to the hook, three from the hook to the platform."""
    up = Cable(None, 0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 2.0, 6e4, damping)
    down = [Cable(0, 1, (0.0, 0.0, 0.0), corner, 1.5, 4e4, damping) for corner in CORNERS]
    return Cables((up, *down), 2)


def taut(rng, size=1.0):
    """A state with all cables taut; a small one stays so."""
    stretched = [2.0165 + 0.02 * size, 1.522 + 0.015 * size]
    H = hung(stretched, (0.003 + 0.02 * size) * rng.standard_normal((2, 3)))
    return H, (0.01 + 0.1 * size) * rng.standard_normal(12)


def test_forces_and_moments_balance(rng):
    """What cables do between bodies has no resultant; the rest is what the world's end pulls."""
    suspension = four_cables(300.0)
    H, V = taut(rng)
    f = suspension.wrenches(H, V).reshape(2, 6)
    total = sum(spatial.transform_wrench(h, x) for h, x in zip(H, f, strict=True))
    state = suspension.states(H, V)[0]
    assert (suspension.tensions(H, V) > 0.0).all()
    assert_allclose(total[:3], -state.tension * state.direction, rtol=1e-12)
    assert_allclose(total[3:], 0.0, atol=1e-9)
    assert_allclose(f[0, 3:], 0.0, atol=1e-12)
    R, force = H[1, :3, :3], np.zeros(3)
    moment = np.zeros(3)
    for corner, cable in zip(CORNERS, suspension.states(H, V)[1:], strict=True):
        pull = -cable.tension * cable.direction
        force, moment = force + pull, moment + np.cross(R @ corner, pull)
    assert_allclose(f[1], np.r_[R.T @ force, R.T @ moment], rtol=1e-12, atol=1e-9)


def test_power_is_stored_or_dissipated(rng):
    suspension = four_cables(300.0)
    for _ in range(20):
        H, V = taut(rng)
        step = 1e-7

        def stored(time, H=H, V=V):
            moved = [h @ spatial.pose_exponential(time * v) for h, v in zip(H, V.reshape(2, 6), strict=True)]
            return suspension.energy(np.array(moved))

        rate = (stored(step) - stored(-step)) / (2 * step)
        loss = suspension.dissipation(H, V)
        assert loss >= 0.0
        assert suspension.wrenches(H, V) @ V == pytest.approx(-rate - loss, abs=1e-4)


def test_no_force_when_slack_even_if_stretching_fast():
    one = Cables((Cable(None, 0, (0, 0, 0), (0, 0, 0), 2.0, 1e4, 500.0),))
    down = np.array([0, 0, -10.0, 0, 0, 0])
    near, far = pose([0, 0, 0], [0, 0, -1.999])[None], pose([0, 0, 0], [0, 0, -2.01])[None]
    assert not one.wrenches(near, down).any() and one.dissipation(near, down) == 0.0 and one.energy(near) == 0.0
    assert one.tensions(far, down)[0] == pytest.approx(1e4 * 0.01 + 500 * 10)
    assert not one.wrenches(far, -down).any() and one.dissipation(far, -down) == pytest.approx(1e4 * 0.01 * 10)
    assert_allclose(one.slack(np.array([near, far])), [[0.001], [-0.01]], atol=1e-12)
    assert not one.wrenches(pose([0, 0, 0], [0, 0, 0])[None], down).any()


@pytest.mark.parametrize("damping", [0.0, 10.0])
def test_a_slack_cable_against_an_independent_integration(damping):
    """A point mass is thrown sideways below a crane: its cable becomes slack and taut again several times."""
    mass, length, stiffness = 5.0, 1.0, 2000.0
    start, speed, end = np.array([0.8, -0.3]), np.array([0.5, 1.0]), 1.5

    def pull(x):
        away, out = np.hypot(*x[:2]), x[:2] / np.hypot(*x[:2])
        return stiffness * (away - length) + damping * out @ x[2:], out

    def slope(_time, x, is_taut):
        force, out = pull(x)
        return np.r_[x[2:], np.array([0.0, -GRAVITY]) - is_taut * force * out / mass]

    def crosses(_time, x, is_taut):
        """A pull ends where the force is none, and begins where there is one and the cable is stretched."""
        return pull(x)[0] if is_taut else min(pull(x)[0], np.hypot(*x[:2]) - length)

    crosses.terminal = True
    time, x, is_taut, phases = 0.0, np.r_[start, speed], False, 0
    while time < end:
        crosses.direction = -1.0 if is_taut else 1.0
        part = solve_ivp(slope, (time, end), x, "DOP853", rtol=1e-12, atol=1e-12, events=crosses, args=(is_taut,))
        time, x = part.t[-1], part.y[:, -1]
        if time < end:
            is_taut, phases = not is_taut, phases + 1
    assert phases >= 3
    ball = spatial.parameters_from_center(np.array(mass), np.zeros(3), 0.01 * np.eye(3))[None]
    one = Cables((Cable(None, 0, (0, 0, 0), (0, 0, 0), length, stiffness, damping),))
    H = pose([0, 0, 0], [start[0], 0, start[1]])[None]
    V = np.array([speed[0], 0, speed[1], 0, 0, 0])
    poses, twists = motion(one, ball, H, V, np.array([0.0, end]), tolerance=1e-10, max_step=1e-2)
    assert_allclose(poses[-1, 0, [0, 2], 3], x[:2], atol=1e-8)
    assert_allclose(twists[-1, [0, 2]], x[2:], atol=1e-6)


def test_energy_is_kept_by_taut_cables(rng):
    suspension = four_cables()
    H, V = taut(rng, 0.0)
    poses, twists = motion(suspension, BOTH, H, V, np.linspace(0, 0.3, 31))
    found = np.array([energy(suspension, BOTH, *state) for state in zip(poses, twists, strict=True)])
    assert (suspension.slack(poses) < 0.0).all()
    assert np.ptp(found[:, 1]) < 1e-6 * found[:, 0].max()


def test_what_cables_carry_at_rest():
    """Three cables share the platform's weight, the one above carries all of it."""
    weight, total = MASS * GRAVITY, (MASS + HOOK[0]) * GRAVITY
    radius = 0.5
    corners = [(radius * np.cos(t), radius * np.sin(t), 0.1) for t in 2 * np.pi * np.arange(3) / 3]
    height = 1.5
    reach = np.hypot(radius, height - 0.1)
    tension = weight / 3 * reach / (height - 0.1)
    down = [Cable(0, 1, (0, 0, 0), corner, reach - tension / 4e4, 4e4) for corner in corners]
    suspension = Cables((Cable(None, 0, (0, 0, 0), (0, 0, 0), 2.0 - total / 6e4, 6e4), *down), 2)
    H = hung([2.0, height], np.zeros((2, 3)))
    assert_allclose(suspension.tensions(H, np.zeros(12)), [total, tension, tension, tension], rtol=1e-9)
    found = suspended_acceleration(suspension, BOTH, H, np.zeros(12))
    assert_allclose(found.acceleration, 0.0, atol=1e-9)
    assert found.multipliers.size == 0
    suspension.check(H, np.zeros(12), taut=True)


def test_winches_lift(rng):
    suspension = four_cables(300.0)
    H, V = taut(rng)
    lengths = np.array([cable.length for cable in suspension.cables])
    assert_allclose(suspension.wrenches(H, V, lengths, 0 * lengths), suspension.wrenches(H, V))
    shorter = suspension.tensions(H, 0 * V, lengths - 0.01) - suspension.tensions(H, 0 * V)
    assert_allclose(shorter, [600.0, 400.0, 400.0, 400.0], rtol=1e-9)
    winding = suspension.tensions(H, 0 * V, lengths, np.full(4, -0.1)) - suspension.tensions(H, 0 * V)
    assert_allclose(winding, 30.0, rtol=1e-9)
    wound = suspension.wound(lengths - 0.01)
    assert_allclose(wound.tensions(H, V), suspension.tensions(H, V, lengths - 0.01), rtol=1e-12)
    assert_allclose(wound.slack(H), suspension.slack(H) - 0.01, rtol=1e-9)
    assert suspension.energy(H, lengths - 0.01) > suspension.energy(H)
    assert not suspension.tensions(H, V, lengths + 0.1).any()
    with pytest.raises(ShapeError, match=r"lengths has shape \(3,\)"):
        suspension.wrenches(H, V, lengths[:3])
    with pytest.raises(ShapeError, match=r"lengths has shape \(5,\)"):
        suspension.wound(np.ones(5))


def test_batches_and_symbols_agree(rng):
    suspension = four_cables(300.0)
    H, V = (np.array(x) for x in zip(*(taut(rng) for _ in range(4)), strict=True))
    H[2, 1, 2, 3] += 0.3
    lengths = rng.uniform(0.99, 1.0, (4, 4)) * [2.0, 1.5, 1.5, 1.5]

    def everything(lengths, H, V):
        return suspension.wrenches(H, V, lengths), suspension.energy(H, lengths), suspension.dissipation(H, V, lengths)

    program = fb.trace(everything, {"lengths": (4,), "H": (2, 4, 4), "V": (12,)}, "cables")
    for alone, together in zip(fb.interpret(program, lengths, H, V), everything(lengths, H, V), strict=True):
        assert_allclose(alone, together, rtol=1e-11, atol=1e-9)


def test_cables_that_cannot_be_are_refused(rng):
    good = Cable(None, 0, (0, 0, 0), (0, 0, 0), 2.0, 1e4)
    for changes, message in (
        ({"length": 0.0}, "length is 0"),
        ({"stiffness": -1.0}, "stiffness is -1"),
        ({"damping": -1.0}, "damping is -1"),
        ({"first": 0}, "from body 0 to itself"),
    ):
        with pytest.raises(ArgumentError, match=message):
            replace(good, **changes)
    with pytest.raises(ArgumentError, match="cable 0 leads to body 3; there are 1"):
        Cables((replace(good, second=3),))
    with pytest.raises(ArgumentError, match="count is 0"):
        Cables((good,), 0)
    with pytest.raises(StateError, match="both ends of cable 0 are in one place"):
        Cables((good,)).check(pose([0, 0, 0], [0, 0, 0])[None], np.zeros(6))
    with pytest.raises(StateError, match="cable 0 is slack"):
        Cables((good,)).check(pose([0, 0, 0], [0, 0, -1.9])[None], np.zeros(6), taut=True)
