"""Users' own functions of a robot's state, compiled like the built-in ones.

    @fb.kernel(target=(3,))
    def reach_error(robot, q, target, *, frame="l_hand"):
        return robot.pose(q, frame)[:3, 3] - target

    reach_error(robot, q, target)               # arrays: compiled, batched over leading axes
    reach_error(robot, q, target, frame="head") # keyword-only arguments are static: another compiled function

The first argument is the robot. Arguments called `q`, `v`, `a` and `tau` have the robot's sizes; others are scalars
unless a shape is declared in the decorator. The result is an array, a tuple, a dictionary or a dataclass of arrays.

Everything else the function refers to, such as global values and those of an enclosing function, counts as it is at the
first call in a process: what changes is an argument or a setting.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Any, overload

from floatbase.compiler import casadi_arrays, is_symbolic
from floatbase.compiler.cache import Cache, cache_key, default_cache
from floatbase.compiler.function import Function
from floatbase.compiler.graph import Graph
from floatbase.compiler.program import Port, Program, as_shape
from floatbase.compiler.symbol_arrays import refuse_output, symbols
from floatbase.compiler.tracing import call_with_symbols, extract, flatten
from floatbase.errors import ArgumentError, TraceError, unknown_name
from floatbase.fingerprint import fingerprint
from floatbase.robot import Robot
from floatbase.robot.quantities import STATE
from floatbase.robot.requests import state_port
from floatbase.robot.states import check_configuration

Shape = int | Sequence[int]


class Kernel:
    """A function of a robot's state that is compiled for each robot it is called with. Made by `kernel`."""

    def __init__(self, function: Callable[..., Any], shapes: dict[str, Shape]) -> None:
        update_wrapper(self, function)
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if not parameters or any(item.kind not in (*plain, inspect.Parameter.KEYWORD_ONLY) for item in parameters):
            raise ArgumentError(
                f"kernel {self.name!r} must take the robot, then arrays, then keyword-only settings; "
                "*args and **kwargs are not possible"
            )
        if parameters[0].name == "self":
            raise ArgumentError(f"kernel {self.name!r} takes self: a kernel is a function of a robot, not a method")
        arrays = [item for item in parameters[1:] if item.kind in plain]
        self.arguments = tuple(item.name for item in arrays)
        self.defaults = {item.name: item.default for item in arrays if item.default is not inspect.Parameter.empty}
        self.settings = {item.name: item.default for item in parameters if item.kind == inspect.Parameter.KEYWORD_ONLY}
        for name in shapes:
            if name not in self.arguments:
                raise unknown_name(f"argument of kernel {self.name!r}", name, self.arguments)
        reserved = {"out", "threads"} & {*self.arguments, *self.settings}
        if reserved:
            raise ArgumentError(f"kernel {self.name!r}: {reserved.pop()!r} already means something when it is called")
        self.shapes = {
            name: as_shape(f"kernel {self.name!r}: the shape of {name!r}", size) for name, size in shapes.items()
        }

    def __call__(self, robot: Robot, *arrays: Any, out: Any = None, threads: int | None = None, **settings: Any) -> Any:
        """Call with numbers (compiled), symbols or CasADi's expressions; settings select the compiled version."""
        if isinstance(robot, Robot) and (not settings or _are_names(settings)):
            entry = robot.kernel_entries.get((self, *settings.items()) if settings else self)
            if entry is not None:
                return entry(*arrays, out=out, threads=threads)
        return self._general(robot, *arrays, out=out, threads=threads, **settings)

    def _general(self, robot: Robot, *arrays: Any, out: Any = None, threads: int | None = None, **settings: Any) -> Any:
        """The same for any arguments."""
        arrays = self._ordered(arrays, settings)
        if is_symbolic(*arrays):
            refuse_output(self.name, out)
            return self.function(robot, *arrays, **settings)
        compiled, form = _compiled(self, robot, settings)
        if casadi_arrays(*arrays):
            from floatbase.compiler.casadi import casadi_call

            refuse_output(self.name, out)
            return form.rebuild(casadi_call(compiled.program, *arrays))
        if _are_names(settings):
            self._shorten(robot, settings, compiled)
        return compiled(*arrays, out=out, threads=threads)

    def _shorten(self, robot: Robot, settings: dict[str, Any], compiled: Function) -> None:
        """Let a built-in function check the arguments from now on, and hand back everything unusual."""
        key = (self, *settings.items()) if settings else self
        if key not in robot.kernel_entries:
            entry = compiled.entry(partial(self._general, robot, **settings))
            if entry is not None:
                robot.kernel_entries[key] = entry

    def compiled(self, robot: Robot, **settings: Any) -> Function:
        """The compiled function for a robot and some settings: called with the arrays alone."""
        return _compiled(self, robot, settings)[0]

    def program(self, robot: Robot, **settings: Any) -> Program:
        """The program it becomes for a robot and some settings."""
        return self.compiled(robot, **settings).program

    def ports(self, robot: Robot) -> tuple[Port, ...]:
        """Names and shapes of its arrays for a robot."""
        return tuple(
            state_port(robot.tree, name)
            if name in STATE and name not in self.shapes
            else Port(name, self.shapes.get(name, ()))
            for name in self.arguments
        )

    def _ordered(self, arrays: Sequence[Any], settings: dict[str, Any]) -> tuple[Any, ...]:
        """Arrays in their order, those given by keyword taken out of the settings."""
        given = {**self.defaults, **dict(zip(self.arguments, arrays, strict=False))}
        usage = f"{self.name}(robot, {', '.join(self.arguments)})"
        if len(arrays) > len(self.arguments):
            raise ArgumentError(f"{usage} takes {len(self.arguments)} arrays, got {len(arrays)}")
        for name in [key for key in settings if key in self.arguments]:
            if name in self.arguments[: len(arrays)]:
                raise ArgumentError(f"{usage} got {name!r} twice")
            given[name] = settings.pop(name)
        missing = [name for name in self.arguments if name not in given]
        if missing:
            raise ArgumentError(f"{usage}: missing {', '.join(missing)}")
        for name in settings:
            if name not in self.settings:
                raise unknown_name(f"setting of kernel {self.name!r}", name, self.settings)
        for name, default in self.settings.items():
            if default is inspect.Parameter.empty and name not in settings:
                raise ArgumentError(f"{usage}: missing the setting {name!r}")
        return tuple(given[name] for name in self.arguments)

    def __reduce__(self) -> Any:
        module = sys.modules.get(self.function.__module__)
        if module is not None and getattr(module, self.function.__qualname__, None) is self:
            return self.function.__qualname__  # found again by its name, as functions are
        return Kernel, (self.function, self.shapes)

    def __repr__(self) -> str:
        return f"<kernel {self.name}(robot, {', '.join(self.arguments)})>"


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...


