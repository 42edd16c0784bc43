"""A program compiled for this machine, called with arrays.

`Function(...)(q, v, a)` takes one state or a batch, allocates or fills `out=`, and raises an error that names the
argument when something is wrong. `Function.fast` is the built-in function behind it, for loops in which every hundred
nanoseconds count: it is called in the same way and falls back on the same Python code.

Nothing is traced, lowered or compiled before it is needed, and nothing that the cache on disk has.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cache as memoize
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from floatbase.compiler import format as program_format
from floatbase.compiler.arrays import as_rows, batch_shape, convert, order_arguments, prepare_outputs
from floatbase.compiler.artifact import (
    Artifact,
    Record,
    Signature,
    compile_artifact,
    load_artifact,
    load_program,
    load_record,
    store_artifact,
    store_program,
    store_record,
)
from floatbase.compiler.cache import Cache, default_cache
from floatbase.compiler.entry import Batch, Binding, Place, Routes, bind, entry_address, supported
from floatbase.compiler.execution import (
    LOOP_ROWS,
    SECONDS_PER_OPERATION,
    SHARED_SECONDS,
    Kernel,
    Ports,
    Table,
    run_batch,
    run_rows,
)
from floatbase.compiler.explanation import explain
from floatbase.compiler.gpu.libraries import on_device
from floatbase.compiler.locking import making_code
from floatbase.compiler.program import Program, check_program
from floatbase.compiler.replaying import evaluate_expressions
from floatbase.compiler.sharing import sharing_code
from floatbase.compiler.symbol_arrays import casadi_arrays, is_symbolic, refuse_output
from floatbase.compiler.target import Arithmetic, DType, Target, known_dtypes
from floatbase.compiler.threads import check_threads, get_threads
from floatbase.errors import CompilationError, ProgramError

if TYPE_CHECKING:
    from floatbase.compiler.gpu.function import DeviceFunction

__all__ = ["Function", "Signature", "compile_program"]

DEFAULT: Final = "default"
_LOCKED_SECONDS = 2e-4  # a batch that takes longer gives up the interpreter lock


@memoize
def host_target() -> Target:
    """The processor of this process."""
    return Target.host()


class _Called:
    """An object that is called as what its `__call__` holds: Python finds that without running a function."""

    __slots__ = ("__call__",)


class _CallSignature:
    """What `inspect` says of the call of an object, which has no function of that name."""

    def __get__(self, instance: Any, owner: type) -> inspect.Signature | None:
        return None if instance is None else inspect.signature(instance.answer)


class Function(_Called):
    """A program compiled for this machine, called with arrays.

    signature: names and shapes of inputs and outputs, or None to take them from the cache or the program.
    source: makes the program; called only if the cache does not have what is needed.
    key: stands for everything that determines the program, see `cache_key`; None if there is no such thing.
    cache: where compiled code is kept; None for nowhere.
    result: applied to the tuple of outputs, for instance a dataclass's constructor; outputs come in a tuple then,
        and `out` is one.
    arithmetic: "float64" to compute in that whatever the type of the arrays; by default in the type of the arrays.
    """

    def __init__(
        self,
        signature: Signature | None,
        source: Callable[[], Program],
        *,
        key: str | None = None,
        cache: Cache | Literal["default"] | None = DEFAULT,
        doc: str = "",
        result: Callable[[tuple[Any, ...]], Any] | None = None,
        arithmetic: Arithmetic = None,
    ) -> None:
        self.arithmetic = arithmetic
        self._given = signature
        self._source = source
        self._key = key
        self._cache_choice = cache
        self._result = result
        self._kernels: dict[tuple[DType, int], Kernel] = {}
        self._bindings: list[Binding] = []
        self._own_program: Program | None = None
        self._own_record: Record | None = None
        self._fast: Callable[..., Any] | None = None
        self._on_gpu: DeviceFunction | None = None
        self.routes = Routes()  # for the built-in functions, filled by calls with arrays on a GPU
        self.__doc__ = doc
        self._answer_with(lambda *arrays, **keywords: self._bind()(*arrays, **keywords))

    def __repr__(self) -> str:
        signature = self.signature
        inputs = ", ".join(f"{port.name}{list(port.shape)}" for port in signature.inputs)
        outputs = ", ".join(f"{port.name}{list(port.shape)}" for port in signature.outputs)
        return f"<Function {signature.name}({inputs}) -> ({outputs})>"

    __signature__ = _CallSignature()

    if TYPE_CHECKING:

        def __call__(self, *arrays: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
            """Compute the outputs.

            arrays: one for each input, of shape `(*batch, *shape)`; batch axes broadcast against each other.
            out: an array of the result's shape and dtype to write to (a tuple if there are several outputs), which is
                returned. Its content is undefined after an error.
            threads: how many threads share the rows of a batch; by default what `set_threads` says.

            Symbols, or CasADi's expressions, of the inputs' shapes give expressions, in the same form.
            """

    def __reduce__(self) -> tuple[Any, ...]:
        data = program_format.dumps(self.program)
        return _restore, (self._given, data, self._key, self.__doc__, self._result, self.arithmetic)

    @property
    def fast(self) -> Callable[..., Any]:
        """The built-in function: same arguments, same results, least overhead."""
        return self._fast or self._bind()

    @property
    def cache(self) -> Cache | None:
        """Where compiled code is kept."""
        return default_cache() if self._cache_choice == DEFAULT else self._cache_choice

    @property
    def signature(self) -> Signature:
        """Names and shapes of inputs and outputs, and what the guards say."""
        return self._given if self._given is not None else self._record.signature

    @property
    def program(self) -> Program:
        """The program itself."""
        with making_code:
            if self._own_program is None:
                record = self._own_record or load_record(self.cache, self._key)
                stored = load_program(self.cache, record.digest) if record is not None else None
                program = self._source() if stored is None else stored
                self._own_program = self._checked(program)
            return self._own_program

    def prepare(self, dtypes: Iterable[str] = ("float64",), batch: bool = True, gpu: int | None = None) -> Function:
        """Compile ahead, so that no later call does: for one state, and for batches if `batch` is set.

        gpu: the number of a GPU to compile for in place of this processor; any number of states is one program there.
        """
        if gpu is not None:
            self.on_gpu.prepare(gpu, dtypes)
            self._bind()
            return self
        for dtype, lanes in self.variants(dtypes, batch):
            self.kernel(dtype, lanes)
        self._bind()
        if batch:
            sharing_code()
        return self

    def variants(self, dtypes: Iterable[str], batch: bool) -> list[tuple[DType, int]]:
        """The types and numbers of lanes of the kernels that serve these types of arrays."""
        kinds = dict.fromkeys(self.arithmetic or dtype for dtype in known_dtypes(dtypes))
        return [(kind, lanes) for kind in kinds for lanes in ((1, batch_lanes(kind)) if batch else (1,))]

    def kernel(self, dtype: DType, lanes: int) -> Kernel:
        """The machine code for a type and number of lanes: loaded, or else compiled."""
        with making_code:
            if not self.load(dtype, lanes):
                self.adopt(dtype, lanes, compile_artifact(self.program, dtype, lanes, host_target()))
            return self._kernels[dtype, lanes]

    def load(self, dtype: DType, lanes: int) -> bool:
        """Whether the kernel is there, after loading it from the cache if that has it."""
        with making_code:
            if (dtype, lanes) in self._kernels:
                return True
            artifact = load_artifact(self.cache, self._record.digest, dtype, lanes, host_target())
            if artifact is None:
                return False
            try:
                self._install(dtype, lanes, artifact)
            except CompilationError:  # compiled anew, and replaced
                return False
            return True

    def adopt(self, dtype: DType, lanes: int, artifact: Artifact) -> None:
        """Use machine code compiled from this function's program, and keep it in the cache."""
        with making_code:
            self._install(dtype, lanes, artifact)
            store_artifact(self.cache, self._record.digest, dtype, lanes, host_target(), artifact)

    def entry(self, fallback: Callable[..., Any], place: Place | None = None) -> Callable[..., Any] | None:
        """Another built-in function that hands whatever it does not serve itself to `fallback`.

        `fallback` gets the same arguments; it may call this function, or `general`. `place`: where the function is
        found, if that is not in the place of `fallback`. None where the interpreter or the ports rule a built-in out.
        """
        signature = self.signature
        inputs, outputs = signature.inputs, signature.outputs
        with making_code:
            address = entry_address(self.cache) if supported(inputs, outputs) else None
            if address is None:
                return None
            doc = self.__doc__ or ""
            large = self._compute_large
            binding = bind(
                address, signature.name, doc, inputs, outputs, fallback, self._result, self, large, place, self.routes
            )
            seconds = max(self._record.operations, 1) * SECONDS_PER_OPERATION
            locked, shared = (max(int(limit / seconds), LOOP_ROWS) for limit in (_LOCKED_SECONDS, SHARED_SECONDS))
            binding.set_limits(LOOP_ROWS, locked, shared)
            for (dtype, lanes), kernel in self._kernels.items():
                binding.set_kernel(dtype, lanes, kernel.address, kernel.scratch)
            self._bindings.append(binding)
            return binding.function

    def _bind(self) -> Callable[..., Any]:
        """The built-in function, or the Python one where the built-in cannot serve."""
        with making_code:
            if self._fast is None:
                self._fast = self.entry(self.answer, Place(self, "fast")) or self.answer
                self._answer_with(self._fast)
            return self._fast

    def _answer_with(self, call: Callable[..., Any]) -> None:
        _Called.__call__.__set__(self, call)  # type: ignore[attr-defined]

    @property
    def record(self) -> Record:
        """What is known of the program without having it."""
        return self._record

    @property
    def result(self) -> Callable[[tuple[Any, ...]], Any] | None:
        """What is applied to the tuple of outputs."""
        return self._result

    @property
    def _record(self) -> Record:
        if self._own_record is not None:
            return self._own_record
        with making_code:
            record = load_record(self.cache, self._key)
            if record is None or self._given not in (None, record.signature):
                program = self._own_program = self._checked(self._source())
                record = Record.of(program)
                store_program(self.cache, program)
                store_record(self.cache, self._key, record)
            self._own_record = record
            return record

    def _checked(self, program: Program) -> Program:
        if self._given is not None and Signature.of(program) != self._given:
            raise ProgramError(f"the program has the signature {Signature.of(program)}; it must be {self._given}")
        return program

    def _install(self, dtype: DType, lanes: int, artifact: Artifact) -> None:
        from floatbase.compiler.machine import load_object

        code = load_object(artifact.code)
        kernel = Kernel.at(code.address("fb_one" if lanes == 1 else "fb_batch"), lanes, artifact.scratch, code)
        self._kernels[dtype, lanes] = kernel
        for binding in self._bindings:
            binding.set_kernel(dtype, lanes, kernel.address, kernel.scratch)

    def answer(self, *arrays: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
        """What `fast` does, for any arguments: symbols and CasADi's expressions give expressions."""
        values = (*arrays, *named.values()) if named else arrays
        if on_device(values):
            return self.on_gpu.call(order_arguments(self.signature, arrays, named), out)
        if not is_symbolic(*values) and not casadi_arrays(*values):
            return self.general(*arrays, out=out, threads=threads, **named)
        signature = self.signature
        refuse_output(signature.name, out)
        results = evaluate_expressions(self.program, order_arguments(signature, arrays, named))
        if self._result is not None:
            return self._result(results)
        return results if len(results) != 1 else results[0]

    def general(self, *arrays: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
        """What `fast` does, for any arguments that are numbers, with explanations."""
        signature = self.signature
        values = order_arguments(signature, arrays, named)
        count = get_threads() if threads is None else check_threads(threads)
        dtype, converted = convert(signature, values)
        batch = batch_shape(signature, converted)
        packs = self._result is not None or len(signature.outputs) != 1
        stored, dtype = dtype, self.arithmetic or dtype
        converted = [array.astype(dtype, copy=False) for array in converted]
        inputs = [as_rows(array, batch, port.shape) for array, port in zip(converted, signature.inputs, strict=True)]
        results, outputs = prepare_outputs(signature, out, batch, stored, packs, inputs)
        if dtype != stored:
            outputs = [as_rows(np.empty(batch + port.shape, dtype), batch, port.shape) for port in signature.outputs]
        rows = prod(batch)
        if rows:
            ports = Ports(inputs, outputs)
            kernel = self.kernel(dtype, 1 if rows <= LOOP_ROWS else batch_lanes(dtype))
            status = run_rows(ports, kernel, rows, self._record.operations, count)
            if status:
                raise explain(signature, converted, batch, ports, kernel, status)
        for result, computed in zip(results, outputs, strict=True):
            if result is not computed.array:
                result[...] = computed.array
        return self._deliver(results, out, packs)

    @property
    def on_gpu(self) -> DeviceFunction:
        """The same program on GPUs: called for arrays that are there."""
        if self._on_gpu is None:
            from floatbase.compiler.gpu.function import DeviceFunction

            self._on_gpu = DeviceFunction(self)
        return self._on_gpu

    def _compute_large(self, address: int, threads: int | None) -> int:
        """Compute a batch that the built-in function has checked, without the interpreter lock; its status bits."""
        count = get_threads() if threads is None else check_threads(threads)
        batch = Batch.from_address(address)
        dtype: DType = "float32" if batch.single else "float64"
        kernel = self._kernels[dtype, batch_lanes(dtype)]
        signature = self.signature
        inputs, outputs = len(signature.inputs), len(signature.outputs)
        table = Table(batch.addresses, batch.strides, inputs, inputs + outputs)
        return run_batch(table, kernel, batch.rows, self._record.operations, count)

    def _deliver(self, results: list[np.ndarray[Any, Any]], out: Any, packs: bool) -> Any:
        if out is not None:
            return out if self._result is None else self._result(out)
        values = [array if array.ndim else array[()] for array in results]
        if not packs:
            return values[0]
        return tuple(values) if self._result is None else self._result(tuple(values))


def compile_program(program: Program, doc: str = "") -> Function:
    """A program, for instance one read from a file, as a function that is compiled for this machine when it is called.

    Needs NumPy and llvmlite alone: this is how a program made elsewhere runs on board.
    """
    check_program("compile_program", program)
    return Function(None, lambda: program, doc=doc)


@memoize
def batch_lanes(dtype: DType) -> int:
    """How many states the batch kernels of this machine run at once."""
    from floatbase.compiler.machine import preferred_lanes

    return int(preferred_lanes(host_target(), dtype))


def _restore(
    signature: Signature | None,
    data: bytes,
    key: str | None,
    doc: str,
    result: Callable[[tuple[Any, ...]], Any] | None,
    arithmetic: Arithmetic,
) -> Function:
    """A function from its pickled form."""
    source = partial(program_format.loads, data)
    return Function(signature, source, key=key, doc=doc, result=result, arithmetic=arithmetic)
