"""What every robot object has: its tree, and compiled functions made when they are first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from floatbase.compiler.cache import cache_key
from floatbase.compiler.entry import Place, Selection, select_address
from floatbase.compiler.function import Function
from floatbase.compiler.gpu.libraries import on_device
from floatbase.compiler.machine import start_llvm
from floatbase.compiler.program import Program, as_shape
from floatbase.compiler.symbol_arrays import casadi_arrays, is_symbolic, refuse_output
from floatbase.compiler.target import Arithmetic
from floatbase.errors import ArgumentError, ModelError, TraceError
from floatbase.model import Model, build_tree
from floatbase.model.positions import (
    named_configuration,
    neutral_positions,
    position_limits,
    random_positions,
    random_quaternions,
)
from floatbase.model.settings import tree_settings
from floatbase.results import grouped
from floatbase.robot.quantities import CHOICES, Static
from floatbase.robot.requests import Request, evaluate, input_ports, names_one, parse, with_parameters
from floatbase.robot.states import check_configuration

Array = npt.NDArray[np.floating[Any]]
Output = str | Sequence[Static]


def _frames(wrenches: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(wrenches, str) and isinstance(wrenches, Iterable):
        frames = tuple(wrenches)
        if all(isinstance(frame, str) for frame in frames):
            return frames
    raise ArgumentError(f"wrenches must be a sequence of frame names, got {wrenches!r}")


class RobotCore:
    """A model seen from one base, and the functions compiled for it."""

    def __init__(self, model: Model, **settings: Any) -> None:
        if not isinstance(model, Model):
            raise ArgumentError(f"a robot is made of a floatbase.Model, got {model!r}; see floatbase.load")
        self.model = model
        self._settings = tree_settings(settings)
        self.tree = build_tree(model, **self._settings)
        start_llvm()
        self._functions: dict[Any, Function] = {}
        self._entries: dict[tuple[Any, ...], Callable[..., Any]] = {}  # by request, with its wrenches' frames if any
        self._selections: dict[str, Selection] = {}  # of the methods that take a frame
        self.kernel_functions: dict[Any, Any] = {}  # of the kernels called with this robot
        self.kernel_entries: dict[Any, Callable[..., Any]] = {}  # by kernel and settings

    # -- description ----------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.model.name

    @property
    def nq(self) -> int:
        """Size of a configuration `q`: base position (3), base quaternion w x y z (4), joint positions."""
        return self.tree.nq

    @property
    def nv(self) -> int:
        """Size of a velocity `v`: base twist (6, linear first), joint rates."""
        return self.tree.nv

    @property
    def base(self) -> str:
        """Name of the base link, whose pose and twist stand first in `q` and `v` if it floats."""
        return self.tree.base

    @property
    def n_bodies(self) -> int:
        """Number of rigid bodies, the base included, links fixed to one another counted once."""
        return len(self.tree.bodies)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, in the order in which their coordinates stand in `q` and `v`."""
        return self.tree.joint_names

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the rigid bodies, whatever the base: the description's root, then the link that each joint moves.

        Inertial parameters and columns of regressors are in this order.
        """
        return self.tree.body_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames: every link, also of those merged into a body, and additional frames."""
        return tuple(self.tree.frames)

    @property
    def mass(self) -> float:
        """Total mass in kg."""
        return float(sum(body.parameters[0] for body in self.tree.bodies))

    @property
    def representation(self) -> str:
        """How twists and wrenches are written: "mixed", "body" or "inertial"."""
        return self.tree.representation

    @property
    def floating(self) -> bool:
        """Whether the base moves freely."""
        return self.tree.floating

    def __repr__(self) -> str:
        base = "floating" if self.floating else "fixed"
        return (
            f"<Robot {self.name}: {self.n_bodies} bodies, nq={self.nq}, nv={self.nv}, {self.mass:.3f} kg, "
            f"{base} base {self.base!r}, {self.representation} representation>"
        )

    def __fingerprint__(self) -> tuple[str, str]:
        """What a kernel that refers to this robot depends on."""
        return self.tree.digest, self.model.digest

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _rebuild, (type(self), self.model, self._settings)

    def _with(self, **changes: Any) -> Self:
        return type(self)(self.model, **{**self._settings, **changes})

    # -- configurations -------------------------------------------------------------------------------------

    @property
    def position_limits(self) -> tuple[Array, Array]:
        """Lower and upper limits of the joint positions, infinite where the description gives none."""
        return position_limits(self.model, self.tree)

    def neutral(self) -> Array:
        """The base at the world's origin, joints at zero or at the limit nearest to it, attitudes the identity."""
        joints = neutral_positions(self.model, self.tree)
        return np.concatenate([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], joints]) if self.floating else joints

    def configuration(self, name: str) -> Array:
        """A configuration that the description gives a name, such as a keyframe of an MJCF file."""
        return named_configuration(self.model, self.tree, name)

    def random(self, rng: np.random.Generator | int | None = None, n: int | Sequence[int] = ()) -> tuple[Array, Array]:
        """Random configurations and velocities, of leading shape `n`.

        Joints are uniform within their limits (within half a turn or half a metre of zero where there are none), base
        attitudes are uniform, base positions and all velocities are standard normal.
        """
        try:
            rng = np.random.default_rng(rng)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"random: rng must be a generator of NumPy or a seed, got {rng!r} ({error})") from None
        shape = as_shape("random: n", n)
        joints = random_positions(self.model, self.tree, rng, shape)
        v = rng.standard_normal((*shape, self.nv))
        if not self.floating:
            return joints, v
        attitude = random_quaternions(rng, shape)
        return np.concatenate([rng.standard_normal((*shape, 3)), attitude, joints], axis=-1), v

    # -- compiled functions ---------------------------------------------------------------------------------

    def function(
        self,
        outputs: Output | Sequence[Output],
        wrenches: Sequence[str] = (),
        parameters: bool = False,
        *,
        arithmetic: Arithmetic = None,
    ) -> Function:
        """One compiled function for several quantities, chosen before the loop that calls it.

        outputs: names of this class's methods, or tuples of a name and what it is asked for, such as its frames:
        `["mass_matrix", ("jacobian", "l_sole"), ("contact_dynamics", "l_sole", "r_sole")]`. wrenches: frames at which
        external wrenches act; each adds an argument `wrench_<frame>` (6,). parameters: inertial parameters `parameters`
        (10 n_bodies,) are the last argument, instead of the robot's own. The function takes the arrays that are needed,
        in the order q, v, a, tau, wrenches, parameters, and returns the quantities in the order asked for; shared work
        is done once. arithmetic: "float64" to compute in that also where arrays are float32, for quantities that are
        badly conditioned; by default the type of the arrays is that of the arithmetic.
        """
        if arithmetic not in (None, "float64"):
            raise ArgumentError(f"function: arithmetic must be 'float64' or None, got {arithmetic!r}")
        requests, single = self._parse(outputs)
        if parameters:
            requests = tuple(request.with_parameters() for request in requests)
            if not any(request.takes_parameters for request in requests):
                raise ArgumentError(f"function: {requests[0].label!r} does not depend on inertial parameters")
        return self._compiled(requests, _frames(wrenches), single, arithmetic)

    def prepare(
        self,
        *outputs: Output,
        wrenches: Sequence[str] = (),
        parameters: bool = False,
        batch: bool = True,
        dtypes: Sequence[str] = ("float64",),
        gpu: int | None = None,
        progress: bool = True,
    ) -> None:
        """Compile methods ahead of their first call, in parallel, showing a progress bar.

        outputs: names or (name, frame) tuples as for `function`, each compiled on its own; with inertial
        `parameters` as an argument, if asked for. batch: compile the version for many states as well as the one for a
        single state. gpu: the number of a GPU to compile for in place of this processor; one version serves both there.
        """
        frames = _frames(wrenches)
        functions = {}
        for output in outputs:
            request = parse(self.tree, output)
            request = request.with_parameters() if parameters else request
            acting = frames if request.quantity.wrenches else ()
            functions[request, acting] = self._compiled((request,), acting, True)
        from floatbase.progress import compile_with_progress

        compile_with_progress(functions.values(), dtypes=dtypes, batch=batch, gpu=gpu, show=progress)
        for (request, acting), compiled in functions.items():
            if ((request, acting) if acting else request) not in self._entries:
                self._shorten(request, acting, compiled)

    def program(self, outputs: Output | Sequence[Output], wrenches: Sequence[str] = ()) -> Program:
        """The traced program behind `function(outputs, wrenches)`."""
        return self.function(outputs, wrenches).program

    def _parse(self, outputs: Output | Sequence[Output]) -> tuple[tuple[Request, ...], bool]:
        single = isinstance(outputs, str) or names_one(outputs)
        if not isinstance(outputs, Iterable):
            raise ArgumentError(f"function: outputs must be names of quantities, got {outputs!r}")
        items: Sequence[Any] = [outputs] if single else list(outputs)
        if not items:
            raise ArgumentError("function: outputs is empty; name at least one quantity")
        return tuple(parse(self.tree, item) for item in items), single

    def _compiled(
        self, requests: tuple[Request, ...], wrenches: tuple[str, ...], single: bool, arithmetic: Arithmetic = None
    ) -> Function:
        if len(set(requests)) != len(requests):
            raise ArgumentError(f"function: a quantity is asked for twice in {[item.label for item in requests]}")
        key = (requests, wrenches, single, arithmetic)
        found = self._functions.get(key)
        if found is None:
            found = self._functions[key] = self._make(requests, wrenches, arithmetic)
        return found

    def _make(self, requests: tuple[Request, ...], wrenches: tuple[str, ...], arithmetic: Arithmetic) -> Function:
        tree = self.tree
        ports = input_ports(tree, requests, wrenches)
        name = "_".join(request.label for request in requests)

        def algorithm(*arrays: Any) -> dict[str, Any]:
            for port, array in zip(ports, arrays, strict=True):
                if port.name in ("q", "q_end"):
                    check_configuration(tree, array, port.name)
            return evaluate(tree, requests, wrenches, arrays)

        def program() -> Program:
            from floatbase.compiler.tracing import trace

            try:
                return trace(algorithm, ports, name)
            except TraceError as error:
                if isinstance(error.__cause__, ZeroDivisionError):
                    raise ModelError(
                        f"{name} of robot {tree.name!r} does not exist: it divides by a mass that is zero, "
                        "or by a moment of inertia (allow_massless=True is for kinematics alone)"
                    ) from error
                raise

        key = cache_key("robot", tree.digest, tuple(requests), wrenches)
        doc = "\n\n".join(f"{request.label}: {getattr(type(self), request.name).__doc__}" for request in requests)
        forms = tuple(request.form for request in requests)
        result = grouped(forms) if any(forms) else None
        return Function(None, program, key=key, doc=doc, result=result, arithmetic=arithmetic)

    def _evaluate(
        self,
        request: tuple[Static, ...],
        arrays: tuple[Any, ...],
        wrenches: Mapping[str, Any] | None = None,
        out: Any = None,
        threads: int | None = None,
        parameters: Any = None,
    ) -> Any:
        """Call one quantity: compiled for numbers, traced for symbols, replayed for CasADi's expressions."""
        frames: tuple[str, ...] = ()
        if wrenches is not None:
            if not isinstance(wrenches, Mapping):
                raise ArgumentError(f"{request[0]}: wrenches must be a mapping of frames to wrenches, got {wrenches!r}")
            frames = tuple(wrenches)
            arrays = (*arrays, *wrenches.values())
        given = request
        if parameters is not None:
            given = with_parameters(request)
            arrays = (*arrays, parameters)
        try:
            entry = self._entries.get((given, frames) if frames else given)
        except TypeError:
            raise ArgumentError(f"{request[0]}: a frame is given by its name, got {request[1:]}") from None
        if entry is not None and threads is None:
            return entry(*arrays, out=out)
        checked = parse(self.tree, request)
        if parameters is not None:
            checked = checked.with_parameters()
        return self._resolve(checked, frames, *arrays, out=out, threads=threads)

    def _resolve(self, request: Request, frames: tuple[str, ...], *values: Any, **call: Any) -> Any:
        """The same for anything that a built-in function does not serve at once."""
        if on_device(values):
            compiled = self._compiled((request,), frames, True)
            self._shorten(request, frames, compiled)
            return compiled.on_gpu.call(values, call.get("out"))
        if is_symbolic(*values):
            refuse_output(request.label, call.get("out"))
            return self._symbolic(request, frames, values)
        compiled = self._compiled((request,), frames, True)
        if casadi_arrays(*values):
            from floatbase.compiler.casadi import casadi_call

            refuse_output(request.label, call.get("out"))
            return _as_asked(request, casadi_call(compiled.program, *values))
        self._shorten(request, frames, compiled)
        return compiled.general(*values, **call)

    def _shorten(self, request: Request, frames: tuple[str, ...], compiled: Function) -> None:
        """Let a built-in function check the arguments and call machine code from now on.

        It stands in the place of a method that is called with arrays alone, and hands everything unusual (other
        arguments, symbols, something wrong) back to that method.
        """
        key = (request, frames) if frames else request
        if key in self._entries:
            return
        resolve = partial(self._resolve, request, frames)
        self._entries[key] = compiled.entry(resolve) or resolve
        by_frame = request.quantity.static == ("frame",)
        if frames or request.takes_parameters or not (by_frame or request.is_default(self.tree)):
            return
        method = getattr(type(self), request.name).__get__(self)
        if by_frame:
            self._select(request, compiled, method)
            return
        entry = compiled.entry(method, Place.of(method))
        if entry is not None:
            self.__dict__[request.name] = entry

    def _options(self, *given: tuple[str, str | None]) -> tuple[str, ...]:
        """The end of a request: options with what is given for them, none after the last that is not the default."""
        last = 0
        for position, (kind, choice) in enumerate(given, 1):
            if choice is not None and choice != CHOICES[kind](self.tree)[0]:
                last = position
        return tuple(CHOICES[kind](self.tree)[0] if choice is None else choice for kind, choice in given[:last])

    def _select(self, request: Request, compiled: Function, method: Callable[..., Any]) -> None:
        """The same for a method of a frame: the built-in function finds the machine code that goes with the name."""
        position, (frame,) = len(request.quantity.state), request.static

        def whole(*values: Any, **named: Any) -> Any:
            return method(*values[:position], frame, *values[position:], **named)

        entry, address = compiled.entry(whole), select_address(compiled.cache)
        if entry is None or address is None:
            return
        selection = self._selections.get(request.name)
        if selection is None:
            doc, place = method.__doc__ or "", Place.of(method)
            selection = Selection(address, request.name, doc, position, method, place)
            self._selections[request.name] = selection
            self.__dict__[request.name] = selection.function
        selection.add(frame, entry)

    def _symbolic(self, request: Request, frames: tuple[str, ...], values: Sequence[Any]) -> Any:
        for port, value in zip(input_ports(self.tree, (request,), frames), values, strict=True):
            if np.shape(value) != port.shape:
                raise ArgumentError(
                    f"{request.name}: {port.name} must have shape {port.shape}, got {np.shape(value)}; "
                    "symbols have no batch axes"
                )
        return _as_asked(request, tuple(evaluate(self.tree, (request,), frames, values).values()))


def _as_asked(request: Request, results: tuple[Any, ...]) -> Any:
    form = request.form
    return results[0] if form is None else form(*results)


def _rebuild(kind: type[RobotCore], model: Model, settings: dict[str, Any]) -> RobotCore:
    return kind(model, **settings)
