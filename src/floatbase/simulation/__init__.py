"""Physics around the dynamics of a tree: constraints, contacts, joints, suspensions, and steps of time."""

from floatbase.simulation import constraints, contacts, grounds, joints, suspensions

__all__ = ["constraints", "contacts", "grounds", "joints", "suspensions"]
