"""Physics of joints: friction, drives and their controllers, limits, flexible joints, and laws made of several."""

from floatbase.simulation.joints.composition import Chain, Sum
from floatbase.simulation.joints.controllers import CascadeDrive, PidDrive
from floatbase.simulation.joints.described import described_friction, described_saturation, described_stops
from floatbase.simulation.joints.drives import PositionDrive, TorqueDrive, VelocityDrive
from floatbase.simulation.joints.filters import Delay, Filter, Lag, Quantizer, Saturation
from floatbase.simulation.joints.flexible import FlexibleJoint, SeriesElastic, flexible_deflection
from floatbase.simulation.joints.flexible_models import FlexibleModel, Selectors, selectors, with_flexible_joints
from floatbase.simulation.joints.friction import FrictionLaw, StribeckFriction, ViscousCoulombFriction
from floatbase.simulation.joints.limits import HardStops, SpeedTorqueLimit
from floatbase.simulation.joints.lugre import LuGreFriction
from floatbase.simulation.joints.sampling import Encoder, Sampled
from floatbase.simulation.joints.selection import Selected
from floatbase.simulation.joints.transmission import Coupled, CrossFriction, Geared

__all__ = [
    "CascadeDrive",
    "Chain",
    "Coupled",
    "CrossFriction",
    "Delay",
    "Encoder",
    "Filter",
    "FlexibleJoint",
    "FlexibleModel",
    "FrictionLaw",
    "Geared",
    "HardStops",
    "Lag",
    "LuGreFriction",
    "PidDrive",
    "PositionDrive",
    "Quantizer",
    "Sampled",
    "Saturation",
    "Selected",
    "Selectors",
    "SeriesElastic",
    "SpeedTorqueLimit",
    "StribeckFriction",
    "Sum",
    "TorqueDrive",
    "VelocityDrive",
    "ViscousCoulombFriction",
    "described_friction",
    "described_saturation",
    "described_stops",
    "flexible_deflection",
    "selectors",
    "with_flexible_joints",
]
