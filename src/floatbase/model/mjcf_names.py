"""Names for the parts of a compiled MuJoCo model: MuJoCo's own where there are any, and unique where we need it."""

from __future__ import annotations

from types import ModuleType
from typing import Any


class Names:
    """Names of links, joints, frames and sensors. Each is made once, so the same part always has the same name."""

    def __init__(self, mujoco: ModuleType, m: Any) -> None:
        kinds = mujoco.mjtObj
        self._links = _unique(mujoco, m, kinds.mjOBJ_BODY, m.nbody, "body")
        self._joints = _unique(mujoco, m, kinds.mjOBJ_JOINT, m.njnt, "joint")
        self._sensors = _unique(mujoco, m, kinds.mjOBJ_SENSOR, m.nsensor, "sensor")
        self._cameras = _unique(mujoco, m, kinds.mjOBJ_CAMERA, m.ncam, "camera", set(self._sensors))
        self._keys = _unique(mujoco, m, kinds.mjOBJ_KEY, m.nkey, "key")
        self._equalities = _unique(mujoco, m, kinds.mjOBJ_EQUALITY, m.neq, "equality")
        taken = set(self._joints)
        self._fixed = [_free(f"{link}_fixed", taken) for link in self._links]
        taken = set(self._links)
        self._between = [
            _free(f"{self._links[body]}_{joint}", taken) for body, joint in zip(m.jnt_bodyid, self._joints, strict=True)
        ]
        self._frames = _unique(mujoco, m, kinds.mjOBJ_SITE, m.nsite, "site", taken)

    def link(self, body: int) -> str:
        """The link that a body becomes."""
        return self._links[body]

    def joint(self, number: int) -> str:
        """A joint."""
        return self._joints[number]

    def fixed_joint(self, body: int) -> str:
        """The joint that fixes a body to its parent, or to what its last joint moves."""
        return self._fixed[body]

    def between(self, body: int, number: int) -> str:
        """The massless link that a joint moves, if it is not the body itself."""
        return self._between[number]

    def frame(self, site: int) -> str:
        """The frame that a site becomes."""
        return self._frames[site]

    def sensor(self, number: int) -> str:
        """A sensor."""
        return self._sensors[number]

    def camera(self, number: int) -> str:
        """A camera."""
        return self._cameras[number]

    def key(self, number: int) -> str:
        """A keyframe."""
        return self._keys[number]

    def equality(self, number: int) -> str:
        """An equality constraint."""
        return self._equalities[number]


def _unique(mujoco: ModuleType, m: Any, kind: Any, count: int, prefix: str, taken: set[str] | None = None) -> list[str]:
    taken = set() if taken is None else taken
    given = [mujoco.mj_id2name(m, kind, number) or "" for number in range(count)]
    reserved = {name for name in given if name and name not in taken}
    result = []
    for number, name in enumerate(given):
        if name in reserved and name not in taken:
            taken.add(name)
            result.append(name)
        else:
            result.append(_free(f"{name}_{prefix}" if name else f"{prefix}{number}", taken | reserved))
            taken.add(result[-1])
    return result


def _free(name: str, taken: set[str]) -> str:
    """The name, or the first of `name_2`, `name_3`, ... that is not taken; it is taken then."""
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    taken.add(candidate)
    return candidate
