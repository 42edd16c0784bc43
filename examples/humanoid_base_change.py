"""Which link is the base is a choice: iCub seen from its trunk and from its left foot.

Between the two stands a change of variables, `v_foot = T v_trunk`, under which the mass matrix is `T^-T M T^-1`. What
is physical does not change. A wrench on the base is not: if the motion needs one at the trunk, holding the foot instead
takes other torques in the joints between them. Torques of motors alone are the same from every base.
"""

import numpy as np

import floatbase as fb
from floatbase.spatial import quaternion_from_rotation


def main() -> None:
    trunk = fb.load("icub")
    foot = trunk.with_base("l_foot")
    rng = np.random.default_rng(1)
    q, v = trunk.random(rng)
    a = rng.standard_normal(trunk.nv)

    # the same motion, written from the foot
    change = trunk.change_of_base(q, v, "l_foot")
    there = place(q, trunk.pose(q, "l_foot"))
    v_there, a_there = change.velocity(v), change.acceleration(v, a)

    tau, tau_there = trunk.inverse_dynamics(q, v, a), foot.inverse_dynamics(there, v_there, a_there)
    M, M_there = trunk.mass_matrix(q), foot.mass_matrix(there)
    rows = {
        "velocity of r_hand": (trunk.velocity(q, v, "r_hand"), foot.velocity(there, v_there, "r_hand")),
        "mass matrix, transformed": (change.mass_matrix(M), M_there),
        "forces, transformed": (change.force(tau), tau_there),
        "kinetic energy": (trunk.kinetic_energy(q, v), foot.kinetic_energy(there, v_there)),
        "power of all forces": (tau @ v, tau_there @ v_there),
        "centroidal momentum": (trunk.centroidal_momentum(q, v), foot.centroidal_momentum(there, v_there)),
    }
    print(f"{'':26}  difference between the two bases, relative")
    for name, (one, two) in rows.items():
        print(f"{name:26}{np.abs(np.asarray(one) - two).max() / np.abs(two).max():14.0e}")

    differ = np.abs(tau - tau_there)[6:] > 1e-6
    names = [name for name, other in zip(trunk.joint_names, differ, strict=True) if other]
    moments = [np.linalg.norm(force[3:6]) for force in (tau, tau_there)]
    print(f"\nmoment that the base must be given: {moments[0]:.1f} N m at the trunk, {moments[1]:.1f} N m at the foot")
    print(f"joints whose torques differ: {', '.join(names)}")

    without = np.concatenate([np.zeros(6), tau[6:]])  # nothing but motors acts on the robot
    print(f"a robot that only its motors move: {np.abs(change.force(without) - without).max():.0e} N m of difference")


def place(q: np.ndarray, world_H_base: np.ndarray) -> np.ndarray:
    """The configuration with the base at a pose."""
    return np.concatenate([world_H_base[:3, 3], quaternion_from_rotation(world_H_base[:3, :3]), q[7:]])


if __name__ == "__main__":
    main()
