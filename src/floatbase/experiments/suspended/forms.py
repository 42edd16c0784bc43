r"""A platform on a rod as four models of the same motion.

With $q = (\alpha, \beta, \gamma)$, $R = R_x(\alpha) R_y(\beta) R_z(\gamma)$, $\omega = J_R \dot q$ in the platform's axes
and the velocity $J_T \dot q$ of the centre of mass in those of the world, $r = (0, 0, -l)$ and
$\Theta^S = \Theta - m\, (r^\wedge)^2$:

| form | unknowns | equations |
|---|---|---|
| direct | $\ddot q$ | $\Theta^S \dot\omega = \tau + r \times \varphi - \omega \times \Theta^S \omega$, $\dot\omega = J_R \ddot q + \dot J_R \dot q$ |
| Lagrange | $\ddot q$ | $M \ddot q + h = J_T^\top R \varphi + J_R^\top \tau$, $M = m J_T^\top J_T + J_R^\top \Theta J_R$ |
| constrained | $\dot V, \lambda$ | $\Lambda \dot V = b + A^\top \lambda$, $A \dot V = 0$ |
| reduced | $\dot\nu$ | $D^\top \Lambda D\, \dot\nu = D^\top b$, $V = D \nu$, $A D = 0$ |

The first two have no coordinates where the rod is along the x axis, $\cos\beta = 0$. Rothammer 2021, section 2.4, with
$\dot J_R$ and the signs corrected. Arrays have leading batch axes.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from floatbase.simulation.suspensions import RigidPendulum, suspended_acceleration
from floatbase.spatial import (
    adaptive_motion,
    hat,
    inertia_matrix,
    parameters_from_center,
    pose_from,
    rotation_exponential,
    rotation_logarithm,
    stacked_group,
)
from floatbase.spatial.arrays import Array, apply_matrix, matrix, transpose
from floatbase.spatial.groups import poses, product, vectors
from floatbase.spatial.rigid_body import GRAVITY

MASS, LENGTH = 35.75, 3.0  # kg, m: table 5.2
TENSOR = np.array([[43.95, -4.08, -6.47], [-4.08, 33.02, 1.93], [-6.47, 1.93, 29.08]])
FORMS = ("direct", "Lagrange", "constrained", "reduced")
EXAMPLE = (np.array([0.3, -0.4, 0.5]), np.array([0.2, -0.1, 0.7]), np.array([5.0, -3.0, 2.0, 1.0, -2.0, 0.5]))
MOTION_TIME = 5.0  # s
STEEPEST = np.deg2rad(80.0)

_BODY = parameters_from_center(np.array(MASS), np.zeros(3), TENSOR)
_PENDULUM = RigidPendulum(LENGTH)
_ARM = np.array([0.0, 0.0, -LENGTH])


def attitude(q: Array) -> Array:
    """R (..., 3, 3) of angles (..., 3) about x, y, z in turn."""
    x, y, z = (rotation_exponential(q[..., k : k + 1] * np.eye(3)[k]) for k in range(3))
    return np.asarray(x @ y @ z)


def turning_jacobian(q: Array) -> Array:
    """`J_R` (..., 3, 3): angular velocity in the platform's axes."""
    (_, cb, cg), (_, sb, sg) = ([f(q[..., k]) for k in range(3)] for f in (np.cos, np.sin))
    return matrix([[cb * cg, sg, 0.0], [-cb * sg, cg, 0.0], [sb, 0.0, 1.0]], q)


def turning_jacobian_rate(q: Array, v: Array) -> Array:
    r"""$\dot J_R$ (..., 3, 3); its last entry is zero, not one as printed."""
    (_, cb, cg), (_, sb, sg) = ([f(q[..., k]) for k in range(3)] for f in (np.cos, np.sin))
    vb, vg = v[..., 1], v[..., 2]
    rows = [
        [-sb * cg * vb - cb * sg * vg, cg * vg, 0.0],
        [sb * sg * vb - cb * cg * vg, -sg * vg, 0.0],
        [cb * vb, 0.0, 0.0],
    ]
    return matrix(rows, q, v)


def moving_jacobian(q: Array) -> Array:
    """`J_T` (..., 3, 3): velocity of the centre of mass in the axes of the world."""
    (ca, cb, _), (sa, sb, _) = ([f(q[..., k]) for k in range(3)] for f in (np.cos, np.sin))
    rows = [[0.0, -cb, 0.0], [cb * ca, -sb * sa, 0.0], [cb * sa, sb * ca, 0.0]]
    return np.asarray(LENGTH * matrix(rows, q))


def body_state(q: Array, v: Array) -> tuple[Array, Array]:
    """Pose (..., 4, 4) and body twist (..., 6)."""
    R, omega = attitude(q), apply_matrix(turning_jacobian(q), v)
    return pose_from(R, -LENGTH * R[..., 2]), np.concatenate([np.cross(omega, _ARM), omega], axis=-1)


def angle_acceleration(q: Array, v: Array, omega_rate: Array) -> Array:
    """Second derivatives (..., 3) of the angles."""
    missing = omega_rate - apply_matrix(turning_jacobian_rate(q, v), v)
    return np.asarray(np.linalg.solve(turning_jacobian(q), missing[..., None])[..., 0])


def direct(q: Array, v: Array, f: Array) -> Array:
    """By moments about the suspension point, where the rod has none; f (..., 6): force first, without weight."""
    omega, force = apply_matrix(turning_jacobian(q), v), f[..., :3] + _weight(q)
    theta = TENSOR - MASS * hat(_ARM) @ hat(_ARM)
    moment = f[..., 3:] + np.cross(_ARM, force) - np.cross(omega, apply_matrix(theta, omega))
    return angle_acceleration(q, v, np.linalg.solve(theta, moment[..., None])[..., 0])


