r"""The inverse mass matrix without the mass matrix: Bos 2019, tables 4.6 and 4.7 with the errata, and the faulty one.

`articulated_wrench` $F_i$ holds the wrenches of the articulated body below joint $i$ by unit joint forces,
`acceleration` $P_i$ the accelerations of body $i$ by them. The algorithm that the thesis corrects (its reference 28,
appendix C) does not pass $F_i$ on to the parent, and returns only within the subtree of each joint.
"""

from __future__ import annotations

import numpy as np

from floatbase.experiments.geometric.system import BASE, System
from floatbase.spatial.arrays import Array


def inverse_mass_matrix(system: System, s: Array, fixed_base: bool = False, faulty: bool = False) -> Array:
    """The inverse of the mass matrix at `s: (n,)`: that of the joints alone, (n, n), if the base is fixed.

    `faulty`: as published before the thesis, for a fixed base only.
    """
    X, n, first = system.transforms(s), system.joints, 0 if fixed_base else BASE
    articulated = list(system.inertias)
    articulated_wrench = np.zeros((n + 1, 6, first + n), dtype=s.dtype)
    result = np.zeros((first + n, first + n), dtype=s.dtype)
    U, D = [np.zeros(6)] * (n + 1), [1.0] * (n + 1)
    for i in range(n, 0, -1):
        G, parent, q = system.subspaces[i - 1], system.parents[i - 1], first + i - 1
        below = [first + j - 1 for j in system.below(i)]
        U[i] = articulated[i] @ G
        D[i] = U[i] @ G
        result[q, q] = 1.0 / D[i]
        result[q, below] -= G @ articulated_wrench[i][:, below] / D[i]
        if parent > 0 or not fixed_base:
            passed = np.outer(U[i], result[q, below])
            if not faulty:
                passed = passed + articulated_wrench[i][:, below]
            articulated_wrench[parent][:, below] += X[i].T @ passed
            rest = articulated[i] - np.outer(U[i], U[i]) / D[i]
            articulated[parent] = articulated[parent] + X[i].T @ rest @ X[i]
    acceleration = np.zeros_like(articulated_wrench)
    if not fixed_base:
        inverse = np.linalg.inv(articulated[0])
        acceleration[0] = np.hstack([inverse, -inverse @ articulated_wrench[0][:, BASE:]])
        result[:BASE] = acceleration[0]
    for i, parent in enumerate(system.parents, 1):
        q = first + i - 1
        columns = [first + j - 1 for j in system.below(i)] if faulty else list(range(q, first + n))
        if parent > 0 or not fixed_base:
            carried = X[i] @ acceleration[parent][:, columns]
            result[q, columns] -= U[i] @ carried / D[i]
            acceleration[i][:, columns] = carried
        acceleration[i][:, columns] += np.outer(system.subspaces[i - 1], result[q, columns])
    return np.asarray(np.triu(result) + np.triu(result, 1).T)
