"""`python -m floatbase.cli` is the command `floatbase`."""

from floatbase.cli.application import main

main()
