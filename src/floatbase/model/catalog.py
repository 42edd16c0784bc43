"""Robots known by name: those that `icub-models` and `example-robot-data` install, and those of our own library.

Nothing is downloaded and nothing is imported: the packages are folders of files, found where wheels and conda packages
put them.
"""

from __future__ import annotations

import re
from pathlib import Path

from floatbase.errors import ArgumentError, RobotFileError, missing_dependency, unknown_name
from floatbase.model.description import Model
from floatbase.model.packages import share_folders
from floatbase.model.read import load_file

_ICUB = "iCub/robots"
_EXAMPLES = "example-robot-data/robots"

# name -> file below example-robot-data/robots
_FILES: dict[str, str] = {
    "a1": "a1_description/urdf/a1.urdf",
    "alex": "alex_description/urdf/alex_nub_hands.urdf",
    "alex_psyonic_hands": "alex_description/urdf/alex_psyonic_hands.urdf",
    "alex_sake_hands": "alex_description/urdf/alex_sake_hands.urdf",
    "alexander_lower_body": "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf",
    "allegro_left": "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "allegro_right": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "anymal_b": "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_b_kinova": "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf",
    "asr_twodof": "asr_twodof_description/urdf/TwoDofs.urdf",
    "b1": "b1_description/urdf/b1.urdf",
    "b1_z1": "b1_description/urdf/b1-z1.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "bolt": "bolt_description/robots/bolt.urdf",
    "borinot": "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "centauro": "centauro_description/urdf/centauro.urdf",
    "double_pendulum": "double_pendulum_description/urdf/double_pendulum.urdf",
    "double_pendulum_continuous": "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "double_pendulum_simple": "double_pendulum_description/urdf/double_pendulum_simple.urdf",
    "finger_edu": "finger_edu_description/robots/finger_edu.urdf",
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "g1_with_hands": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "go1": "go1_description/urdf/go1.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "hector": "hector_description/robots/quadrotor_base.urdf",
    "hextilt": "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "human": "human_description/robots/human.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "icub_heidelberg": "icub_description/robots/icub.urdf",
    "icub_heidelberg_reduced": "icub_description/robots/icub_reduced.urdf",
    "iris": "iris_description/robots/iris.urdf",
    "iris_simple": "iris_description/robots/iris_simple.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "laikago": "laikago_description/urdf/laikago.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "panda_collision": "panda_description/urdf/panda_collision.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "quadruped": "quadruped_description/urdf/quadruped.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "romeo_laas_small": "romeo_description/urdf/romeo_laas_small.urdf",
    "romeo_small": "romeo_description/urdf/romeo_small.urdf",
    "simple_humanoid": "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "simple_humanoid_classical": "simple_humanoid_description/urdf/simple_humanoid_classical.urdf",
    "so100": "so_arm_description/urdf/so100.urdf",
    "so101": "so_arm_description/urdf/so101.urdf",
    "solo8": "solo_description/robots/solo.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "talos_box": "talos_data/robots/talos_full_v2_box.urdf",
    "talos_left_arm": "talos_data/robots/talos_left_arm.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "talos_reduced_box": "talos_data/robots/talos_reduced_box.urdf",
    "talos_reduced_corrected": "talos_data/robots/talos_reduced_corrected.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "tiago_dual": "tiago_description/robots/tiago_dual.urdf",
    "tiago_no_hand": "tiago_description/robots/tiago_no_hand.urdf",
    "tiago_pro": "tiago_pro_description/robots/tiago_pro.urdf",
    "ur3": "ur_description/urdf/ur3_robot.urdf",
    "ur3_gripper": "ur_description/urdf/ur3_gripper.urdf",
    "ur3_limited": "ur_description/urdf/ur3_joint_limited_robot.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "ur5_gripper": "ur_description/urdf/ur5_gripper.urdf",
    "ur5_limited": "ur_description/urdf/ur5_joint_limited_robot.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "ur10_limited": "ur_description/urdf/ur10_joint_limited_robot.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf",
}

# names of functions of `floatbase.model.library`, which describe robots in Python
LIBRARY = (
    "humanoid_31_links",
    "mitsubishi_rv2sq",
    "nine_joint_tree",
    "parametric_humanoid",
    "pendulum",
    "planar_double_pendulum",
    "quadrotor_with_arm",
    "spherical_pendulum",
    "staubli_tx40",
    "suspended_manipulator",
    "ur5_dh",
)

# what the packages have in a form that is not read
REFUSED = {"cassie": "its files are in SDF, which is not read; load a URDF or MJCF file of it by its path"}

