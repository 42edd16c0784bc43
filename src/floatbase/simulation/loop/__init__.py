"""A plant, sensors, an estimator and a controller on one clock, in our physics or in MuJoCo's."""

from floatbase.simulation.loop.blocks import Block, FunctionBlock, JointControl, Sensing, block
from floatbase.simulation.loop.checkpoints import load_state, save_state
from floatbase.simulation.loop.loop import Loop, LoopState
from floatbase.simulation.loop.mujoco import MujocoPlant, Surface
from floatbase.simulation.loop.plant import Plant
from floatbase.simulation.loop.randomisation import Randomisation
from floatbase.simulation.loop.running import Run, run
from floatbase.simulation.loop.signals import Channel
from floatbase.simulation.loop.simulated import SimulatedPlant

__all__ = [
    "Block",
    "Channel",
    "FunctionBlock",
    "JointControl",
    "Loop",
    "LoopState",
    "MujocoPlant",
    "Plant",
    "Randomisation",
    "Run",
    "Sensing",
    "SimulatedPlant",
    "Surface",
    "block",
    "load_state",
    "run",
    "save_state",
]
