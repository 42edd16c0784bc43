"""How a robot hangs from a crane: rods, compliant cables, one after another or with a hook between, and free cables."""

from floatbase.simulation.suspensions.cables import Cable, Cables, CableState
from floatbase.simulation.suspensions.compliant import CompliantPendulum
from floatbase.simulation.suspensions.compliant_double import CompliantDoublePendulum
from floatbase.simulation.suspensions.rigid import RigidDoublePendulum, RigidPendulum
from floatbase.simulation.suspensions.suspension import Suspension

__all__ = [
    "Cable",
    "CableState",
    "Cables",
    "CompliantDoublePendulum",
    "CompliantPendulum",
    "RigidDoublePendulum",
    "RigidPendulum",
    "Suspension",
]
