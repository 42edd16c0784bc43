"""Physics around the dynamics of a tree: constraints, contacts, joints, suspensions, and steps of time."""

from floatbase.simulation import contacts, grounds, joints

__all__ = ["contacts", "grounds", "joints"]
