"""Our quantities of a batch of states beside those of a peer, norm-wise relative per state.

Where a system of equations with the mass matrix M is solved, the residual with the peer's M is compared, relative to
|M| |x|, to the same tolerance: the backward error. The errors of the solutions themselves grow with the condition of M,
which is up to 2e6 for these robots, and are compared with `ROUNDING` cond(M), but never with more than `SOLVED`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tests.agreement.reference import Reference

from floatbase import algorithms, spatial
from floatbase.model.tree import Tree

TOLERANCE = 1e-11
SOLVED = 1e-9  # of solutions of systems of equations
ROUNDING = 1e-15  # the same, over the condition of M; the largest one seen is 6e-16
VANISHES = 1e-2  # what is smaller than this is rounding, such as the drift of a link that is fixed to the base


def our_quantities(tree: Tree, q: Any, v: Any, a: Any, tau: Any, frame: str) -> dict[str, Any]:
    return {
        "pose": algorithms.pose(tree, q, frame),
        "velocity": algorithms.velocity(tree, q, v, frame),
        "acceleration": algorithms.acceleration(tree, q, v, a, frame),
        "drift": algorithms.drift(tree, q, v, frame),
        "jacobian": algorithms.jacobian(tree, q, frame),
        "jacobian_rate": algorithms.jacobian_rate(tree, q, v, frame),
        "com": algorithms.com(tree, q),
        "com_jacobian": algorithms.com_jacobian(tree, q),
        "com_velocity": algorithms.com_velocity(tree, q, v),
        "mass_matrix": algorithms.mass_matrix(tree, q),
        "inverse_mass_matrix": algorithms.inverse_mass_matrix(tree, q),
        "bias": algorithms.bias(tree, q, v),
        "gravity": algorithms.gravity(tree, q),
        "coriolis_matrix times v": (algorithms.coriolis_matrix(tree, q, v) @ v[..., None])[..., 0],
        "inverse_dynamics": algorithms.inverse_dynamics(tree, q, v, a),
        "forward_dynamics": algorithms.forward_dynamics(tree, q, v, tau),
        "centroidal_momentum_matrix": algorithms.centroidal_momentum_matrix(tree, q),
        "centroidal_momentum": algorithms.centroidal_momentum(tree, q, v),
        "centroidal_momentum_rate": algorithms.centroidal_momentum_rate(tree, q, v, a),
        "regressor": algorithms.regressor(tree, q, v, a),
        "kinetic_energy": algorithms.kinetic_energy(tree, q, v),
        "potential_energy": algorithms.potential_energy(tree, q),
    }


def disagreements(tree: Tree, ours: dict[str, Any], theirs: Sequence[Reference], frame: str) -> dict[str, float]:
    """Quantities whose largest relative error over the states is beyond the tolerance."""
    ours = dict(ours)
    mass = tree.mass
    values: dict[str, Callable[[Reference], Any]] = {
        "pose": lambda it: it.poses[frame],
        "velocity": lambda it: it.jacobians[frame] @ it.v,
        "acceleration": lambda it: it.jacobians[frame] @ it.a + it.drifts[frame],
        "drift": lambda it: it.drifts[frame],
        "jacobian": lambda it: it.jacobians[frame],
        "com": lambda it: it.com,
        "com_jacobian": lambda it: it.momentum_matrix[:3] / mass,
        "com_velocity": lambda it: it.momentum_matrix[:3] @ it.v / mass,
        "mass_matrix": lambda it: it.mass_matrix,
        "bias": lambda it: it.bias,
        "gravity": lambda it: it.gravity,
        "coriolis_matrix times v": lambda it: it.bias - it.gravity,
        "inverse_dynamics": lambda it: it.forces,
        "centroidal_momentum_matrix": lambda it: it.momentum_matrix,
        "centroidal_momentum": lambda it: it.momentum_matrix @ it.v,
        "centroidal_momentum_rate": lambda it: it.momentum_matrix @ it.a + it.momentum_drift,
    }
    if theirs[0].jacobian_rates:
        values["jacobian_rate"] = lambda it: it.jacobian_rates[frame]
    if theirs[0].regressors:  # of all bodies but the crosses of universal joints, which are links of ours alone
        known = [(k, name) for k, name in enumerate(tree.body_names) if name in theirs[0].regressors]
        columns = [10 * k + i for k, _ in known for i in range(10)]
        ours["regressor"] = ours["regressor"][..., columns]
        values["regressor"] = lambda it: np.hstack([it.regressors[name] for _, name in known])
    if theirs[0].energies:
        values["kinetic_energy"] = lambda it: it.energies[0]
        values["potential_energy"] = lambda it: it.energies[1]
    errors = {name: error(ours[name], [value(item) for item in theirs]) for name, value in values.items()}
    found = {name: e for name, e in errors.items() if not e < TOLERANCE}
    return found | disagreements_of_solutions(ours["forward_dynamics"], ours["inverse_mass_matrix"], theirs)


def disagreements_of_solutions(accelerations: Any, inverses: Any, theirs: Sequence[Reference]) -> dict[str, float]:
    """The same of forward dynamics and inverse mass matrices, of the peer's own algorithms if it has them."""
    found: dict[str, float] = {}
    for a, X, it in zip(accelerations, inverses, theirs, strict=True):
        M, size = it.mass_matrix, np.linalg.norm(it.mass_matrix, 2)
        residuals = {
            "forward_dynamics residual": np.linalg.norm(M @ a + it.bias - it.forces) / (size * np.linalg.norm(a)),
            "inverse_mass_matrix residual": np.linalg.norm(M @ X - np.eye(len(M))) / (size * np.linalg.norm(X)),
        }
        peers = (it.a, np.linalg.inv(M)) if it.solved is None else (it.solved, it.inverse)
        names = ("forward_dynamics", "inverse_mass_matrix")
        errors = {name: error([x], [peer]) for name, x, peer in zip(names, (a, X), peers, strict=True)}
        allowed = max(TOLERANCE, min(SOLVED, ROUNDING * np.linalg.cond(M)))
        found |= {name: e for name, e in residuals.items() if not e < TOLERANCE}
        found |= {name: e for name, e in errors.items() if not e < allowed}
    return found


def error(ours: Any, theirs: Any) -> float:
    ours, theirs = (np.reshape(x, (len(theirs), -1)) for x in (ours, np.array(theirs)))
    sizes = np.maximum(np.linalg.norm(theirs, axis=1), VANISHES)
    return float(np.max(np.linalg.norm(ours - theirs, axis=1) / sizes))


def configuration(base_pose: Any, s: Any) -> Any:
    return np.concatenate([base_pose[:3, 3], spatial.quaternion_from_rotation(base_pose[:3, :3]), s])
