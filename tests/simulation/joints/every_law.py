"""One law of each kind for three joints, and a state in which none of its kinks is near."""

import numpy as np

from floatbase.simulation.joints import (
    CascadeDrive,
    Chain,
    Coupled,
    CrossFriction,
    Delay,
    Encoder,
    FlexibleJoint,
    Geared,
    HardStops,
    Lag,
    LuGreFriction,
    PidDrive,
    PositionDrive,
    Quantizer,
    Sampled,
    Saturation,
    Selected,
    SeriesElastic,
    SpeedTorqueLimit,
    StribeckFriction,
    Sum,
    TorqueDrive,
    VelocityDrive,
    ViscousCoulombFriction,
)

POSITION_DRIVE = PositionDrive((30.0, 40.0, 50.0), (3.0, 4.0, 5.0), drive_gain=1.5)
CASCADE = CascadeDrive((4.0, 5.0, 6.0), 2.0, integral=3.0, velocity_limit=2.0, torque_limit=20.0)
PID = PidDrive((30.0, 40.0, 50.0), 7.0, 2.0, filter_time=0.01, integral_limit=3.0, torque_limit=25.0)
LUGRE = LuGreFriction((1.0, 2.0, 3.0), (2.0, 3.0, 4.0), 0.05, 1e3, bristle_damping=2.0, viscous=0.5)
STRIBECK = StribeckFriction((0.1, 0.2, 0.3), 1.0, (1.5, 2.0, 2.5), 0.1, width=0.02)

LAWS = {
    "viscous and Coulomb": ViscousCoulombFriction((1.0, 2.0, 3.0), (0.5, 0.6, 0.7), 0.1),
    "Stribeck": STRIBECK,
    "LuGre": LUGRE,
    "pair": CrossFriction(((0, 2), (1, 2)), (0.2, 0.1), 0.3, width=0.05),
    "torque drive": TorqueDrive((1.0, 2.0, 3.0), 0.1),
    "velocity drive": VelocityDrive((1.0, 2.0, 3.0), 2.0),
    "position drive": POSITION_DRIVE,
    "PID": PID,
    "cascade": CASCADE,
    "stops": HardStops(-0.2, (0.1, 0.2, 0.3), 1e3, 50.0, depth=0.05),
    "motor": SpeedTorqueLimit((5.0, 6.0, 7.0), 0.5, 4.0),
    "flexible": FlexibleJoint((100.0, 200.0, 300.0), 2.0, 0.1),
    "series elastic": SeriesElastic(POSITION_DRIVE, (500.0, 600.0, 700.0), 0.2, 3.0, 0.4),
    "delay": Delay(2, 0.25),
    "lag": Lag((0.0, 0.01, 0.1)),
    "quantizer": Quantizer(0.0),
    "saturation": Saturation((0.5, 10.0, 20.0)),
    "encoder": Encoder(POSITION_DRIVE, (1e-3, 1e-2, 0.0), delay=1),
    "sampled": Sampled(Encoder(PID, 1e-3), 3),
    "geared": Geared(LUGRE, (2.0, 3.0, 4.0)),
    "coupled": Coupled(STRIBECK, np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.2, 0.0, 1.0]])),
    "coupled drive": Coupled(POSITION_DRIVE, np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.4], [0.2, 0.0, 1.0]])),
    "selected": Selected(LuGreFriction((1.0, 2.0), 3.0, 0.1, 1e3), (2, 0)),
    "selected drive": Selected(VelocityDrive((1.0, 2.0)), (1, 2)),
    "chain of loops": Chain((Delay(1), POSITION_DRIVE, TorqueDrive(0.5), Saturation(1e3), SpeedTorqueLimit(1e3, 8, 9))),
    "velocity loop": Chain((Geared(TorqueDrive(), (1.0, 2.0, 3.0)), SeriesElastic(TorqueDrive(), 300.0, 0.1))),
    "robot": Sum(
        (
            Chain((Delay(1, 0.5), Encoder(CASCADE, 1e-4), Delay(1), Quantizer(0.01), Saturation(15.0))),
            LUGRE,
            HardStops(-2.0, 2.0, 1e3, 10.0),
        )
    ),
}


def state(law, n=None, seed=0):
    """A command, positions, velocities and a memory (n, ...) a few steps after the beginning."""
    rng = np.random.default_rng(seed)
    shape = (3,) if n is None else (n, 3)
    position, velocity = 0.4 * rng.standard_normal(shape), rng.standard_normal(shape)
    command = rng.standard_normal((*shape[:-1], law.command_size(3)))
    memory = law.begin(position, velocity)
    for _ in range(4):
        memory = law.sample(command, position, velocity, memory, 0.01)
        position, velocity = position + 0.01 * velocity, velocity + 0.01 * rng.standard_normal(shape)
        memory = law.remember(command, position, velocity, memory, 0.01)
    memory = law.sample(command, position, velocity, memory, 0.01)
    return command, position, velocity, memory
