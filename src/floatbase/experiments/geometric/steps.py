"""The steps of the experiment: what can be computed on its own, on the published example and on random systems."""

from __future__ import annotations

import numpy as np

from floatbase import algorithms
from floatbase.experiments.geometric.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from floatbase.experiments.geometric.dynamics import extended_inverse_dynamics, mass_matrix
from floatbase.experiments.geometric.flows import flow_errors
from floatbase.experiments.geometric.identities import identity_errors, relative_error
from floatbase.experiments.geometric.inverse_mass import inverse_mass_matrix
from floatbase.experiments.geometric.linearization import CHARTS, state_matrix
from floatbase.experiments.geometric.quantities import (
    Case,
    case,
    derivative_errors,
    derivatives,
    difference_quotients,
    inverse_error,
    inverse_errors,
)
from floatbase.experiments.geometric.system import (
    BASE,
    published_state,
    published_system,
    random_model,
    random_state,
    system_of,
)
from floatbase.model import build_tree
from floatbase.model.library.nine_joints import nine_joint_tree
from floatbase.spatial import quaternion_from_rotation
from floatbase.spatial.arrays import Array

NEARBY = np.linspace(0.8, 1.2, 9)  # multiples of the step over which rounding errors are averaged out
_NUMBERS = {"identities": 1, "flow": 2, "engine": 3}  # of the streams of random numbers; draws have 0


def example(step: float) -> dict[str, Array]:
    """The published example: state, accelerations, matrices by recursions and by forward differences, errors."""
    c = published_case()
    found = {"rotation": c.state.H[:3, :3], "v_dot": c.v_dot, "tau": c.tau}
    found |= derivatives(c)
    found |= {f"{name} by differences": D for name, D in difference_quotients(c, "forward", step).items()}
    s = c.state.s
    found["M_fb^-1 from the mass matrix"] = np.linalg.inv(mass_matrix(c.system, s, fixed_base=True))
    found["M_fb^-1 by the faulty algorithm"] = inverse_mass_matrix(c.system, s, fixed_base=True, faulty=True)
    found["M_fb^-1"], found["M^-1"] = (
        inverse_mass_matrix(c.system, s, fixed_base=True),
        inverse_mass_matrix(c.system, s),
    )
    found["faulty error"] = np.array(inverse_error(c.system, s, fixed_base=True, faulty=True))
    found["inverse errors"] = inverse_errors(c.system, s)
    found["errors"] = derivative_errors(c, ("forward", step), ("central", step), ("complex", None))
    nearby = derivative_errors(c, *(("forward", factor * step) for factor in NEARBY))
    found["nearby errors"] = np.median(nearby, axis=0)
    system = system_of(nine_joint_tree())
    corrected = case(system, *published_state(system))
    found |= {"corrected v_dot": corrected.v_dot, "corrected tau": corrected.tau}
    return found


def step_lengths(steps: list[float]) -> dict[str, Array]:
    """The largest error of each quantity of the example for several steps: forward, central (2, steps, 8)."""
    c = published_case()
    return {
        "errors": np.stack([derivative_errors(c, *((m, h) for h in steps))[..., 0] for m in ("forward", "central")])
    }


def draws(seed: int, first: int, last: int, step: float) -> dict[str, Array]:
    """Random systems: errors (draws, methods, 8, 2) of derivatives and (draws, 2, 2) of inverse mass matrices."""
    errors, inverses = [], []
    for k in range(first, last):
        rng = np.random.default_rng([seed, 0, k])
        system, state = system_of(random_model(rng)), random_state(rng, uniform=True)
        c = case(system, state, rng.uniform(-1.0, 1.0, system.joints))
        errors.append(derivative_errors(c, ("forward", step), ("central", step), ("complex", None)))
        inverses.append(inverse_errors(system, state.s))
    return {"errors": np.array(errors), "inverse errors": np.array(inverses)}


def identities(seed: int, k: int) -> dict[str, float]:
    """What must be true of a random system: relative errors by name."""
    return identity_errors(_random_case(seed, "identities", k))


def flows(seed: int, k: int, duration: float, steps: int) -> dict[str, Array]:
    """How far the state matrices of a random system are from predicting its flow: errors by chart (4,)."""
    return {"errors": flow_errors(_random_case(seed, "flow", k), duration, steps)}


def engine(seed: int, k: int) -> dict[str, float]:
    """The package's own functions beside these recursions: relative errors; k = 0 is the example, made to exist."""
    rng = np.random.default_rng([seed, _NUMBERS["engine"], k])
    model = random_model(rng) if k else nine_joint_tree()
    tree, system = build_tree(model, representation="body"), system_of(model)
    state, r_dot = (random_state(rng), rng.standard_normal(system.joints)) if k else published_state(system)
    c = case(system, state, r_dot)
    q = np.concatenate([state.H[:3, 3], quaternion_from_rotation(state.H[:3, :3]), state.s])
    v, a = np.concatenate([state.v, state.r]), np.concatenate([c.v_dot, c.r_dot])
    force = np.concatenate([np.zeros(BASE), c.tau])
    ID = inverse_dynamics_derivatives(system, state, extended_inverse_dynamics(system, state, c.v_dot, c.r_dot)[1])
    FD, by_force = forward_dynamics_derivatives(system, state, c.tau)
    their_ID = algorithms.inverse_dynamics_derivatives(tree, q, v, a)
    their_FD = algorithms.forward_dynamics_derivatives(tree, q, v, force)
    found = {
        "inverse dynamics": relative_error(algorithms.inverse_dynamics(tree, q, v, a)[BASE:], c.tau),
        "forward dynamics": relative_error(algorithms.forward_dynamics(tree, q, v, force), a),
        "mass matrix": relative_error(their_ID.da, mass_matrix(system, state.s)),
        "inverse mass matrix": relative_error(their_FD.dtau, inverse_mass_matrix(system, state.s)),
        "dID/dq": relative_error(their_ID.dq, np.hstack([ID.H_body, ID.s])),
        "dID/dv": relative_error(their_ID.dv, np.hstack([ID.v, ID.r])),
        "dFD/dq": relative_error(their_FD.dq, np.hstack([FD.H_body, FD.s])),
        "dFD/dv": relative_error(their_FD.dv, np.hstack([FD.v, FD.r])),
        "D1 FD norm": float(np.linalg.norm(their_FD.dq[:, :BASE])),
    }
    for chart in CHARTS[:3]:
        A = algorithms.linearize(tree, q, v, force, chart=chart).A
        found[f"state matrix, {chart} chart"] = relative_error(A, state_matrix(chart, state, a, FD))
    found["input matrix, body chart"] = relative_error(algorithms.linearize(tree, q, v, force).B[len(v) :], by_force)
    return found


def published_case() -> Case:
    """The example with both faults of the print."""
    system = published_system()
    return case(system, *published_state(system))


def _random_case(seed: int, stream: str, k: int) -> Case:
    rng = np.random.default_rng([seed, _NUMBERS[stream], k])
    system = system_of(random_model(rng))
    return case(system, random_state(rng), rng.standard_normal(system.joints))
