"""Physics around the dynamics of a tree: constraints, contacts, joints, suspensions, and steps of time."""

from floatbase.simulation import joints

__all__ = ["joints"]
