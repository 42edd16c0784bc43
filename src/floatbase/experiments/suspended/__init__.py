"""Models of a robot that hangs from a crane, beside the motion of one; a pendulum in four forms."""
