"""What robots stand on: shapes of the ground, and how soft it is from place to place."""

from floatbase.simulation.grounds.flat import Flat, Slope
from floatbase.simulation.grounds.height_field import HeightField
from floatbase.simulation.grounds.softness import Checker, Softness, SoftnessMap, Stripes, Uniform
from floatbase.simulation.grounds.stairs import Stairs
from floatbase.simulation.grounds.textured import TexturedGround

__all__ = [
    "Checker",
    "Flat",
    "HeightField",
    "Slope",
    "Softness",
    "SoftnessMap",
    "Stairs",
    "Stripes",
    "TexturedGround",
    "Uniform",
]
