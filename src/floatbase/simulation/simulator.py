"""A simulator: a robot, laws around it and a way to step through time, compiled to one program.

    simulator = Simulator(robot, contacts={"l_sole": law, "r_sole": law}, dt=1e-3)
    state = simulator.init(q)
    state = simulator.step(state, command)

Settings are frozen; a `State` is a value, and a step gives a new one. One state, a batch with leading axes, and arrays
on a GPU are stepped in the same way, each row with parameters of laws and inertial parameters of its own if they are
arrays with batch axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from floatbase.compiler.function import Function
from floatbase.compiler.gpu.libraries import on_device
from floatbase.compiler.symbol_arrays import is_symbolic
from floatbase.errors import ArgumentError, ShapeError, StateError
from floatbase.progress import compile_with_progress
from floatbase.robot import Robot
from floatbase.robot.states import check_state
from floatbase.simulation.assembly import assemble, check_constraints
from floatbase.simulation.constraints.constraint import Constraint
from floatbase.simulation.constraints.projections import require_consistent
from floatbase.simulation.contacts import HardContact
from floatbase.simulation.divergence import explained
from floatbase.simulation.integration.methods import check_method
from floatbase.simulation.laws import ContactLaw, Ground, JointLaw
from floatbase.simulation.libraries import alike, on_host, place_of
from floatbase.simulation.numbers import seconds, whole
from floatbase.simulation.physics import Physics
from floatbase.simulation.programs import beginning_function, input_sizes, output_names, period_function
from floatbase.simulation.representation import into_mixed
from floatbase.simulation.step import Stepper
from floatbase.spatial.arrays import Array

MOST_SUBSTEPS = 100_000


class State(NamedTuple):
    """What a simulator knows at a time [s]: configuration (..., nq), velocity (..., nv), what laws remember.

    `wrenches` (..., 6 contacts) at the frames in contact (of soft contacts, then of hard ones) and `torques` (...,
    joint rates) acted in the last step, as means over it; `work` (..., 3) is that of contacts, joints and pushes in the
    last period [J]; `residual` (..., 1) what is left of the equations of implicit midpoints or hard contacts, relative;
    `multipliers` (..., rows) those of constraints, as generalised forces along their rows. They are None where no step
    has been taken, or where there is no such thing.
    """

    q: Any
    v: Any
    memory: Any
    time: float = 0.0
    wrenches: Any = None
    torques: Any = None
    work: Any = None
    residual: Any = None
    multipliers: Any = None


@dataclass(frozen=True, eq=False)
class Simulator:
    """Settings of a simulation.

    contacts: laws of contact by the frames that touch the ground; hard ones are solved exactly in each step of method
    "semi-implicit". ground: what they touch, the plane z = 0 by default.
    joints: one law for all joints of one coordinate, or laws by names of joints, `{("l_knee", "r_knee"): law}`; others
    are driven by torques. dt: the time of a period, in which the command is held, in `substeps` steps of a `method` (of
    `floatbase.simulation.integration`). pushes: frames at which wrenches (mixed representation) can be given with each
    step. inertial: inertial parameters (..., 10 n_bodies), if they are not the robot's own or differ from row to row.
    constraints: what holds the robot besides, exactly (`floatbase.simulation.constraints`), with the damping and the
    stiffness of `baumgarte` if given, and `projections` steps back onto them after each step; not with method "stiff".
    """

    robot: Robot
    contacts: Mapping[str, ContactLaw | HardContact] = field(default_factory=dict)
    ground: Ground | None = None
    joints: JointLaw | Mapping[Any, JointLaw] | None = None
    dt: float = 1e-3
    method: str = "semi-implicit"
    substeps: int = 1
    pushes: tuple[str, ...] = ()
    inertial: Any = None
    constraints: tuple[Constraint, ...] = ()
    baumgarte: tuple[float, float] | None = None
    projections: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.robot, Robot):
            raise ArgumentError(f"a simulator is made for a floatbase.Robot, got {self.robot!r}")
        check_method(self.method)
        object.__setattr__(self, "dt", seconds("dt", self.dt))
        object.__setattr__(self, "substeps", whole("substeps", self.substeps, 1, MOST_SUBSTEPS))
        object.__setattr__(self, "projections", whole("projections", self.projections, 0, MOST_SUBSTEPS))
        if isinstance(self.pushes, str):
            raise ArgumentError(f"pushes is {self.pushes!r}; it must be a tuple of frames, such as ({self.pushes!r},)")
        object.__setattr__(self, "pushes", tuple(self.pushes))
        object.__setattr__(self, "constraints", tuple(self.constraints))
        if self.constraints and self.method == "stiff":
            raise ArgumentError("method 'stiff' takes no constraints; use another method with more substeps")
        if self.baumgarte is not None and not self.constraints:
            raise ArgumentError(f"baumgarte is {self.baumgarte!r}, but there are no constraints to hold")
        if self.inertial is not None:
            object.__setattr__(self, "inertial", self._inertial_array())
        hard = [frame for frame, _ in self.physics.hard]  # a wrong name or law is an error here
        check_constraints(self.robot, self.constraints)
        if hard and (self.method != "semi-implicit" or self.constraints):
            raise ArgumentError(f"the hard contact at {hard[0]!r} needs method 'semi-implicit', and no constraints")

    @cached_property
    def physics(self) -> Physics:
        """The laws around the robot's tree, in their order."""
        tree = self.robot.with_representation("mixed").tree
        constraints, baumgarte = self.constraints, self.baumgarte
        return assemble(tree, self.contacts, self.ground, self.joints, self.pushes, constraints, baumgarte)

    def with_settings(self, **changes: Any) -> Self:
        """The same with other settings."""
        return replace(self, **changes)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The laws' parameters, such as "l_sole.stiffness", in their order."""
        return self.physics.parameter_names

    @cached_property
    def parameters(self) -> Array:
        """The values of the laws' parameters (n,), or (..., n) if some differ from state to state."""
        try:
            return self.physics.parameters
        except ValueError as error:
            raise ShapeError(f"the batch axes of the laws' parameters do not fit together: {error}") from None

    @property
    def command_size(self) -> int:
        """How many numbers a command has: one for each joint rate, and more for laws that obey more."""
        return self.physics.command_size

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch axes that parameters have."""
        inertial = () if self.inertial is None else np.shape(self.inertial)[:-1]
        return _together(parameters=np.shape(self.parameters)[:-1], inertial=inertial)

    def init(self, q: Any, v: Any = None, *, time: float = 0.0) -> State:
        """The state at the beginning: configuration (..., nq) and velocity (..., nv), zero if not given."""
        robot, away = self.robot, on_device((q,))
        q = q if away else _real("q", q)
        v = alike(q, np.zeros(robot.nv)) if v is None else v if away else alike(q, _real("v", v))
        for name, array, size in (("q", q, robot.nq), ("v", v, robot.nv)):
            if tuple(array.shape)[-1:] != (size,):
                raise ShapeError(f"init: {name} has shape {tuple(array.shape)}; it must be (..., {size})")
        if not math.isfinite(time):
            raise ArgumentError(f"init: time is {time!r}; it must be a finite number of seconds")
        held = self._held(q)
        batch = _together(q=tuple(q.shape[:-1]), v=tuple(v.shape[:-1]), parameters=self.batch)
        if not away:
            check_state(robot.tree, "init", q=q, v=v)
            q, v = (np.array(np.broadcast_to(x, (*batch, x.shape[-1]))) for x in (q, v))
        if self.constraints:
            require_consistent(self.robot, on_host(q), on_host(v), self.constraints)
        if self.physics.memory_size:
            memory = self._beginning(*([q, v] if held.parameters is None else [q, v, held.parameters]))
        else:
            memory = alike(q, np.zeros((*batch, 0)))
        return State(q, v, memory, float(time))

    def rest(self, state: State) -> Array:
        """The command (..., command_size) that asks for nothing at a state: no torques, or to stay."""
        q, v = (np.asarray(on_host(x), dtype=float) for x in state[:2])
        physics = self.physics.with_parameters(self.parameters)
        v = into_mixed(self.robot.tree.representation, self.robot.floating, q, v)
        return alike(state.q, physics.rest(q, v))

    def step(
        self, state: State, command: Any = None, pushes: Any = None, *, out: State | None = None, threads: Any = None
    ) -> State:
        """The state a period later.

        command: (..., command_size), zero if not given; pushes: (..., 6 pushes) wrenches at the frames of `pushes`, one
        after the other, zero if not given; out: a state whose arrays are written to; threads: how many share a batch.
        A step that fails leaves `q`, `v` and `memory` of the state as they were, also with `out=state`; what else is in
        `out` is then of no use.
        """
        arrays = self.arrays(state, command, pushes)
        try:
            results = self.function(*arrays, out=None if out is None else self._targets(out), threads=threads)
        except StateError as error:
            program, names = self.function.program, self._outputs
            raise explained(error, self.physics, program, names, arrays, state.time) from None
        return self._state(results, state)

    def arrays(self, state: State, command: Any = None, pushes: Any = None) -> list[Any]:
        """The arrays that `function` is called with for a period."""
        if not isinstance(state, State):
            raise ArgumentError(f"state is {state!r}; it must be a State, such as `init` gives")
        held = self._held(state.q)
        arrays = [state.q, state.v]
        if self.physics.memory_size:
            arrays.append(state.memory)
        if held.command is not None:
            arrays.append(held.command if command is None else _as_precise(state.q, command))
        elif command is not None and tuple(np.shape(command))[-1:] != (0,):
            raise ArgumentError("a command is given to a robot without joints; it must be None, or have no entries")
        if held.pushes is not None:
            arrays.append(held.pushes if pushes is None else _as_precise(state.q, pushes))
        elif pushes is not None:
            raise ArgumentError("pushes are given to a simulator without: name their frames, Simulator(pushes=...)")
        if held.parameters is not None:
            arrays.append(held.parameters)
        if held.inertial is not None:
            arrays.append(held.inertial)
        arrays.append(held.dt)
        return arrays

    @cached_property
    def function(self) -> Function:
        """The compiled function of a period, of the arrays that `arrays` gives."""
        return period_function(self.stepper, self.inertial is not None)

    @cached_property
    def stepper(self) -> Stepper:
        """A period as a function of arrays of numbers or symbols."""
        form = self.robot.tree.representation
        return Stepper(self.physics, self.method, self.substeps, form, self.projections)

    def prepare(self, batch: bool = True, dtypes: Sequence[str] = ("float64",), gpu: int | None = None) -> Self:
        """Compile ahead, with a progress bar; see `Robot.prepare`."""
        functions = [self.function, *([self._beginning] if self.physics.memory_size else [])]
        compile_with_progress(functions, dtypes=dtypes, batch=batch, gpu=gpu)
        return self

    def _inertial_array(self) -> Array:
        inertial, size = _real("inertial", self.inertial), 10 * len(self.robot.tree.bodies)
        if inertial.shape[-1:] != (size,):
            raise ShapeError(f"inertial has shape {inertial.shape}; it must be (..., {size}), 10 for each body")
        return inertial

    @cached_property
    def _beginning(self) -> Function:
        return beginning_function(self.physics, self.robot.tree.representation)

    @cached_property
    def _outputs(self) -> list[str]:
        return output_names(self.physics, self.method)

    @cached_property
    def _places(self) -> list[int]:
        """Where outputs stand in a state."""
        return [State._fields.index(name) for name in self._outputs]

    @cached_property
    def _cache(self) -> dict[Any, Held]:
        return {}

    def _held(self, q: Any) -> Held:
        """What is the same in all periods, as arrays beside q."""
        place = q.dtype if type(q) is np.ndarray else place_of(q)
        held = self._cache.get(place)
        if held is None:
            sizes = input_sizes(self.physics, self.inertial is not None)
            values = {
                "command": np.zeros(sizes["command"]),
                "pushes": np.zeros(sizes["pushes"]),
                "parameters": self.parameters,
                "inertial": self.inertial,
                "dt": np.asarray(self.dt),
            }
            arrays = {name: alike(q, x) if x is not None and x.size else None for name, x in values.items()}
            held = self._cache[place] = Held(**arrays)
        return held

    def _state(self, results: tuple[Any, ...], before: State) -> State:
        values: list[Any] = [None, None, before.memory, before.time + self.dt, *[None] * 5]
        for place, result in zip(self._places, results, strict=True):
            values[place] = result
        return State._make(values)

    def _targets(self, out: State) -> tuple[Any, ...]:
        targets = tuple(out[place] for place in self._places) if isinstance(out, State) else (None,)
        if any(target is None for target in targets):
            raise ArgumentError("out must be a state that `step` gave, with arrays for all that a step says")
        return targets


class Held(NamedTuple):
    """What is the same in all periods, None where it has no entries."""

    command: Any
    pushes: Any
    parameters: Any
    inertial: Any
    dt: Any


def _as_precise(q: Any, values: Any) -> Any:
    """Numbers on the CPU that are given with a state in single precision, in single precision."""
    return np.asarray(values, dtype=np.float32) if type(q) is np.ndarray and q.dtype.char == "f" else values


def _real(name: str, values: Any) -> Array:
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" and not is_symbolic(values):
        raise ArgumentError(f"{name} is {values!r}; it must be an array of real numbers")
    return array if array.dtype in (np.float32, np.float64) else array.astype(float)


def _together(**batches: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*batches.values())
    except ValueError:
        found = ", ".join(f"{name} {batch}" for name, batch in batches.items())
        raise ShapeError(f"the batch axes do not fit together: {found}") from None