@overload
def kernel(**shapes: Shape) -> Callable[[Callable[..., Any]], Kernel]: ...


def kernel(function: Callable[..., Any] | None = None, /, **shapes: Shape) -> Any:
    """Make a function of a robot's state a compiled one; see this module's docstring.

    shapes: of the arguments other than `q`, `v`, `a`, `tau`; those not named are scalars.
    """
    if function is not None:
        if not callable(function):
            raise ArgumentError(f"kernel takes a function, or shapes by name, got {function!r}")
        return Kernel(function, {})
    return lambda inner: Kernel(inner, shapes)


@dataclasses.dataclass(frozen=True)
class Form:
    """How the outputs of a program become what the kernel returned: `rebuild` for the sequence of outputs."""

    rebuild: Callable[[Sequence[Any]], Any]
    alone: bool = False  # a single array, not in a tuple

    @property
    def result(self) -> Callable[[tuple[Any, ...]], Any] | None:
        """What a compiled function applies to its tuple of outputs, if it has one."""
        return None if self.alone else self.rebuild


def _are_names(settings: dict[str, Any]) -> bool:
    """Whether settings can be told apart by equality, as 1 and True cannot."""
    return all(type(value) is str for value in settings.values())


def _static_key(settings: dict[str, Any]) -> Any:
    """A key in which values of different types differ, as `1`, `1.0` and `True` do not."""
    try:
        hash(tuple(settings.items()))
    except TypeError:
        raise ArgumentError(
            f"the settings of a kernel are fixed when it is compiled and must be hashable (numbers, strings, tuples), "
            f"got {settings!r}; pass arrays as arguments with a declared shape"
        ) from None
    return tuple((name, _typed(value)) for name, value in sorted(settings.items()))


