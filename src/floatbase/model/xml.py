"""Reading XML from files that may be malformed or hostile.

Entities, document types and external references are refused (`defusedxml`), sizes, depths and counts are bounded,
and every element remembers its line, so that an error can say where it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from floatbase.errors import RobotFileError

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 64
MAX_ELEMENTS = 5_000_000
MAX_TEXT = 1_000_000


@dataclass(slots=True, eq=False)
class Element:
    """An element, its attributes, its text and its children, with the file and line it came from."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        """The children with a tag, in order."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """The first child with a tag, or None."""
        return next(self.all(tag), None)

    def optional(self, tag: str) -> Element | None:
        """The child with a tag, or None; a second one, which might contradict it, is refused."""
        found = list(self.all(tag))
        if len(found) > 1:
            name = repr(self.attributes["name"]) if "name" in self.attributes else f"of line {self.line}"
            found[1].refuse(f"this is a second <{tag}> in the <{self.tag}> {name}; it takes one at most")
        return found[0] if found else None

    def only(self, tag: str, of: str) -> Element:
        """The child with a tag, of which there must be exactly one."""
        found = list(self.all(tag))
        if len(found) != 1:
            self.refuse(f"{of} has {len(found)} <{tag}> elements; it needs exactly one")
        return found[0]

    def refuse(self, problem: str) -> NoReturn:
        """Raise the error that places a problem at this element."""
        raise RobotFileError(f"{self.file}, line {self.line}: {problem}")

    def attribute(self, name: str, of: str | None = None) -> str:
        """A required attribute, stripped; it must not be empty."""
        value = self.attributes.get(name)
        if value is None:
            given = ", ".join(self.attributes) or "none"
            self.refuse(f"{of or f'<{self.tag}>'} lacks the attribute {name!r} (it has: {given})")
        value = value.strip()
        if not value:
            self.refuse(f"the attribute {name!r} of {of or f'<{self.tag}>'} is empty")
        return value

    def number(self, name: str, default: float | None = None, infinite: bool = False) -> float:
        """An attribute that is one number, finite unless `infinite` allows otherwise."""
        if default is not None and name not in self.attributes:
            return default
        return self.numbers(self.attribute(name), 1, f"the attribute {name!r} of <{self.tag}>", infinite)[0]

    def vector(self, name: str, default: tuple[float, ...] | None = None, size: int = 3) -> tuple[float, ...]:
        """An attribute that is a list of finite numbers separated by blanks."""
        if default is not None and name not in self.attributes:
            return default
        return self.numbers(self.attribute(name), size, f"the attribute {name!r} of <{self.tag}>")

    def numbers(self, text: str, size: int, what: str, infinite: bool = False) -> tuple[float, ...]:
        """Parse blank-separated numbers and check how many there are and that they are finite."""
        words = text.split()
        if len(words) != size:
            self.refuse(f"{what} is {_shorten(text)}; it needs {size} number{'s' * (size > 1)}")
        values = []
        for word in words:
            try:
                value = float(word) if "_" not in word else math.nan
            except ValueError:
                value = math.nan
            if math.isnan(value) or (math.isinf(value) and not infinite):
                self.refuse(f"{what} is {_shorten(text)}, which contains {_shorten(word)}; it needs finite numbers")
            values.append(value)
        return tuple(values)


class _Builder:
    """Receives the parser's events and builds `Element`s, within the limits."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.line: Callable[[], int] = lambda: 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self.file, self.line())
        self.count += 1
        if len(self.open) >= MAX_DEPTH:
            element.refuse(f"elements are nested deeper than {MAX_DEPTH} levels, which no robot file needs")
        if self.count > MAX_ELEMENTS:
            element.refuse(f"there are more than {MAX_ELEMENTS} elements")
        if self.open:
            self.open[-1].children.append(element)
        elif self.root is None:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def data(self, text: str) -> None:
        if self.open:
            element = self.open[-1]
            if len(element.text) > MAX_TEXT:
                element.refuse(f"<{element.tag}> contains more than {MAX_TEXT} characters of text")
            element.text += text

    def close(self) -> Element | None:
        return self.root


def parse_xml(content: bytes, file: str, max_bytes: int = MAX_BYTES) -> Element:
    """The root element of an XML document, or a `RobotFileError` that says what is wrong with it."""
    import defusedxml
    from defusedxml.ElementTree import DefusedXMLParser, ParseError

    if len(content) > max_bytes:
        raise RobotFileError(
            f"{file}: the file has {len(content)} bytes; at most {max_bytes} are read (raise it with max_bytes=)"
        )
    builder = _Builder(file)
    try:
        parser: Any = DefusedXMLParser(target=builder, forbid_dtd=True, forbid_entities=True, forbid_external=True)
        builder.line = lambda: parser.parser.CurrentLineNumber
        parser.feed(content)
        root = parser.close()
    except defusedxml.DTDForbidden:
        raise RobotFileError(f"{file}: document types (<!DOCTYPE ...>) and entities are not allowed") from None
    except defusedxml.DefusedXmlException as error:
        raise RobotFileError(f"{file}: refused as unsafe: {type(error).__name__}") from None
    except ParseError as error:
        unexpanded = " (xacro files must be expanded first: xacro robot.urdf.xacro > robot.urdf)"
        hint = unexpanded if "unbound prefix" in str(error) and b"<xacro:" in content else ""
        raise RobotFileError(f"{file}: not well-formed XML: {error}{hint}") from None
    except RobotFileError:
        raise
    except (ValueError, LookupError) as error:  # an unknown or unusable encoding
        raise RobotFileError(f"{file}: cannot be decoded: {error}") from None
    if not isinstance(root, Element):
        raise RobotFileError(f"{file}: there is no XML element in it")
    return root


def _shorten(text: str, limit: int = 60) -> str:
    return repr(text if len(text) <= limit else text[:limit] + "...")
