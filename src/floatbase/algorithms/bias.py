r"""Bias forces $h = C(q, \nu)\,\nu + G(q) - \sum_L J_L^\top f^x_L$ and gravity forces $G(q)$.

Both are inverse dynamics with part of the motion left out: $h$ at zero acceleration, where the acceleration is the
derivative of the base twist's components in the representation at hand, and $G$ at rest.

Traversaro 2017, (3.57)-(3.58); Bos 2019, table "GBWAmb".
"""

from __future__ import annotations

from typing import Any

from floatbase.algorithms.arguments import configuration, rates
from floatbase.algorithms.inverse_dynamics import generalised_force
from floatbase.algorithms.wrenches import Wrenches
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array


def bias(tree: Tree, q: Any, v: Any, wrenches: Wrenches | None = None, parameters: Any = None) -> Array:
    r"""$h$ (..., nv) in $M \dot\nu + h = (F_B, \tau)$: velocity, gravity and external wrenches; arguments as in
    `inverse_dynamics`.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    return generalised_force(tree, q, v, None, wrenches, parameters)


def gravity(tree: Tree, q: Any, parameters: Any = None) -> Array:
    r"""$G$ (..., nv): what base and joints must exert to keep the robot at rest; the gradient of the potential energy.

    q: (..., nq) configuration; parameters: (..., 10 n_bodies) instead of the tree's.
    """
    return generalised_force(tree, configuration(tree, q), None, None, None, parameters)
