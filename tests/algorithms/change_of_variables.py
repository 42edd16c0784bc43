"""States and forces from one representation to another by the 6x6 matrices of the theory, for comparison."""

from __future__ import annotations

import numpy as np

from floatbase import spatial


def base_matrix(representation: str, q: np.ndarray) -> np.ndarray:
    """T with base twist = T @ (body twist)."""
    H = spatial.pose_from(spatial.rotation_from_quaternion(q[3:7]), q[:3])
    if representation == "body":
        return np.eye(6)
    if representation == "inertial":
        return spatial.adjoint(H)
    return spatial.adjoint(spatial.pose_from(H[:3, :3], np.zeros(3)))


def base_matrix_rate(representation: str, q: np.ndarray, body_twist: np.ndarray) -> np.ndarray:
    """The derivative of `base_matrix` along the motion."""
    T = base_matrix(representation, q)
    if representation == "body":
        return np.zeros((6, 6))
    spin = body_twist if representation == "inertial" else np.concatenate([np.zeros(3), body_twist[3:]])
    return T @ spatial.twist_cross(spin)


def extended(T: np.ndarray, nv: int, corner: float = 1.0) -> np.ndarray:
    result = corner * np.eye(nv)
    result[:6, :6] = T
    return result
