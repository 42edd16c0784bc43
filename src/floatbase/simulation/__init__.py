"""Physics around the dynamics of a tree: constraints, contacts, joints, suspensions, and steps of time."""

from floatbase.simulation import constraints, contacts, grounds, integration, joints, loop, sensors, suspensions
from floatbase.simulation.adaptive import Flow, Occurrence, flow
from floatbase.simulation.recording import Recording
from floatbase.simulation.running import simulate
from floatbase.simulation.simulator import Simulator, State
from floatbase.simulation.state_sensitivities import StateSensitivities, sensitivities

__all__ = [
    "Flow",
    "Occurrence",
    "Recording",
    "Simulator",
    "State",
    "StateSensitivities",
    "constraints",
    "contacts",
    "flow",
    "grounds",
    "integration",
    "joints",
    "loop",
    "sensitivities",
    "sensors",
    "simulate",
    "suspensions",
]
