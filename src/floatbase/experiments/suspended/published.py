"""Numbers of Rothammer 2021 about the suspended platform, and those it leaves open."""

from __future__ import annotations

SOURCE = "Rothammer 2021, "

# identified from motion capture, chapter 4
MASS, LENGTH = 79.075, 3.4832  # kg, m
MOMENTS = (10.0, 10.0, 14.33)  # kg m^2
STIFFNESS, TORSION = 54589.0, 1903.0  # N/m, N m/rad
DAMPING, TORSION_DAMPING = 435.9, 69.3  # N s/m, N m s/rad

# table 4.1: costs of the rigid and of the compliant pendulum, mean squared norms
COSTS = {
    "passive": (0.0034, 0.0045),
    "constant": (0.0064, 0.0063),
    "sinusoidal": (0.0027, 0.0024),
    "drop": (0.0370, 0.0222),
    "varying": (2.8758, 2.8409),
}
COSTS_SOURCE = SOURCE + "table 4.1, on recorded motion"

# not published: chosen here
HOOK_MASS, HOOK_RADIUS = 5.0, 0.1  # kg, m, a ball
HOOK_LENGTH = 2.0  # m
CORNER_RADIUS, CORNER_HEIGHT = 0.4, 0.1  # m, where three cables are fixed to the platform
