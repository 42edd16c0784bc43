"""The folder of a run: what was asked, what each finished step found, the log, and the result that ends it.

Files are written beside their place and moved there, so that a killed process leaves a step done or not done. Arrays
are stored without pickling. A folder belongs to one run and is never written over: it can only be continued, by one
process at a time, with the same settings, seed and code.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import floatbase
from floatbase.errors import ArgumentError

RUN, RESULT, LOG, REPORT = "run.json", "result.json", "log.txt", "report.html"
_LOCK, _STEPS, _SECONDS = ".lock", "steps", "seconds of this step"


class Folder:
    """A locked folder; made by `opened`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, name: str, data: bytes) -> None:
        """Write a file as a whole or not at all."""
        place = self.path / name
        place.parent.mkdir(exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=".", suffix=".part", dir=place.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o644)
            os.replace(temporary, place)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise

    def log(self, text: str) -> None:
        """Add a line to the log."""
        with open(self.path / LOG, "a", encoding="utf-8") as file:
            file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {text}\n")

    def keep(self, step: str, found: Mapping[str, npt.NDArray[Any]], seconds: float) -> None:
        """Store what a step found."""
        data = io.BytesIO()
        arrays: dict[str, Any] = {**found, _SECONDS: np.float64(seconds)}
        np.savez(data, **arrays)
        self.write(f"{_STEPS}/{step}.npz", data.getvalue())

    def recall(self, step: str) -> tuple[dict[str, npt.NDArray[Any]], float] | None:
        """What a step found and how long it took; None if it was not finished, or its file is damaged."""
        try:
            with np.load(self.path / _STEPS / f"{step}.npz", allow_pickle=False) as stored:
                found = {name: stored[name] for name in stored.files}
            return found, float(found.pop(_SECONDS))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            self.log(f"{step}: what is stored is damaged and made again ({error})")
            return None

    @property
    def finished(self) -> bool:
        """Whether the run came to its end."""
        return (self.path / RESULT).exists()


def request(experiment: str, settings: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """What makes a run the run it is."""
    return {
        "experiment": experiment,
        "settings": dict(settings),
        "seed": seed,
        "version": floatbase.__version__,
        "code": _code_digest(),
    }


def read_request(path: Path) -> dict[str, Any]:
    """What the run in a folder was asked."""
    try:
        content = json.loads((path / RUN).read_text(encoding="utf-8"))
        if not (isinstance(content, dict) and isinstance(content["settings"], dict)):
            raise ValueError("it has no settings")
        return {"experiment": str(content["experiment"]), "seed": int(content["seed"]), **content}
    except FileNotFoundError:
        raise ArgumentError(f"{path} holds no run of an experiment: it has no {RUN}") from None
    except (ValueError, TypeError, KeyError) as error:
        raise ArgumentError(f"{path / RUN} is damaged: {error}") from None


def new_folder(name: str, parent: Path = Path("runs")) -> Path:
    """Make a folder for a run, called after it and the time."""
    parent.mkdir(exist_ok=True)
    start = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    for number in range(1, 1000):
        path = parent / (start if number == 1 else f"{start}-{number}")
        with suppress(FileExistsError):
            path.mkdir()
            return path
    raise ArgumentError(f"{parent} holds too many runs that began at once")


@contextmanager
def opened(path: Path, asked: Mapping[str, Any]) -> Iterator[Folder]:
    """A folder to begin, continue or read the run that was asked for."""
    if path.exists() and not path.is_dir():
        raise ArgumentError(f"{path} is not a folder; choose another one for the run")
    if path.is_dir() and not (path / RUN).exists() and any(item.name != _LOCK for item in path.iterdir()):
        raise ArgumentError(f"{path} exists and holds other things than a run; choose another folder")
    path.mkdir(parents=True, exist_ok=True)
    with open(path / _LOCK, "ab") as lock:  # the lock goes with the process, however that ends
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArgumentError(f"another process is at work in {path}") from None
        folder = Folder(path)
        if (path / RUN).exists():
            _check_same(path, read_request(path), asked)
        else:
            folder.write(RUN, (json.dumps(asked, indent=1) + "\n").encode())
        yield folder


def _check_same(path: Path, found: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    for name in ("experiment", "seed"):
        if found[name] != asked[name]:
            raise ArgumentError(f"{path} holds a run with {name} {found[name]!r}, not {asked[name]!r}")
    for name, value in asked["settings"].items():
        if name not in found["settings"] or found["settings"][name] != value:
            raise ArgumentError(
                f"{path} holds a run with {name}={found['settings'].get(name)!r}, not {value!r}; choose another folder"
            )
    if found.get("code") != asked["code"]:
        raise ArgumentError(
            f"{path} holds a run of floatbase {found.get('version')} with other code; what it found cannot be mixed "
            "with new results: choose another folder"
        )


@cache
def _code_digest() -> str:
    """SHA-256 of the package's files."""
    root = Path(floatbase.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(item for item in root.rglob("*") if item.suffix in (".py", ".txt")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
