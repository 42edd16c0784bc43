"""One adapter per library.

An adapter is a module with `NAME`, `version()` (raises `ImportError` where the library is not installed), `NOTES` that
a reader of the numbers should know, and `contenders(robot, one, batch, options)`.
"""
