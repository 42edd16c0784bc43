"""NVIDIA GPUs: programs as PTX, called with the arrays of the libraries that people use there."""
