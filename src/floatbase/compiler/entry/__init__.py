"""The door between Python and machine code: a built-in function that checks arrays and calls a kernel."""

from floatbase.compiler.entry.binding import Binding, Place, bind, supported
from floatbase.compiler.entry.layout import Batch, Routes
from floatbase.compiler.entry.loading import entry_address, select_address
from floatbase.compiler.entry.selector import Selection

__all__ = ["Batch", "Binding", "Place", "Routes", "Selection", "bind", "entry_address", "select_address", "supported"]
