"""Optimal control by exact sensitivities on the group of states, and the same on Euler angles."""
