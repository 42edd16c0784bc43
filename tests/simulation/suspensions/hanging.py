"""Bodies that hang, for the tests of suspensions: the identified platform, states, motions to a tight tolerance."""

import numpy as np
from scipy.integrate import solve_ivp

from floatbase import spatial
from floatbase.simulation.suspensions import suspended_acceleration

MASS, LENGTH = 79.075, 3.4832
STIFFNESS, TORSION, DAMPING, TORSION_DAMPING = 54589.0, 1903.0, 435.9, 69.3
PLATFORM = np.array([MASS, 0, 0, 0, 10.0, 0, 0, 10.0, 0, 14.33])
HOOK = np.array([20.0, 0, 0, 0, 0.5, 0, 0, 0.6, 0, 0.4])
GRAVITY = 9.81


def pose(rotation_vector, position):
    """(4, 4)."""
    return spatial.pose_from(
        spatial.rotation_exponential(np.asarray(rotation_vector, float)), np.array(position, float)
    )


def hung(lengths, rotation_vectors, point=(0.0, 0.0, 0.0)):
    """Poses (n, 4, 4) of bodies that hang one from another, each at a distance along its z axis."""
    place, found = np.array(point), []
    for length, rotation_vector in zip(lengths, rotation_vectors, strict=True):
        R = spatial.rotation_exponential(np.asarray(rotation_vector, float))
        place = place - length * R[:, 2]
        found.append(spatial.pose_from(R, place))
    return np.array(found)


def allowed(suspension, parameters, H, V):
    """The twists nearest to V in kinetic energy that obey the constraints."""
    M = spatial.stacked_inertia(parameters)
    A = suspension.constraint(H)
    if not suspension.rows:
        return V
    back = np.linalg.solve(M, A.T)
    return V - back @ np.linalg.solve(A @ back, A @ V)


def energy(suspension, parameters, H, V):
    """Kinetic energy, and all energy."""
    v = V.reshape(-1, 6)
    kinetic = sum(spatial.body_kinetic_energy(p, x) for p, x in zip(parameters, v, strict=True))
    weight = sum(spatial.body_potential_energy(p, x) for p, x in zip(parameters, H, strict=True))
    return kinetic, kinetic + weight + suspension.energy(H)


def pack(H, V):
    """Places, quaternions and twists in one vector."""
    return np.concatenate([H[:, :3, 3].ravel(), spatial.quaternion_from_rotation(H[:, :3, :3]).ravel(), V])


def unpack(x, n):
    """Poses (n, 4, 4) and twists (6 n,) of such a vector."""
    quaternions = x[3 * n : 7 * n].reshape(n, 4)
    quaternions = quaternions / np.linalg.norm(quaternions, axis=-1, keepdims=True)
    return spatial.pose_from(spatial.rotation_from_quaternion(quaternions), x[: 3 * n].reshape(n, 3)), x[7 * n :]


def motion(suspension, parameters, H, V, times, wrenches=None, tolerance=1e-11, **options):
    """States at times (m,): poses (m, n, 4, 4), twists (m, 6 n)."""
    n = suspension.bodies

    def slope(_time, x):
        H, V = unpack(x, n)
        velocity = np.einsum("kij,kj->ki", H[:, :3, :3], V.reshape(n, 6)[:, :3])
        spin = np.concatenate([np.zeros((n, 1)), V.reshape(n, 6)[:, 3:]], axis=1)
        turning = 0.5 * spatial.multiply_quaternions.__wrapped__(x[3 * n : 7 * n].reshape(n, 4), spin)
        acceleration = suspended_acceleration(suspension, parameters, H, V, wrenches).acceleration
        return np.concatenate([velocity.ravel(), turning.ravel(), acceleration])

    found = solve_ivp(
        slope, (times[0], times[-1]), pack(H, V), "DOP853", t_eval=times, rtol=tolerance, atol=tolerance, **options
    )
    states = [unpack(x, n) for x in found.y.T]
    return np.array([H for H, _ in states]), np.array([V for _, V in states])


def derivative(suspension, H, V, matrix):
    """Derivative of matrix(H, V) along the motion, V staying as it is, by a complex step."""
    step = 1e-20
    moved = np.array([h @ spatial.pose_exponential(1j * step * v) for h, v in zip(H, V.reshape(-1, 6), strict=True)])
    return matrix(moved, V.astype(complex)).imag / step
