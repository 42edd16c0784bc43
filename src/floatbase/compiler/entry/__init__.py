"""The door between Python and machine code: a built-in function that checks arrays and calls a kernel."""

from floatbase.compiler.entry.binding import Binding, bind, supported
from floatbase.compiler.entry.loading import entry_address

__all__ = ["Binding", "bind", "entry_address", "supported"]
