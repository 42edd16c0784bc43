"""Steps of time: on the configuration group, of vectors, and of linear systems."""

from floatbase.simulation.integration.group import coordinate_rate
from floatbase.simulation.integration.linear import DISCRETISATIONS, LinearSystem, discretize, matrix_exponential
from floatbase.simulation.integration.methods import METHODS
from floatbase.simulation.integration.vectors import euler_step, midpoint_step, runge_kutta_step

__all__ = [
    "DISCRETISATIONS",
    "METHODS",
    "LinearSystem",
    "coordinate_rate",
    "discretize",
    "euler_step",
    "matrix_exponential",
    "midpoint_step",
    "runge_kutta_step",
]
