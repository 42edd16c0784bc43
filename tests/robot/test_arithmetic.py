"""Functions that compute in float64 where arrays are float32."""

import pickle

import numpy as np
import pytest

import floatbase as fb


@pytest.fixture(scope="module")
def robot():
    return fb.load("panda")


@pytest.fixture(scope="module")
def function(robot):
    return robot.function(["forward_dynamics", "com"], arithmetic="float64")


def states(robot, rows, dtype="float32"):
    q, v = robot.random(3, n=rows)
    return [np.asarray(array, dtype) for array in (q, v, np.cos(v) * 5)]


@pytest.mark.parametrize("rows", [(), (1,), (3,), (67,)])
def test_results_are_rounded_once(function, robot, rows):
    given = states(robot, rows)
    found, exact = function(*given), function(*(array.astype(float) for array in given))
    for result, wide in zip(found, exact, strict=True):
        assert result.dtype == np.float32 and wide.dtype == np.float64
        np.testing.assert_array_equal(result, wide.astype(np.float32))
    out = tuple(np.zeros_like(result) for result in found)
    assert function(*given, out=out, threads=2) is out
    np.testing.assert_array_equal(out[0], found[0])


def test_results_are_written_to_arrays_of_the_stored_type_alone(function, robot):
    given = states(robot, 5)
    with pytest.raises(fb.errors.ArgumentError, match="must be float32"):
        function(*given, out=(np.zeros((5, robot.nv)), np.zeros((5, 3))))


def test_bad_states_are_explained(function, robot):
    q, v, tau = states(robot, 5)
    v[3, 1] = np.nan
    with pytest.raises(fb.errors.StateError, match=r"'v'.*3"):
        function(q, v, tau)


def test_it_is_kept_when_pickled_and_prepared(function, robot):
    again = pickle.loads(pickle.dumps(function)).prepare(("float32",))
    assert again.arithmetic == "float64"
    given = states(robot, 3)
    np.testing.assert_array_equal(again(*given)[0], function(*given)[0])
    assert robot.function("com") is not robot.function("com", arithmetic="float64")


def test_another_arithmetic_is_refused(robot):
    with pytest.raises(fb.errors.ArgumentError, match="arithmetic must be 'float64' or None"):
        robot.function("com", arithmetic="float32")


def test_a_badly_conditioned_chain_needs_it(tmp_path):
    """Light links carry a heavy load: most digits cancel."""
    urdf = "<robot name='chain'><link name='base'/>"
    masses = [1e-2] * 8 + [1e2]
    for number, mass in enumerate(masses):
        parent = "base" if number == 0 else f"link{number - 1}"
        inertia = mass * 1e-4
        urdf += f"""<link name='link{number}'><inertial><origin xyz='0 0 -0.05'/><mass value='{mass}'/>
            <inertia ixx='{inertia}' iyy='{inertia}' izz='{inertia}' ixy='0' ixz='0' iyz='0'/></inertial></link>
            <joint name='joint{number}' type='continuous'><parent link='{parent}'/><child link='link{number}'/>
            <origin xyz='0 0 -0.1'/><axis xyz='0 1 0'/></joint>"""
    (tmp_path / "chain.urdf").write_text(urdf + "</robot>")
    robot = fb.load(tmp_path / "chain.urdf", floating=False)
    given = states(robot, 200)
    exact = robot.forward_dynamics(*(array.astype(float) for array in given))
    errors = [
        np.max(np.linalg.norm(found - exact, axis=1) / np.linalg.norm(exact, axis=1))
        for found in (robot.forward_dynamics(*given), robot.function("forward_dynamics", arithmetic="float64")(*given))
    ]
    assert errors[0] > 1e-3 and errors[1] < 1e-7