def _typed(value: Any) -> Any:
    if isinstance(value, tuple):
        return (type(value), *map(_typed, value))
    return (type(value), repr(value) if isinstance(value, float) else value)


def _compiled(item: Kernel, robot: Robot, settings: dict[str, Any]) -> tuple[Function, Form]:
    if not isinstance(robot, Robot):
        raise ArgumentError(f"kernel {item.name!r}: its first argument must be a floatbase.Robot, got {robot!r}")
    place = (item, _static_key(settings))
    store: dict[Any, tuple[Function, Form]] = robot.kernel_functions
    if place not in store:
        store[place] = _make(item, robot, settings)
    return store[place]


def _make(item: Kernel, robot: Robot, settings: dict[str, Any]) -> tuple[Function, Form]:
    code = fingerprint(item.function, settings)
    key = None
    if code is not None:
        key = cache_key("kernel", code, robot.tree.digest, item.ports(robot))
    cache = default_cache()
    form = _load_form(cache, key)
    doc = item.__doc__ or ""
    if form is None:
        program, description, form = _trace(item, robot, settings)
        if cache is not None and key is not None:
            cache.put(f"form {key}", json.dumps(description).encode())
        function = Function(None, lambda: program, key=key, doc=doc, result=form.result)
    else:
        function = Function(None, lambda: _trace(item, robot, settings)[0], key=key, doc=doc, result=form.result)
    return function, form


def _trace(item: Kernel, robot: Robot, settings: dict[str, Any]) -> tuple[Program, list[Any], Form]:
    ports = item.ports(robot)
    with Graph() as graph:
        arrays = {port.name: symbols(port.name, port.shape) for port in ports}
        if any(port == state_port(robot.tree, "q") for port in ports):
            check_configuration(robot.tree, arrays["q"])
        value = call_with_symbols(partial(item.function, robot, **settings), item.name, arrays)
        outputs, rebuild = flatten(value)
        if not outputs:
            raise TraceError(f"kernel {item.name!r} returns nothing")
        program = extract(graph, item.name, arrays, outputs)
    description = _describe(value, list(outputs))
    return program, description, Form(rebuild, description[0] == "array")


def _describe(value: Any, names: list[str]) -> list[Any]:
    """What a result looks like, in words that a cache can hold."""
    kind = type(value)
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise TraceError(f"the keys of a kernel's result must be strings, got {list(value)}")
        return ["dict", names]
    if dataclasses.is_dataclass(value) or hasattr(value, "_fields"):
        return ["class", names, kind.__module__, kind.__qualname__]
    return ["tuple" if isinstance(value, tuple) else "array", names]


def _load_form(cache: Cache | None, key: str | None) -> Form | None:
    """How to put a result together, as it was when the kernel was traced in an earlier process."""
    data = cache.get(f"form {key}") if cache is not None and key is not None else None
    if data is None:
        return None
    kind, names, *place = json.loads(data)
    if kind == "array":
        return Form(lambda parts: parts[0], True)
    if kind == "tuple":
        return Form(tuple)
    if kind == "dict":
        return Form(lambda parts: dict(zip(names, parts, strict=True)))
    found: Any = sys.modules.get(place[0])
    for part in place[1].split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type) or not set(names) <= set(getattr(found, "__annotations__", {})):
        return None
    return Form(lambda parts: found(**dict(zip(names, parts, strict=True))))
