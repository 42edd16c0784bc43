"""Laws of contact: points and spheres, rectangular soles, and the exact problem of many contacts with friction."""

from floatbase.simulation.contacts.bristles import BristleContact
from floatbase.simulation.contacts.exact import ContactSolution, contact_bias, project_on_cones, solve_contacts
from floatbase.simulation.contacts.hard import ContactRows, HardContact
from floatbase.simulation.contacts.hunt_crossley import HuntCrossleyContact, restitution
from floatbase.simulation.contacts.points import PointContact, box_corners
from floatbase.simulation.contacts.sole import (
    LinearizedSole,
    SoleDynamics,
    linearized_sole,
    sole_wrench,
    sole_wrench_dynamics,
)
from floatbase.simulation.contacts.sole_contact import SoleContact
from floatbase.simulation.contacts.spring_damper import SpringDamperContact

__all__ = [
    "BristleContact",
    "ContactRows",
    "ContactSolution",
    "HardContact",
    "HuntCrossleyContact",
    "LinearizedSole",
    "PointContact",
    "SoleContact",
    "SoleDynamics",
    "SpringDamperContact",
    "box_corners",
    "contact_bias",
    "linearized_sole",
    "project_on_cones",
    "restitution",
    "sole_wrench",
    "sole_wrench_dynamics",
    "solve_contacts",
]
