"""How a robot hangs from a crane: rods, compliant cables, one after another or with a hook between, and free cables."""

from floatbase.simulation.suspensions.cables import Cable, Cables, CableState
from floatbase.simulation.suspensions.compliant import CompliantPendulum, SpringLaw
from floatbase.simulation.suspensions.compliant_double import CompliantDoublePendulum
from floatbase.simulation.suspensions.dynamics import SuspendedMotion, suspended_acceleration, suspended_velocity
from floatbase.simulation.suspensions.hanging_robot import HangingRobot, hang
from floatbase.simulation.suspensions.propellers import Allocation, Propellers
from floatbase.simulation.suspensions.reconstruction import Hook, Reconstruction, reconstruct_hook, reconstruct_robot
from floatbase.simulation.suspensions.rigid import RigidDoublePendulum, RigidPendulum
from floatbase.simulation.suspensions.suspension import FrameSuspension, Suspension

__all__ = [
    "Allocation",
    "Cable",
    "CableState",
    "Cables",
    "CompliantDoublePendulum",
    "CompliantPendulum",
    "FrameSuspension",
    "HangingRobot",
    "Hook",
    "Propellers",
    "Reconstruction",
    "RigidDoublePendulum",
    "RigidPendulum",
    "SpringLaw",
    "SuspendedMotion",
    "Suspension",
    "hang",
    "reconstruct_hook",
    "reconstruct_robot",
    "suspended_acceleration",
    "suspended_velocity",
]
