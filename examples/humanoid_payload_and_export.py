"""A humanoid described in Python is made heavier on one side, its knees get motors, and it is written as URDF.

Shown is what a payload in the left hand does to the torques that hold a pose, and that the file brings the robot back.
"""

import tempfile
from pathlib import Path

import numpy as np

import floatbase as fb
from floatbase import model

PAYLOAD = 3.0  # kg


def main() -> None:
    humanoid = model.library.parametric_humanoid(mass=45.0, height=1.3)
    loaded = model.attach_payload(humanoid, "l_hand", PAYLOAD, center=(0.0, 0.0, -0.15))
    for knee in ("l_knee", "r_knee"):
        loaded = model.replace_joint(loaded, knee, rotor_inertia=5e-5, gear_ratio=100.0)

    # the base is fixed at the pelvis, so that the joints carry everything
    before, after = (fb.load(item, floating=False) for item in (humanoid, loaded))
    q = before.neutral()
    places = [before.joint_names.index(name) for name in ("l_shoulder_pitch", "l_elbow", "torso_pitch")]
    q[places] = -0.6, -0.9, 0.1
    torques = np.stack([robot.gravity(q) for robot in (before, after)], axis=1)
    print(f"{before.mass:.1f} kg, with payload {after.mass:.1f} kg\n")
    print("joint                 holding torque, N m    with payload")
    for number in np.argsort(-np.abs(torques[:, 1] - torques[:, 0]))[:6]:
        print(f"{before.joint_names[number]:22}{torques[number, 0]:12.3f}{torques[number, 1]:16.3f}")

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "humanoid.urdf")
        model.save_urdf(loaded, file, leave_out=["rotors", "skin"])
        again = fb.load(file, floating=False)
        error = np.abs(again.gravity(q) - after.gravity(q)).max()
        print(f"\n{file.name}: {file.stat().st_size} bytes, read again: torques differ by {error:.1e} N m")


if __name__ == "__main__":
    main()
