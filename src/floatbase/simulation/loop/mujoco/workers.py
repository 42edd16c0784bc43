"""MuJoCo's data of one robot: stepped, measured, and set to a stored state.

A period is `mj_step2` (forces of the command, motion), more steps if there are substeps, and then `mj_step1` and
`mj_forwardSkip` at the new state, which give accelerations, forces of contacts and sensors there under the same
command. The next `mj_step2` goes on from there. Setting a stored state does the latter two again, so that what follows
is the same to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.simulation.loop.mujoco.contact_forces import ContactForces
from floatbase.simulation.loop.mujoco.states import Coordinates
from floatbase.spatial.arrays import Array


class Worker:
    """MuJoCo's data of one robot."""

    def __init__(
        self, model: Any, coordinates: Coordinates, forces: ContactForces, substeps: int, signs: Array
    ) -> None:
        """signs: of the entries of MuJoCo's readings."""
        import mujoco

        self._mujoco, self._all = mujoco, mujoco.mjtState.mjSTATE_INTEGRATION
        self._model, self._data = model, mujoco.MjData(model)
        self._coordinates, self._forces, self._substeps, self._signs = coordinates, forces, substeps, signs
        self._size = mujoco.mj_stateSize(model, self._all)

    def begin(self, q: Array, v: Array) -> tuple[Array, ...]:
        """What is measured at a configuration and a velocity (mixed representation), without commands."""
        self._mujoco.mj_resetData(self._model, self._data)
        self._data.qpos[:] = self._coordinates.qpos(q)
        self._data.qvel[:] = self._coordinates.qvel(q, v)
        return self._measured(np.zeros(6 * len(self._forces.pushed_bodies)))

    def load(self, own: Array) -> None:
        """Go to a stored state."""
        self._mujoco.mj_resetData(self._model, self._data)
        self._mujoco.mj_setState(self._model, self._data, np.ascontiguousarray(own), self._all)
        self._evaluate()

    def step(self, controls: Array, pushed: Array) -> tuple[Array, ...]:
        """What is measured a period later."""
        mujoco, model, data = self._mujoco, self._model, self._data
        data.ctrl[:] = controls
        if len(pushed):
            self._forces.push(data, pushed)
        mujoco.mj_step2(model, data)
        if self._substeps > 1:
            mujoco.mj_step(model, data, self._substeps - 1)
        return self._measured(pushed)

    def _evaluate(self) -> None:
        mujoco = self._mujoco
        mujoco.mj_step1(self._model, self._data)
        mujoco.mj_forwardSkip(self._model, self._data, mujoco.mjtStage.mjSTAGE_VEL, 0)

    def _measured(self, pushed: Array) -> tuple[Array, ...]:
        mujoco, model, data = self._mujoco, self._model, self._data
        own = np.empty(self._size)
        mujoco.mj_getState(model, data, own, self._all)
        self._evaluate()
        at = self._coordinates
        return (
            own,
            at.q(data.qpos),
            at.v(data.qpos, data.qvel),
            at.v(data.qpos, data.qacc),
            at.torques(data.qfrc_actuator),
            self._forces.wrenches(mujoco, model, data),
            np.array(pushed),
            self._signs * data.sensordata,
        )
