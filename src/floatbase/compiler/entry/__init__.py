"""The door between Python and machine code: a built-in function that checks arrays and calls a kernel."""

from floatbase.compiler.entry.binding import Binding, bind, supported
from floatbase.compiler.entry.layout import Batch
from floatbase.compiler.entry.loading import entry_address

__all__ = ["Batch", "Binding", "bind", "entry_address", "supported"]
