"""The mathematics of a tree of rigid bodies, one algorithm in each file.

Every function takes a `Tree` and arrays of numbers, with any leading batch axes, or of symbols.
"""

from floatbase.algorithms.acceleration import acceleration
from floatbase.algorithms.bias import bias, gravity
from floatbase.algorithms.center_of_mass import com, com_jacobian, com_velocity, total_mass
from floatbase.algorithms.configuration import difference, difference_derivatives, integrate, integrate_derivatives
from floatbase.algorithms.energy import kinetic_energy, potential_energy
from floatbase.algorithms.forward_dynamics import forward_dynamics
from floatbase.algorithms.inverse_dynamics import inverse_dynamics
from floatbase.algorithms.jacobian import jacobian
from floatbase.algorithms.jacobian_rate import jacobian_rate
from floatbase.algorithms.mass_matrix import mass_matrix
from floatbase.algorithms.pose import pose
from floatbase.algorithms.velocity import velocity

__all__ = [
    "acceleration",
    "bias",
    "com",
    "com_jacobian",
    "com_velocity",
    "difference",
    "difference_derivatives",
    "forward_dynamics",
    "gravity",
    "integrate",
    "integrate_derivatives",
    "inverse_dynamics",
    "jacobian",
    "jacobian_rate",
    "kinetic_energy",
    "mass_matrix",
    "pose",
    "potential_energy",
    "total_mass",
    "velocity",
]
