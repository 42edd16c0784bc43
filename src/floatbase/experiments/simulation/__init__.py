"""Experiments of the simulation: how integrators conserve, and what soft ground does."""
