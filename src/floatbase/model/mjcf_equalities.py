r"""Equality constraints of a compiled MuJoCo model.

Between two joints MuJoCo has $y - y_0 = a_0 + a_1 (x - x_0) + a_2 (x - x_0)^2 + \dots$, with $x_0$, $y_0$ the positions
at rest: of degree one that is a mimic joint (exact in our tree, elastic in MuJoCo's simulation). Between two bodies,
`connect` makes points coincide and `weld` poses; those close loops.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from floatbase.model.description import Constraint, Mimic
from floatbase.model.mjcf_names import Names
from floatbase.model.poses import Array, position_quaternion, shift

_TORQUESCALE = 10  # its place in the data of a weld


def mimics(mujoco: ModuleType, m: Any, names: Names) -> dict[int, Mimic]:
    """The joints that follow another one: number of the joint -> rule."""
    result: dict[int, Mimic] = {}
    for number in range(m.neq):
        if not _is_linear_coupling(mujoco, m, number):
            continue
        follower, leader = int(m.eq_obj1id[number]), int(m.eq_obj2id[number])
        a_0, a_1 = (float(entry) for entry in m.eq_data[number][:2])
        y_0, x_0 = (float(m.qpos0[m.jnt_qposadr[joint]]) for joint in (follower, leader))
        if follower not in result and not _leads_to(result, names, leader, follower):
            result[follower] = Mimic(names.joint(leader), a_1, y_0 + a_0 - a_1 * x_0)
    return result


def _is_linear_coupling(mujoco: ModuleType, m: Any, number: int) -> bool:
    return bool(
        _kind(mujoco, m, number) == mujoco.mjtEq.mjEQ_JOINT
        and m.eq_active0[number]
        and m.eq_obj2id[number] >= 0
        and not m.eq_data[number][2:5].any()
    )


def _kind(mujoco: ModuleType, m: Any, number: int) -> Any:
    return mujoco.mjtEq(int(m.eq_type[number]))


def _leads_to(found: dict[int, Mimic], names: Names, start: int, end: int) -> bool:
    """Whether following the rules found so far from a joint leads to another."""
    rules = {names.joint(number): rule.joint for number, rule in found.items()}
    name = names.joint(start)
    while name in rules:
        name = rules[name]
    return name == names.joint(end)


def constraints(mujoco: ModuleType, m: Any, names: Names, first: int) -> tuple[Constraint, ...]:
    """The constraints between two bodies (from `first` on) that are active at the start."""
    result = []
    for number in range(m.neq):
        if not _is_kept_loop(mujoco, m, number, first):
            continue
        one, two = (int(entry) for entry in (m.eq_obj1id[number], m.eq_obj2id[number]))
        data = m.eq_data[number]
        if int(m.eq_objtype[number]) == int(mujoco.mjtObj.mjOBJ_SITE):
            first_H_frame, second_H_frame = (_site(m, site) for site in (one, two))
            one, two = (int(m.site_bodyid[site]) for site in (one, two))
        elif _kind(mujoco, m, number) == mujoco.mjtEq.mjEQ_CONNECT:
            first_H_frame, second_H_frame = shift(data[:3]), shift(data[3:6])
        else:  # the anchor is a point of the second body, the relative pose places it in the first
            first_H_frame, second_H_frame = position_quaternion(data[3:10]), shift(data[:3])
        point = _kind(mujoco, m, number) == mujoco.mjtEq.mjEQ_CONNECT
        result.append(
            Constraint(
                names.equality(number),
                "point" if point else "weld",
                names.link(one),
                names.link(two),
                first_H_frame,
                second_H_frame,
            )
        )
    return tuple(result)


def _is_kept_loop(mujoco: ModuleType, m: Any, number: int, first: int) -> bool:
    kinds = mujoco.mjtEq
    if _kind(mujoco, m, number) not in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD) or not m.eq_active0[number]:
        return False
    ends = [int(m.eq_obj1id[number]), int(m.eq_obj2id[number])]
    if int(m.eq_objtype[number]) == int(mujoco.mjtObj.mjOBJ_SITE):
        ends = [int(m.site_bodyid[site]) for site in ends]
    return min(ends) >= first


def _site(m: Any, site: int) -> Array:
    return position_quaternion((*m.site_pos[site], *m.site_quat[site]))


def dropped_equalities(mujoco: ModuleType, m: Any, names: Names, first: int) -> int:
    """How many equality constraints became neither a mimic joint nor a constraint."""
    kept = len(mimics(mujoco, m, names)) + sum(_is_kept_loop(mujoco, m, number, first) for number in range(m.neq))
    return int(np.int64(m.neq - kept))


def soft_equalities(
    mujoco: ModuleType, m: Any, names: Names, first: int, usual: tuple[tuple[float, ...], tuple[float, ...]]
) -> int:
    """How many of those that are kept give way otherwise than usual (solref, solimp), or weigh turns (torquescale)."""
    count = 0
    followers = mimics(mujoco, m, names)
    for number in range(m.neq):
        kind = _kind(mujoco, m, number)
        if not (
            _is_kept_loop(mujoco, m, number, first)
            or (_is_linear_coupling(mujoco, m, number) and int(m.eq_obj1id[number]) in followers)
        ):
            continue
        own = not (np.array_equal(m.eq_solref[number], usual[0]) and np.array_equal(m.eq_solimp[number], usual[1]))
        count += own or (kind == mujoco.mjtEq.mjEQ_WELD and float(m.eq_data[number][_TORQUESCALE]) != 1.0)
    return count