def lagrange(q: Array, v: Array, f: Array) -> Array:
    """By Lagrange's equations of the second kind; the rate of J_T comes from a complex step."""
    J_R, J_T = turning_jacobian(q), moving_jacobian(q)
    omega, step = apply_matrix(J_R, v), 1e-20
    bent = apply_matrix(moving_jacobian(q + 1j * step * v).imag / step, v)
    turned = apply_matrix(TENSOR, apply_matrix(turning_jacobian_rate(q, v), v))
    turned = turned + np.cross(omega, apply_matrix(TENSOR, omega))
    M = MASS * transpose(J_T) @ J_T + transpose(J_R) @ TENSOR @ J_R
    force = apply_matrix(attitude(q), f[..., :3] + _weight(q)) - MASS * bent
    Q = apply_matrix(transpose(J_T), force) + apply_matrix(transpose(J_R), f[..., 3:] - turned)
    return np.asarray(np.linalg.solve(M, Q[..., None])[..., 0])


def constrained(q: Array, v: Array, f: Array) -> Array:
    """By explicit constraint wrenches."""
    H, V = body_state(q, v)
    motion = suspended_acceleration(_PENDULUM, _BODY[None], H[..., None, :, :], V, f)
    return angle_acceleration(q, v, motion.acceleration[..., 3:])


def basis() -> Array:
    """D (6, 3): an orthonormal basis of the twists that the rod allows."""
    A = _PENDULUM.constraint(pose_from(np.eye(3), _ARM)[None])
    return np.asarray(np.linalg.svd(A)[2][3:].T)


def reduced_rate(R: Array, V: Array, f: Array) -> Array:
    """Derivatives (..., 3) of the velocities along the basis, from attitude (..., 3, 3) and body twist (..., 6)."""
    D, M = basis(), inertia_matrix(_BODY)
    weight = apply_matrix(transpose(R), MASS * np.array(GRAVITY))
    gyration = np.cross(V[..., 3:], MASS * V[..., :3])
    turning = np.cross(V[..., 3:], apply_matrix(TENSOR, V[..., 3:]))
    b = f + np.concatenate([weight - gyration, -turning], axis=-1)
    return np.asarray(np.linalg.solve(D.T @ M @ D, apply_matrix(D.T, b)[..., None])[..., 0])


def reduced(q: Array, v: Array, f: Array) -> Array:
    """In a basis of the velocities that the rod allows; it is constant."""
    H, V = body_state(q, v)
    return angle_acceleration(q, v, apply_matrix(basis()[3:], reduced_rate(H[..., :3, :3], V, f)))


ACCELERATIONS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "direct": direct,
    "Lagrange": lagrange,
    "constrained": constrained,
    "reduced": reduced,
}


def worked_example() -> Mapping[str, Array]:
    """Accelerations of the angles (4, 3) in all forms, and the rod's force (3,)."""
    q, v, f = EXAMPLE
    H, V = body_state(q, v)
    force = suspended_acceleration(_PENDULUM, _BODY[None], H[None], V, f).multipliers
    return {"example": np.array([ACCELERATIONS[form](q, v, f) for form in FORMS]), "rod force": force}


def random_states(seed: int, draws: int) -> Mapping[str, Array]:
    """The largest differences (4,) from the mean of the four forms, relative to the accelerations."""
    rng = np.random.default_rng([seed, draws])
    q = rng.uniform(-np.pi, np.pi, (draws, 3))
    q[:, 1] *= STEEPEST / np.pi
    v, f = rng.uniform(-2.0, 2.0, (draws, 3)), rng.uniform(-100.0, 100.0, (draws, 6))
    found = np.array([ACCELERATIONS[form](q, v, f) for form in FORMS])
    size = np.maximum(1.0, np.linalg.norm(found.mean(axis=0), axis=-1))
    return {"differences": (np.linalg.norm(found - found.mean(axis=0), axis=-1) / size).max(axis=-1)}


def motion() -> Mapping[str, Array]:
    """The example's motion from its state: the angles at its end, and how far attitudes of two forms are off, rad."""
    q, v, f = EXAMPLE
    times, tolerance = np.array([0.0, MOTION_TIME]), 1e-10
    R, V = attitude(q), body_state(q, v)[1]

    def angles(_time: float, g: Array) -> Array:
        return np.concatenate([g[3:], direct(g[:3], g[3:], f)])

    def twists(_time: float, g: tuple[Array, Array]) -> Array:
        found = suspended_acceleration(_PENDULUM, _BODY[None], g[0][None], g[1], f)
        return np.concatenate([g[1], found.acceleration])

    def few(_time: float, g: tuple[Array, Array]) -> Array:
        twist = basis() @ g[1]
        return np.concatenate([twist, reduced_rate(g[0][:3, :3], twist, f)])

    start = pose_from(R, -LENGTH * R[:, 2])
    end = adaptive_motion(vectors(6), angles, times, np.concatenate([q, v]), tolerance).elements[-1]
    expected = attitude(end[:3])
    turns = []
    for group, velocity, g in (
        (stacked_group(1), twists, (start, V)),
        (product(poses, vectors(3)), few, (start, basis().T @ V)),
    ):
        H = adaptive_motion(group, velocity, times, g, tolerance).elements[-1][0]
        turns.append(np.linalg.norm(rotation_logarithm(expected.T @ H[:3, :3])))
    return {"end": end[:3], "place": -LENGTH * expected[:, 2], "attitude errors": np.array(turns)}


def _weight(q: Array) -> Array:
    """The weight (..., 3) in the platform's axes."""
    return apply_matrix(transpose(attitude(q)), MASS * np.array(GRAVITY))
