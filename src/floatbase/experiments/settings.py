"""Settings of an experiment: a frozen dataclass whose fields have types, help and limits that values must obey."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from floatbase.errors import ArgumentError, unknown_name

RESERVED = frozenset(("seed", "out", "jobs", "console"))  # arguments of `run`
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def option(default: Any, help: str, *, minimum: float | None = None, maximum: float | None = None) -> Any:
    """A field of settings: its default, what it means, and the limits of its values."""
    return field(default=default, metadata={"help": help, "minimum": minimum, "maximum": maximum})


@dataclass(frozen=True)
class Option:
    """One setting, as `floatbase list NAME` shows it."""

    name: str
    kind: str
    default: Any
    help: str


def check_class(settings: type[Any]) -> None:
    """Refuse, when an experiment is defined, what could not be set or stored."""
    if not (is_dataclass(settings) and vars(settings)["__dataclass_params__"].frozen):
        raise ArgumentError(f"{settings.__name__} must be a frozen dataclass")
    for item in fields(settings):
        if item.name in RESERVED:
            raise ArgumentError(f"a setting cannot be called {item.name!r}, which is an argument of run")
        if "help" not in item.metadata:
            raise ArgumentError(f"setting {item.name!r} must be made by option(default, help)")
        _convert(item, _types(settings)[item.name], item.default, text=False)


def options(settings: type[Any]) -> list[Option]:
    """All settings of a class."""
    types = _types(settings)
    return [Option(item.name, _kind(types[item.name]), item.default, _help(item)) for item in fields(settings)]


def make(settings: type[Any], values: Mapping[str, Any], *, text: bool = False) -> Any:
    """Settings with some values replaced, each checked; `text`: values come from a command line."""
    types, known = _types(settings), {item.name: item for item in fields(settings)}
    for name in values:
        if name not in known:
            raise unknown_name("setting", name, known)
    return settings(**{name: _convert(known[name], types[name], value, text) for name, value in values.items()})


def assignments(pairs: list[str]) -> dict[str, str]:
    """Names and texts of `key=value`."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise ArgumentError(f"--set {pair!r} is not of the form key=value")
        if name.strip() in found:
            raise ArgumentError(f"--set {name.strip()} is given twice")
        found[name.strip()] = value.strip()
    return found


def _types(settings: type[Any]) -> dict[str, Any]:
    return get_type_hints(settings)


def _kind(kind: Any) -> str:
    return " | ".join(map(str, get_args(kind))) if get_origin(kind) is Literal else str(kind.__name__)


def _help(item: Field[Any]) -> str:
    low, high = item.metadata["minimum"], item.metadata["maximum"]
    if low is None and high is None:
        return str(item.metadata["help"])
    limits = f"{low} to {high}" if None not in (low, high) else f"at least {low}" if high is None else f"at most {high}"
    return f"{item.metadata['help']} ({limits})"


def _convert(item: Field[Any], kind: Any, value: Any, text: bool) -> Any:
    wrong = ArgumentError(f"setting {item.name} is {value!r}; it must be {_wanted(item, kind)}")
    if text:
        value = _parse(kind, value, wrong)
    if get_origin(kind) is Literal:
        if value not in get_args(kind) or isinstance(value, bool):
            raise wrong
        return value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind not in (bool, int, float, str):
        raise ArgumentError(f"setting {item.name} is declared {kind!r}; it must be bool, int, float, str or Literal")
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise wrong
    low, high = item.metadata["minimum"], item.metadata["maximum"]
    if isinstance(value, float) and not math.isfinite(value):
        raise wrong
    if (low is not None and value < low) or (high is not None and value > high):
        raise wrong
    return value


def _parse(kind: Any, text: str, wrong: ArgumentError) -> Any:
    try:
        if kind is bool:
            if text.lower() in _TRUE + _FALSE:
                return text.lower() in _TRUE
            raise wrong
        if kind in (int, float):
            return kind(text)
    except ValueError:
        raise wrong from None
    if get_origin(kind) is Literal:
        return next((choice for choice in get_args(kind) if str(choice) == text), text)
    return text


def _wanted(item: Field[Any], kind: Any) -> str:
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    wanted = "one of " + ", ".join(map(repr, get_args(kind))) if get_origin(kind) is Literal else names.get(kind, "")
    low, high = item.metadata["minimum"], item.metadata["maximum"]
    limits = [f"at least {low}"] * (low is not None) + [f"at most {high}"] * (high is not None)
    return ", ".join([wanted, *limits])
