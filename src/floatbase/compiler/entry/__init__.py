"""The door between Python and machine code: a built-in function that checks arrays and calls a kernel."""

from floatbase.compiler.entry.binding import Binding, bind, supported

__all__ = ["Binding", "bind", "supported"]
