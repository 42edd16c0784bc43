"""Where the meshes that a robot file names are: `package://`, `model://`, `file://` and relative paths.

Packages are looked for among the directories above the robot file, below the folders of `ROS_PACKAGE_PATH`,
`GAZEBO_MODEL_PATH`, `GZ_SIM_RESOURCE_PATH` and (in `share/`) `AMENT_PREFIX_PATH`, and in the `share` folders that
wheels and conda packages install. A name is only resolved to a file that exists inside the package it names: a path
that climbs out with `..` stays as it is written. Nothing is read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

Resolver = Callable[[str], str]


def resolver(source: Path | None) -> Resolver:
    """A function from a mesh's name, as written in the file `source`, to a path; unresolved names come back unchanged.

    Names are looked up in the order: beside and above the file, then the environment's folders.
    """
    folders = _folders_of(source)
    packages: dict[str, list[Path]] = {}

    def resolve(name: str) -> str:
        if "\0" in name:
            return name
        scheme, separator, rest = name.partition("://")
        if not separator:
            scheme, rest = "", name
        try:
            if scheme in ("package", "model"):
                package, _, path = rest.lstrip("/").partition("/")
                if package not in packages:
                    packages[package] = _package_folders(package, folders)
                found = (_inside(base, path) for base in packages[package])
                return next((path for path in found if path is not None), name)
            if scheme == "file":
                return rest if os.path.isfile(rest) else name
            if scheme == "" and not os.path.isabs(rest):
                found = (_inside(folder, rest) for folder in folders)
                return next((path for path in found if path is not None), name)
            if scheme == "" and os.path.isfile(rest):
                return rest
        except (OSError, ValueError):  # names that are too long, or that cannot be encoded for the file system
            return name
        return name

    return resolve


def share_folders() -> list[Path]:
    """The `share` folders of this Python environment: of wheels, of cmeel's wheels, of conda and of ROS workspaces."""
    folders = [Path(sys.prefix, "share")]
    for entry in filter(None, sys.path):
        path = Path(entry)
        if path.name in ("site-packages", "dist-packages"):
            folders.append(path / "cmeel.prefix" / "share")
            folders.extend(above / "share" for above in path.parents[1:3])
    workspaces = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    folders.extend(Path(entry, "share") for entry in filter(None, workspaces))
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def _folders_of(source: Path | None) -> list[Path]:
    """The folder of a file, and the one it is in if it is reached through symbolic links, as in ROS workspaces."""
    if source is None:
        return []
    try:
        return list(dict.fromkeys((source.absolute().parent, source.resolve().parent)))
    except (OSError, RuntimeError):  # the working directory is gone, or links form a circle
        return []


def _package_folders(package: str, folders: list[Path]) -> list[Path]:
    """The folders that a package name may mean, existing ones only."""
    if not package or package in (".", ".."):
        return []
    candidates: list[Path] = []
    for folder in folders:
        for above in (folder, *folder.parents):
            if above.name == package:
                candidates.append(above)
            candidates.append(above / package)
    for variable in ("ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH"):
        for entry in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            root = Path(entry)
            if root.name == package:
                candidates.append(root)
            candidates.append(root / package)
    candidates.extend(share / package for share in share_folders())
    return [candidate for candidate in candidates if candidate.is_dir()]


def _inside(base: Path, path: str) -> str | None:
    """The file `path` below `base` if there is one; `..` does not lead out of `base`, but symbolic links may."""
    full = os.path.normpath(os.path.join(base, path))
    inside = full.startswith(os.path.join(os.path.normpath(base), ""))
    return full if inside and os.path.isfile(full) else None
