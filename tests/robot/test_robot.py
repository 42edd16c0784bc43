"""What a robot object promises: sizes, names, calls, functions of several quantities, pickling."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest

import floatbase as fb
from floatbase.errors import ArgumentError, ShapeError, StateError, UnknownNameError


@pytest.fixture
def robot(load_robot):
    return load_robot("anymal_c", "mixed")


def test_sizes_and_names(robot):
    assert (robot.nq, robot.nv) == (19, 18)
    assert len(robot.joint_names) == 12
    assert robot.n_bodies == len(robot.body_names) == 13
    assert "LF_FOOT" in robot.frame_names
    assert 40 < robot.mass < 60
    assert "anymal" in repr(robot) and "nv=18" in repr(robot)


def test_neutral_is_within_limits_and_upright(robot):
    q = robot.neutral()
    lower, upper = robot.position_limits
    assert np.all(lower <= q[7:]) and np.all(q[7:] <= upper)
    assert q[3] == 1.0


def test_random_states_have_the_shape_asked_for_and_are_repeatable(robot):
    q, v = robot.random(3, n=(2, 5))
    assert q.shape == (2, 5, 19) and v.shape == (2, 5, 18)
    assert np.allclose(np.linalg.norm(q[..., 3:7], axis=-1), 1)
    assert np.array_equal(q, robot.random(3, n=(2, 5))[0])


def test_the_same_call_serves_one_state_and_any_batch(robot, rng):
    q, v = robot.random(rng, n=(2, 3))
    batch = robot.bias(q, v)
    assert batch.shape == (2, 3, 18)
    for index in np.ndindex(2, 3):
        assert np.array_equal(batch[index], robot.bias(q[index], v[index]))


def test_out_is_filled_and_returned(robot, rng):
    q, _ = robot.random(rng, n=4)
    for state in (q[0], q):
        fresh = robot.mass_matrix(state)
        out = np.empty_like(fresh)
        assert robot.mass_matrix(state, out=out) is out
        assert np.array_equal(out, fresh)


def test_a_method_and_the_function_for_it_give_the_same_bits(robot, rng):
    q, v = robot.random(rng)
    assert np.array_equal(robot.function("bias")(q, v), robot.bias(q, v))


def test_several_quantities_in_one_function(robot, rng):
    q, v = robot.random(rng, n=3)
    together = robot.function(["mass_matrix", "bias", ("jacobian", "LF_FOOT")])
    M, h, J = together(q, v)
    assert np.allclose(M, robot.mass_matrix(q), rtol=1e-13, atol=1e-13)
    assert np.allclose(h, robot.bias(q, v), rtol=1e-12, atol=1e-12)
    assert np.allclose(J, robot.jacobian(q, "LF_FOOT"), atol=1e-14)
    assert together.program.operation_count < sum(
        robot.program(item).operation_count for item in ("mass_matrix", "bias", ("jacobian", "LF_FOOT"))
    )


def test_a_list_of_one_quantity_gives_a_tuple_or_array(robot, rng):
    q, _ = robot.random(rng)
    assert np.array_equal(robot.function("com")(q), robot.com(q))
    assert np.array_equal(robot.function(("pose", "LF_FOOT"))(q), robot.pose(q, "LF_FOOT"))


def test_wrenches_are_extra_arguments_of_a_function(robot, rng):
    q, v = robot.random(rng)
    a, f = rng.standard_normal(18), rng.standard_normal(6)
    function = robot.function("inverse_dynamics", wrenches=("LF_FOOT",))
    assert [port.name for port in function.signature.inputs] == ["q", "v", "a", "wrench_LF_FOOT"]
    direct = robot.inverse_dynamics(q, v, a) - robot.jacobian(q, "LF_FOOT").T @ f
    assert np.allclose(function(q, v, a, f), direct, atol=1e-11)
    assert np.allclose(robot.inverse_dynamics(q, v, a, {"LF_FOOT": f}), direct, atol=1e-11)


def test_symbols_give_expressions(robot, rng):
    q = fb.symbols("q", robot.nq)
    height = robot.com(q)[2]
    program = fb.trace(lambda q: robot.com(q)[2], {"q": robot.nq})
    state, _ = robot.random(rng)
    assert height.shape == () and np.allclose(fb.interpret(program, state)[0], robot.com(state)[2])


def test_pickling_keeps_model_and_settings(robot, rng):
    q, _ = robot.random(rng)
    other = pickle.loads(pickle.dumps(robot))
    assert other.tree.digest == robot.tree.digest
    assert np.array_equal(other.mass_matrix(q), robot.mass_matrix(q))


def test_a_changed_copy_leaves_the_robot_alone(robot, rng):
    q, _v = robot.random(rng)
    moon = robot.with_gravity((0, 0, -1.62))
    assert robot.tree.gravity == (0.0, 0.0, -9.81)
    assert np.allclose(moon.gravity(q) * 9.81, robot.gravity(q) * 1.62, atol=1e-10)
    body = robot.with_representation("body")
    assert body.representation == "body" and robot.representation == "mixed"
    legs = robot.with_joints(robot.joint_names[:6])
    assert legs.nv == 12 and legs.mass == pytest.approx(robot.mass)
    foot = robot.with_base("LF_FOOT")
    assert foot.joint_names == robot.joint_names and foot.mass == pytest.approx(robot.mass)


class TestBadInput:
    def test_frames(self, robot):
        with pytest.raises(UnknownNameError, match="LF_FOOT"):
            robot.jacobian(robot.neutral(), "LF_FOTO")

    def test_quantities(self, robot):
        with pytest.raises(UnknownNameError, match="mass_matrix"):
            robot.function("mass_matrx")
        with pytest.raises(ArgumentError, match="jacobian"):
            robot.function(["jacobian"])
        with pytest.raises(ArgumentError, match="twice"):
            robot.function(["bias", "bias"])

    def test_wrench_on_something_without_forces(self, robot):
        with pytest.raises(ArgumentError, match="no wrench"):
            robot.function("mass_matrix", wrenches=("LF_FOOT",))

    @pytest.mark.parametrize("wrenches", [np.zeros(6), [], 0, "LF_FOOT", [("LF_FOOT", np.zeros(6))]])
    def test_wrenches_without_frames(self, robot, wrenches):
        q, v = robot.random(0)
        for parameters in (None, robot.inertial_parameters):
            with pytest.raises(ArgumentError, match="wrenches must be a mapping of frames to wrenches, got"):
                robot.bias(q, v, wrenches, parameters=parameters)

    @pytest.mark.parametrize("frame", [3, None, ["LF_FOOT"], np.array("LF_FOOT"), b"LF_FOOT"])
    def test_frames_that_are_no_names(self, robot, frame):
        for method in (robot.pose, robot.jacobian):
            with pytest.raises(ArgumentError, match=r"unknown frame|a frame is given by its name"):
                method(robot.neutral(), frame)

    def test_requests_of_a_wrong_kind(self, robot):
        for outputs in (3, None):
            with pytest.raises(ArgumentError, match="outputs must be names of quantities"):
                robot.function(outputs)
        for outputs in ([5], [None], [{}], [()], [b"com"], ("com", 3)):
            with pytest.raises(ArgumentError, match="asked for by its name, or by a tuple that begins with it, got"):
                robot.function(outputs)
        with pytest.raises(ArgumentError, match="unknown frame"):
            robot.function([("jacobian", ["LF_FOOT"])])
        for wrenches in (3, "LF_FOOT", [3], [["LF_FOOT"]]):
            with pytest.raises(ArgumentError, match="wrenches must be a sequence of frame names"):
                robot.function("bias", wrenches=wrenches)
        for n in (-1, 2.5, "x", None):
            with pytest.raises(ArgumentError, match="random: n must be a whole number"):
                robot.random(0, n=n)
        with pytest.raises(ArgumentError, match="rng must be a generator of NumPy or a seed, got 'x'"):
            robot.random("x")
        assert robot.random(0, n=np.int64(3))[0].shape == (3, robot.nq)

    def test_shapes(self, robot):
        with pytest.raises(ShapeError, match=r"q.*19"):
            robot.mass_matrix(np.zeros(18))

    @pytest.mark.parametrize("n", [(), (5,)])
    def test_nan(self, robot, n):
        q, v = robot.random(0, n=n)
        v[..., 4] = np.nan
        with pytest.raises(StateError, match="v"):
            robot.bias(q, v)

    @pytest.mark.parametrize("n", [(), (20,)])
    @pytest.mark.parametrize("factor", [0.0, 1.01, 1.00001])
    def test_quaternions_that_are_not_unit(self, robot, n, factor):
        q, v = robot.random(0, n=n)
        q[..., 3:7] *= factor
        with pytest.raises(StateError, match="unit length"):
            robot.bias(q, v)

    def test_symbols_of_a_wrong_shape(self, robot):
        with pytest.raises(ArgumentError, match="19"):
            robot.com(fb.symbols("q", 18))


def test_a_robot_with_compiled_methods_can_be_collected():
    robot = fb.load("double_pendulum")
    robot.gravity(robot.neutral())
    gone = weakref.ref(robot)
    del robot
    gc.collect()
    assert gone() is None


def test_a_method_that_became_a_built_in_still_takes_everything(robot, rng):
    q, v = robot.random(rng)
    a = np.zeros(robot.nv)
    plain = robot.inverse_dynamics(q, v, a)
    assert type(robot.inverse_dynamics).__name__ == "builtin_function_or_method"
    f = rng.standard_normal(6)
    pushed = robot.inverse_dynamics(q, v, a, {"LF_FOOT": f})
    assert np.allclose(plain - pushed, robot.jacobian(q, "LF_FOOT").T @ f, atol=1e-10)
    assert np.array_equal(robot.inverse_dynamics(list(q), v=v, a=a.astype(int)), plain)
    assert robot.inverse_dynamics(fb.symbols("q", robot.nq), v, a).shape == (robot.nv,)
    assert np.array_equal(robot.inverse_dynamics(q, v, a, wrenches={}), plain)


def test_a_method_of_a_frame_that_became_a_built_in_still_takes_everything(robot, rng):
    q, v = robot.random(rng)
    plain = robot.velocity(q, v, "LF_FOOT")
    assert type(robot.velocity).__name__ == "builtin_function_or_method"
    assert np.array_equal(plain, robot.velocity(q, v, "LF_FOOT"))
    assert np.array_equal(plain, robot.velocity(q, v, "".join(["LF_", "FOOT"])))
    assert np.array_equal(plain, robot.velocity(list(q), v=v, frame="LF_FOOT"))
    assert np.array_equal(plain, robot.velocity(q, v, "LF_FOOT", threads=2, out=np.zeros(6)))
    assert np.allclose(robot.velocity(q, v, "RF_FOOT"), robot.jacobian(q, "RF_FOOT") @ v)
    assert robot.velocity(fb.symbols("q", robot.nq), v, "LF_FOOT").shape == (6,)
    batch = robot.velocity(np.stack([q] * 3), v, "LF_FOOT")
    assert batch.shape == (3, 6) and np.allclose(batch, plain)
    with pytest.raises(ArgumentError, match="LF_FOOT"):
        robot.velocity(q, v, "LF_FOO")
    with pytest.raises(StateError):
        robot.velocity(np.full_like(q, np.nan), v, "LF_FOOT")
    with pytest.raises(TypeError):
        robot.velocity(q, v, "LF_FOOT", 1.0)
    parameters = robot.inertial_parameters
    inertia = robot.operational_space_mobility(q, "LF_FOOT")
    assert np.array_equal(inertia, robot.operational_space_mobility(q, "LF_FOOT"))
    given = robot.operational_space_mobility(q, "LF_FOOT", parameters=parameters)
    assert np.allclose(inertia, given)


def test_nothing_is_made_after_preparing(monkeypatch, rng):
    robot = fb.load("double_pendulum")
    frame = robot.frame_names[-1]
    robot.prepare("mass_matrix", "bias", ("jacobian", frame), wrenches=(frame,), dtypes=("float64", "float32"))
    monkeypatch.setattr("floatbase.compiler.function.Function.load", lambda *_: pytest.fail("a kernel is looked for"))
    monkeypatch.setattr("floatbase.compiler.function.Function.entry", lambda *_: pytest.fail("an entry is made"))
    q, v = robot.random(rng, n=500)
    for dtype in (np.float64, np.float32):
        for state in (q.astype(dtype), q[0].astype(dtype)):
            assert robot.mass_matrix(state).dtype == dtype
            assert robot.jacobian(state, frame).dtype == dtype
        assert robot.bias(q.astype(dtype), v.astype(dtype), {frame: np.zeros(6, dtype)}).dtype == dtype
