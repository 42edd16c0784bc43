"""Plain numeric kinematics of a tree, for tests: no symbols, no compilation."""

import warnings

import numpy as np
from scipy.spatial.transform import Rotation

from floatbase.model import ModelWarning, build_tree, load_named, load_settings


def frame_poses(tree, q_joints):
    """The pose of every frame in the base."""
    base_H_body = [np.eye(4)]
    for body in tree.bodies[1:]:
        joint = body.joint
        motion = joint_motion(joint, q_joints[joint.q_index : joint.q_index + joint.nq])
        if joint.reversed:
            motion = np.linalg.inv(motion)
        base_H_body.append(base_H_body[body.parent] @ joint.parent_H_joint @ motion)
    return {name: base_H_body[body] @ body_H_frame for name, (body, body_H_frame) in tree.frames.items()}


def joint_motion(joint, q):
    """What the table of `TreeJoint` says."""
    motion = np.eye(4)
    if joint.kind in ("spherical", "floating"):
        motion[:3, :3] = Rotation.from_quat(q[-4:], scalar_first=True).as_matrix()
        motion[:3, 3] = q[:3] if joint.kind == "floating" else 0.0
        return motion
    s = q[2] if joint.kind == "planar" else joint.ratio * q[0] + joint.offset
    if joint.kind != "prismatic":
        motion[:3, :3] = Rotation.from_rotvec([0.0, 0.0, s]).as_matrix()
    if joint.kind == "planar":
        motion[:2, 3] = q[:2]
    else:
        motion[2, 3] = {"prismatic": s, "helical": joint.pitch * s, "revolute": 0.0}[joint.kind]
    return motion


def center_of_mass(tree, q_joints):
    """In the base, from the parameters of the bodies."""
    probe = {f"body {number}": (number, np.eye(4)) for number in range(len(tree.bodies))}
    poses = frame_poses(type(tree)(tree.name, tree.bodies, probe, tree.joint_names), q_joints)
    moment = sum(
        body.parameters[0] * poses[f"body {number}"][:3, 3] + poses[f"body {number}"][:3, :3] @ body.parameters[1:4]
        for number, body in enumerate(tree.bodies)
    )
    return moment / tree.mass


def load(name, **settings):
    """A robot of the catalog as a model and a tree, with its settings, silently."""
    defaults = load_settings(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        model = load_named(name)
    return model, build_tree(model, **{**defaults, **settings})
