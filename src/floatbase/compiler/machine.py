"""LLVM's part: from a module's text to a relocatable object, and from an object to addresses in this process."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Any

from floatbase.compiler.locking import making_code
from floatbase.compiler.target import DType, Target
from floatbase.errors import CompilationError

_numbers = count()


@cache
def _binding() -> Any:
    """llvmlite, made ready; imported late because reading a program or a robot does not need it."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


@cache
def _jit() -> Any:
    binding = _binding()
    machine = binding.Target.from_triple(binding.get_process_triple()).create_target_machine(jit=True)
    # JITLink places all parts of an object within reach of one another; the older linker scatters them where large
    # libraries leave gaps, and aborts the process when they are too far apart.
    return binding.create_lljit_compiler(machine, use_jit_link=True)


def start_llvm() -> None:
    """Load LLVM now rather than at the first call of a function, which may be in a control loop."""
    with making_code:
        _jit()


def compile_object(ir: str, target: Target, lanes: int) -> bytes:
    """The relocatable object of a module; raises `CompilationError` if LLVM refuses it.

    One setting serves any number of lanes: no other measured better for some of them.
    """
    binding = _binding()
    # Level 1 runs as fast as level 2 on straight-line code and compiles in two thirds of the time; it has no second
    # scheduling after register allocation. No global options of LLVM are set: others in this process may use it.
    machine = binding.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=1, reloc="pic", codemodel="small"
    )
    try:
        module = binding.parse_assembly(ir)
        return bytes(machine.emit_object(module))
    except RuntimeError as error:
        raise CompilationError(f"LLVM refuses the module floatbase wrote: {error}") from None


class LoadedCode:
    """Machine code in this process; it stays until this object goes."""

    def __init__(self, name: str, library: Any) -> None:
        self._name = name
        self._trackers = [library]

    def address(self, name: str) -> int:
        """Where a function of the object begins."""
        try:
            tracker = _jit().lookup(self._name, name)
        except RuntimeError:
            raise CompilationError(f"the object has no function {name!r}") from None
        self._trackers.append(tracker)
        return int(tracker[name])


def load_object(data: bytes) -> LoadedCode:
    """Place an object in memory; nothing is compiled."""
    name = f"floatbase_{next(_numbers)}"
    try:
        library = _binding().JITLibraryBuilder().add_object_img(data).link(_jit(), name)
    except RuntimeError as error:
        raise CompilationError(f"machine code of {len(data)} bytes cannot be loaded: {error}") from None
    return LoadedCode(name, library)


def preferred_lanes(target: Target, dtype: DType) -> int:
    """How many states side by side run fastest: as many as a vector register holds, at least 4 (8 in single)."""
    return max(4, target.native_vector_bits // 64) * (1 if dtype == "float64" else 2)
