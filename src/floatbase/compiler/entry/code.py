"""LLVM IR of the built-in entry.

`fb_entry(self, arguments, count, keyword names)` has CPython's `METH_FASTCALL | METH_KEYWORDS` convention. It accepts

* exact NumPy arrays of native float64, or all of native float32, C-contiguous and aligned, of a port's shape, or of
  that shape with one leading batch axis of the same length everywhere;
* Python floats (and numpy.float64) where a port is a scalar;
* `out=`: an array of the exact result's shape (or a tuple of them), writeable, not overlapping anything else;
* `threads=`, handed on with a batch that is worth sharing.

Arrays on a GPU take the route of their form, if there is one yet (`device_ir`).

Everything else, fresh results that are large, kernels that are not compiled yet, and kernels that report a bad state
are handed to the slow path with the same arguments. Large batches, and smaller ones for several threads, are computed
by `large`, which gives up the interpreter lock. It is held otherwise; nothing but `new_array`, `large`, `result` and
the slow path can run Python code, and no kernel is running here then, so one scratch area serves all calls.
"""

from __future__ import annotations

from floatbase.compiler.entry.checks_ir import CHOOSE, ROWS_OF
from floatbase.compiler.entry.device_ir import device_ir
from floatbase.compiler.entry.inputs_ir import INPUTS, begin
from floatbase.compiler.entry.outputs_ir import ALLOCATE, GIVEN
from floatbase.compiler.entry.results_ir import FINISH, RUN, SLOW
from floatbase.compiler.entry.selection_ir import SELECT


def entry_ir(tuple_items: int) -> str:
    """The module's text. `tuple_items` is the offset of the first item in a tuple object of this interpreter."""
    entry = (begin(tuple_items), INPUTS, ALLOCATE, GIVEN, RUN, FINISH, SLOW, "}\n")
    return "".join((CHOOSE, ROWS_OF, device_ir(tuple_items), *entry, SELECT))