# files below example-robot-data/robots that are no robots, though they are named like some
NOT_ROBOTS = {
    "hector_description/robots/quadrotor_base.urdf.xacro": "the macro that `hector` is made of, before its expansion",
    "hector_description/robots/quadrotor_base.xacro": "what expands that macro; the result is `hector`",
    "ur_description/urdf/ur3.urdf": "an empty robot, without links; `ur3` is ur3_robot.urdf beside it",
}

# arms, hands and pendulums: what people bolt to a table
_FIXED_BASE = re.compile(
    r"allegro_.*|asr_twodof|baxter|double_pendulum.*|finger_edu|kinova|panda.*|so10[01]|talos_left_arm|"
    r"ur\d+.*|xarm7|z1|left_(hand|wrist)_.*|"
    r"mitsubishi_rv2sq|pendulum|planar_double_pendulum|spherical_pendulum|staubli_tx40|suspended_manipulator"
)

# files with faults that are errors in anybody else's file
_FAULTS: dict[str, dict[str, bool]] = {
    "alex_psyonic_hands": {"free_mimic": True},  # fingers mimic joints that do not exist
    "icubnancy01": {"allow_nonphysical": True},  # tensors of the ankles
    "romeo": {"allow_massless": True},  # the hands have no mass
    "romeo_laas_small": {"allow_massless": True, "allow_nonphysical": True},  # indefinite tensors of trunk and hips
    "romeo_small": {"allow_nonphysical": True},  # tensors of the right arm
}


def robots() -> tuple[str, ...]:
    """The names of the robots that can be loaded, sorted: installed files, and those described in Python."""
    return tuple(sorted({*_installed(), *LIBRARY}))


def load_named(name: str, allow_nonphysical: bool | None = None) -> Model:
    """The model of a robot known by name; `allow_nonphysical` is by default as `load_settings` says."""
    if not isinstance(name, str):
        raise ArgumentError(f"a robot is found by its name, got {name!r}")
    wanted = name.strip().lower()
    if wanted in LIBRARY:
        from floatbase.model import library

        described: Model = getattr(library, wanted)()
        return described
    if allow_nonphysical is None:
        allow_nonphysical = load_settings(name).get("allow_nonphysical", False)
    return load_file(find(name), allow_nonphysical)


def find(name: str) -> Path:
    """The file of a robot, by its name as `robots` lists it or by its folder's name in `icub-models`, in any case."""
    if not isinstance(name, str):
        raise ArgumentError(f"a robot is found by its name, got {name!r}")
    wanted = name.strip().lower()
    if wanted in LIBRARY:
        raise ArgumentError(f"the robot {name!r} is described in Python and has no file; load it by its name")
    wanted = _icub_name(wanted) if wanted.startswith("icubgazebov") else wanted
    if wanted in _FILES:  # without listing every folder: this is on the way of every load
        for folder in _folders(_EXAMPLES):
            if (folder / _FILES[wanted]).is_file():
                return folder / _FILES[wanted]
    installed = _installed()
    if wanted in installed:
        return installed[wanted]
    if not installed or wanted in _FILES or wanted.startswith("icub"):
        package, there = ("example-robot-data", _EXAMPLES) if wanted in _FILES else ("icub-models", _ICUB)
        if not _folders(there):
            raise missing_dependency(package, "robots", f"the robot {name!r}")
    if wanted in REFUSED:
        raise RobotFileError(f"the robot {name!r} cannot be loaded: {REFUSED[wanted]}")
    raise unknown_name("robot", name, robots())


def load_settings(name: str) -> dict[str, bool]:
    """How a robot known by name is loaded unless the user says otherwise.

    Keyword arguments of `build_tree`: always `floating`, which is False for arms, hands and pendulums; and for a few
    robots the switch that accepts a known fault of their file (`allow_nonphysical` concerns `load_urdf` as well).
    """
    key = name.strip().lower()
    return {"floating": _FIXED_BASE.fullmatch(key) is None, **_FAULTS.get(key, {})}


def _installed() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in _folders(_EXAMPLES):
        for name, file in _FILES.items():
            if name not in found and (folder / file).is_file():
                found[name] = folder / file
    for folder in _folders(_ICUB):
        for entry in sorted(folder.iterdir()):
            model = entry / "model.urdf"
            if model.is_file():
                found.setdefault(_icub_name(entry.name.lower()), model)
    return found


def _folders(below: str) -> list[Path]:
    folders = (share / below for share in share_folders())
    return [folder for folder in folders if folder.is_dir()]


def _icub_name(folder: str) -> str:
    """`icubgazebov2_5_kit_007` becomes `icub2.5_kit_007`; version 2.7 is plainly `icub`; other names stay."""
    name = re.sub(r"^icubgazebov(\d+)_(\d+)", r"icub\1.\2", folder)
    return "icub" if name == "icub2.7" else name
