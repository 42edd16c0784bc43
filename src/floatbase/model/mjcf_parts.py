"""Shapes, sensors and keyframes of a compiled MuJoCo model."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from floatbase.model.description import Configuration, Geometry, Sensor
from floatbase.model.mjcf_names import Names
from floatbase.model.poses import Array, inverse, position_quaternion, shift

_COORDINATES = (7, 4, 1, 1)  # in the order of mjtJoint: free, ball, slide, hinge
_ANCHORED = (1, 3)  # ball and hinge in mjtJoint turn about a point of the body
_VISIBLE_GROUPS = 3  # of the six groups of shapes MuJoCo's viewer shows the first three, and collision shapes go last

# sensors that stand at a site: MuJoCo's name -> ours
SITE_SENSORS = {
    "accelerometer": "accelerometer",
    "gyro": "gyroscope",
    "magnetometer": "magnetometer",
    "velocimeter": "velocimeter",
    "rangefinder": "rangefinder",
    "touch": "contact",
    "force": "force",
    "torque": "torque",
}


def geometries(
    mujoco: ModuleType, m: Any, body: int, source: Path | None
) -> tuple[tuple[Geometry, ...], tuple[Geometry, ...]]:
    """Visuals and collisions of a body."""
    visuals: list[Geometry] = []
    collisions: list[Geometry] = []
    first = int(m.body_geomadr[body])
    for geom in range(first, first + int(m.body_geomnum[body])):
        shapes = _shapes(mujoco, m, geom, source)
        if m.geom_group[geom] < _VISIBLE_GROUPS:
            visuals += shapes
        if m.geom_contype[geom] or m.geom_conaffinity[geom]:
            collisions += shapes
    return tuple(visuals), tuple(collisions)


def _shapes(mujoco: ModuleType, m: Any, geom: int, source: Path | None) -> list[Geometry]:
    """What a geom becomes; a capsule is a cylinder and two spheres, other shapes that we do not have are nothing."""
    kinds, kind = mujoco.mjtGeom, mujoco.mjtGeom(int(m.geom_type[geom]))
    link_H_geom = position_quaternion((*m.geom_pos[geom], *m.geom_quat[geom]))
    material = int(m.geom_matid[geom])
    red, green, blue, alpha = (float(c) for c in (m.mat_rgba[material] if material >= 0 else m.geom_rgba[geom]))
    color = (red, green, blue, alpha)
    x, y, z = (float(entry) for entry in m.geom_size[geom])
    if kind == kinds.mjGEOM_SPHERE:
        return [Geometry("sphere", (x,), link_H_geom, color=color)]
    if kind == kinds.mjGEOM_BOX:
        return [Geometry("box", (2 * x, 2 * y, 2 * z), link_H_geom, color=color)]
    if kind in (kinds.mjGEOM_CYLINDER, kinds.mjGEOM_CAPSULE):
        cylinder = Geometry("cylinder", (x, 2 * y), link_H_geom, color=color)
        ends = [Geometry("sphere", (x,), link_H_geom @ shift((0, 0, side * y)), color=color) for side in (-1, 1)]
        return [cylinder, *ends] if kind == kinds.mjGEOM_CAPSULE else [cylinder]
    if kind == kinds.mjGEOM_MESH:
        return _mesh(m, int(m.geom_dataid[geom]), link_H_geom, color, source)
    return []


def _mesh(
    m: Any, mesh: int, link_H_geom: Array, color: tuple[float, float, float, float], source: Path | None
) -> list[Geometry]:
    """A mesh file where it was before MuJoCo moved its vertices to its principal axes."""
    if m.mesh_pathadr[mesh] < 0:
        return []
    uri = m.paths[int(m.mesh_pathadr[mesh]) :].split(b"\0", 1)[0].decode("utf-8", "replace")
    file_H_geom = position_quaternion((*m.mesh_pos[mesh], *m.mesh_quat[mesh]))
    path = os.path.join(source.parent, uri) if source is not None else uri
    scale = tuple(float(factor) for factor in m.mesh_scale[mesh])
    return [Geometry("mesh", scale, link_H_geom @ inverse(file_H_geom), path, uri, color)]


def sensors(mujoco: ModuleType, m: Any, names: Names, first: int) -> tuple[Sensor, ...]:
    """Sensors at sites of bodies from `first` on, and cameras.

    A force and a torque sensor at one site are one force/torque sensor, named after the force sensor. They measure in
    the frame of the site, which is on the child, and report what the parent exerts on it.
    """
    found: list[Sensor] = []
    kinds = {number: site_sensor_kind(mujoco, m, number) for number in range(m.nsensor)}
    torques = {int(m.sensor_objid[number]): number for number, kind in kinds.items() if kind == "torque"}
    forces = {int(m.sensor_objid[number]) for number, kind in kinds.items() if kind == "force"}
    for number, kind in kinds.items():
        site = int(m.sensor_objid[number])
        if kind is None or m.site_bodyid[site] < first or (kind == "torque" and site in forces):
            continue
        kind = "force_torque" if kind == "force" and site in torques else kind
        wrench = kind in ("force", "torque", "force_torque")
        body = int(m.site_bodyid[site])
        found.append(
            Sensor(
                names.sensor(number),
                kind,
                link=names.link(body),
                joint=_joint_above(m, body, names) if wrench else None,
                link_H_sensor=position_quaternion((*m.site_pos[site], *m.site_quat[site])),
                frame="sensor" if wrench else None,
                direction="parent_to_child" if wrench else None,
                settings={"noise": float(m.sensor_noise[number]), "cutoff": float(m.sensor_cutoff[number])},
            )
        )
    for camera in range(m.ncam):
        if m.cam_bodyid[camera] >= first:
            link_H_camera = position_quaternion((*m.cam_pos[camera], *m.cam_quat[camera]))
            settings = {"fovy": float(m.cam_fovy[camera])}
            link = names.link(int(m.cam_bodyid[camera]))
            found.append(Sensor(names.camera(camera), "camera", link, None, link_H_camera, settings=settings))
    return tuple(found)


def site_sensor_kind(mujoco: ModuleType, m: Any, number: int) -> str | None:
    """Our kind of a sensor that stands at a site, None for other sensors."""
    name = mujoco.mjtSensor(int(m.sensor_type[number])).name.removeprefix("mjSENS_").lower()
    at_site = int(m.sensor_objtype[number]) == int(mujoco.mjtObj.mjOBJ_SITE)
    return SITE_SENSORS.get(name) if at_site else None


def _joint_above(m: Any, body: int, names: Names) -> str:
    """The joint that ends at a body: its last one, unless that leaves off beside the body's origin."""
    numbers = range(int(m.body_jntadr[body]), int(m.body_jntadr[body] + m.body_jntnum[body]))
    anchored = [number for number in numbers if m.jnt_type[number] in _ANCHORED]
    beside = bool(anchored) and m.jnt_pos[anchored[-1]].any()
    return names.fixed_joint(body) if beside or not numbers else names.joint(numbers[-1])


