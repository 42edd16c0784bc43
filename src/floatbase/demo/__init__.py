"""A first look at floatbase: `python -m floatbase.demo` loads iCub, prints, verifies, times and draws it."""
