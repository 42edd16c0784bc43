"""MuJoCo as a plant."""

from floatbase.simulation.loop.mujoco.contact_forces import Surface
from floatbase.simulation.loop.mujoco.plant import MujocoPlant, MujocoState

__all__ = ["MujocoPlant", "MujocoState", "Surface"]