def configurations(m: Any, names: Names, first: int) -> tuple[Configuration, ...]:
    """The keyframes; the pose of a floating base is that of its free joint."""
    result = []
    for key in range(m.nkey):
        values = {}
        for number in range(m.njnt):
            start = int(m.jnt_qposadr[number])
            entries = m.key_qpos[key][start : start + _COORDINATES[int(m.jnt_type[number])]]
            values[number] = tuple(float(entry) for entry in entries)
        root = values.pop(int(m.body_jntadr[1])) if first else None
        joints = {names.joint(number): entries for number, entries in values.items()}
        result.append(Configuration(names.key(key), joints, root))
    return tuple(result)


def dropped_shapes(mujoco: ModuleType, m: Any, first: int) -> dict[str, int]:
    """How many shapes of each kind are not part of the model."""
    counts: dict[str, int] = {}
    for geom in range(m.ngeom):
        if m.geom_bodyid[geom] < first:
            counts["shapes of the world"] = counts.get("shapes of the world", 0) + 1
        elif not _shapes(mujoco, m, geom, None):
            kind = mujoco.mjtGeom(int(m.geom_type[geom])).name.removeprefix("mjGEOM_").lower()
            counts[f"shapes of kind {kind}"] = counts.get(f"shapes of kind {kind}", 0) + 1
    return dict(sorted((name, int(np.int64(count))) for name, count in counts.items()))
