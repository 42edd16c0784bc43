"""The files that an MJCF file names: included files, meshes, textures, height fields.

They are read by us and handed to MuJoCo as text and bytes, so that MuJoCo itself opens no file. All of them must lie in
one folder (by default that of the file, subfolders included); names that lead out of it are refused, as are entities,
plugins, and more bytes than a robot needs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from floatbase.compiler.files import read_regular
from floatbase.errors import RobotFileError
from floatbase.model.xml import Element, parse_xml

MAX_ASSET_BYTES = 512 * 1024 * 1024  # of all files together
MAX_INCLUDES = 100

_DIRECTORIES = {
    "mesh": "meshdir",
    "hfield": "meshdir",
    "skin": "meshdir",
    "flexcomp": "meshdir",
    "texture": "texturedir",
}


@dataclass(eq=False)
class _Reader:
    """Reads files of one folder, up to a limit."""

    source: Path
    folder: Path
    given: Mapping[str, bytes] | None  # contents by name, instead of files
    found: dict[str, bytes] = field(default_factory=dict)
    size: int = 0

    def read(self, name: str, element: Element) -> bytes:
        """The content of a file named relative to the MJCF file."""
        key = os.path.normpath(name)
        if key not in self.found:
            self.found[key] = self._open(name, element)
            self.size += len(self.found[key])
            if self.size > MAX_ASSET_BYTES:
                element.refuse(f"the files it names have more than {MAX_ASSET_BYTES >> 20} MiB together")
        return self.found[key]

    def _open(self, name: str, element: Element) -> bytes:
        if self.given is not None:
            for key in (name, os.path.normpath(name), os.path.basename(name)):
                if key in self.given:
                    return self.given[key]
            element.refuse(f"the file {name[:200]!r} is not among those given: {', '.join(self.given) or 'none'}")
        try:
            path = (self.source.parent / name).resolve()
            if "\0" in name or not path.is_relative_to(self.folder.resolve()):
                element.refuse(
                    f"the file {name[:200]!r} is outside {self.folder}; "
                    "load_mjcf(path, folder=...) allows a wider folder"
                )
            return read_regular(path, MAX_ASSET_BYTES + 1)
        except RobotFileError:
            raise
        except (OSError, ValueError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or error
            element.refuse(f"the file {name[:200]!r} cannot be read: {reason}")


def gather_files(
    content: bytes, source: Path, folder: Path | None, max_bytes: int, given: Mapping[str, bytes] | None = None
) -> tuple[Element, dict[str, bytes]]:
    """The root element of an MJCF file, and the contents of all files it names, by name relative to it.

    `given`: contents by name, to be used instead of files.
    """
    reader = _Reader(source, folder or source.parent, given)
    root = parse_xml(content, str(source), max_bytes)
    documents = [root]
    for document in documents:
        for element in _elements(document):
            if element.tag in ("plugin", "extension"):
                element.refuse(f"<{element.tag}> is not supported: plugins are code, and are not run")
            if element.tag == "model" and "file" in element.attributes:
                element.refuse("attaching another model is not supported; let MuJoCo write the whole as one file first")
            if element.tag == "include":
                name = element.attribute("file")
                documents.append(parse_xml(reader.read(name, element), str(source.parent / name), max_bytes))
                if len(documents) > MAX_INCLUDES:
                    element.refuse(f"more than {MAX_INCLUDES} files are included")
    settings = {name: value for document in documents for name, value in _compiler_settings(document).items()}
    for document in documents:
        for element in _elements(document):
            for attribute, value in element.attributes.items():
                if attribute.startswith("file") and element.tag != "include" and value.strip():
                    reader.read(_place(element.tag, value.strip(), settings), element)
    return root, reader.found


def _elements(document: Element) -> Iterator[Element]:
    waiting = [document]
    while waiting:
        element = waiting.pop()
        yield element
        waiting.extend(reversed(element.children))


def _compiler_settings(document: Element) -> dict[str, str]:
    settings: dict[str, str] = {}
    for element in _elements(document):
        if element.tag == "compiler":
            if "assetdir" in element.attributes:
                settings["meshdir"] = settings["texturedir"] = element.attributes["assetdir"]
            settings.update(element.attributes)
    return settings


def _place(tag: str, file: str, settings: dict[str, str]) -> str:
    """Where a file is, relative to the MJCF file."""
    if settings.get("strippath") == "true":
        file = os.path.basename(file.replace("\\", "/"))
    return os.path.join(settings.get(_DIRECTORIES.get(tag, ""), ""), file)
