"""The command `python -m floatbase.demo`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from floatbase.errors import FloatbaseError

INTERRUPTED = 130  # the exit status that shells give to an interrupted command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; the exit status is 0 if everything that was checked is right."""
    parser = argparse.ArgumentParser(prog="python -m floatbase.demo", description="load, verify, time and draw iCub")
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder for the pictures (default: demo)")
    parser.add_argument("--quick", action="store_true", help="fewer states and smaller pictures")
    options = parser.parse_args(arguments)
    console = Console()
    try:
        from floatbase.demo.tour import tour

        return 0 if tour(console, options.out, options.quick) else 1
    except KeyboardInterrupt:
        console.print("\ninterrupted; what was compiled is kept")
        return INTERRUPTED
    except (FloatbaseError, OSError) as error:
        console.print(f"[bold red]the demo cannot go on:[/] {type(error).__name__}:", end=" ")
        console.print(str(error), markup=False, highlight=False)
        return 1


if __name__ == "__main__":
    sys.exit(main())
