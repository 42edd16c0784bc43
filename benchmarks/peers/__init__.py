"""One adapter per library.

An adapter is a module with `NAME`, `version()` (raises `ImportError` where the library is not installed), `NOTES` that
a reader of the numbers should know, and `contenders(robot, one, batch, options)`. Those on JAX run on GPUs too; their
`CALLS` are the notes that hold there.
"""
