import warnings

import numpy as np
import pytest

import floatbase as fb
from floatbase.errors import ModelError
from floatbase.model import Inertia, Joint, Link, Model, ModelWarning, build_tree
from floatbase.model.inertia import check_inertias, consistency, inertia_from_parameters, link_parameters
from floatbase.model.poses import pose


def skew(a):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def random_inertia(rng):
    """Of a cloud of points, so that a density exists."""
    points, masses = rng.normal(size=(12, 3)), rng.uniform(0.1, 1.0, 12)
    center = masses @ points / masses.sum()
    tensor = sum(-m * skew(r - center) @ skew(r - center) for m, r in zip(masses, points, strict=True))
    return Inertia(float(masses.sum()), center, tensor)


def spatial(parameters):
    m, h, (xx, xy, xz, yy, yz, zz) = parameters[0], parameters[1:4], parameters[4:]
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.block([[m * np.eye(3), -skew(h)], [skew(h), tensor]])


def test_parameters_follow_the_change_of_frame_of_spatial_inertias(rng):
    for _ in range(5):
        inertia = random_inertia(rng)
        a_H_b = pose(rng.normal(size=3), rng.normal(size=3))
        R, o = a_H_b[:3, :3], a_H_b[:3, 3]
        b_X_a = np.block([[R.T, -R.T @ skew(o)], [np.zeros((3, 3)), R.T]])  # twists, linear first
        expected = b_X_a.T @ spatial(link_parameters(inertia, np.eye(4))) @ b_X_a
        np.testing.assert_allclose(spatial(link_parameters(inertia, a_H_b)), expected, atol=1e-12)


def test_parameters_and_inertia_are_inverse_to_one_another(rng):
    inertia = random_inertia(rng)
    again = inertia_from_parameters(link_parameters(inertia, np.eye(4)))
    assert again.mass == inertia.mass
    np.testing.assert_allclose(again.center, inertia.center, atol=1e-14)
    np.testing.assert_allclose(again.tensor, inertia.tensor, atol=1e-13)


def test_no_mass_no_center():
    assert inertia_from_parameters(np.zeros(10)).mass == 0.0
    with pytest.raises(ModelError, match="no centre of mass"):
        inertia_from_parameters(np.array([0.0, 1.0, *np.zeros(8)]))


def test_realisable_means_a_positive_semidefinite_pseudo_inertia(rng):
    for scale in (0.5, 0.99, 1.01, 2.0):
        inertia = Inertia(1.0, rng.normal(size=3), np.diag([1.0, 1.0, 2.0 * scale]))
        m, h, tensor = 1.0, inertia.center, spatial(link_parameters(inertia, np.eye(4)))[3:, 3:]
        pseudo = np.block([[np.trace(tensor) / 2 * np.eye(3) - tensor, h[:, None]], [h[None], np.full((1, 1), m)]])
        consistent, realisable = consistency([inertia])
        assert consistent.all()
        assert realisable.all() == (np.linalg.eigvalsh(pseudo).min() > 0)


def one(inertia):
    return Model("one", (Link("a", inertia),), ())


@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        (Inertia(-0.1, np.zeros(3), np.eye(3)), "link 'a': mass -0.1 kg"),
        (Inertia(1.0, np.zeros(3), np.diag([1.0, 1.0, -0.01])), "symmetric and positive semidefinite"),
        (Inertia(1.0, np.zeros(3), np.eye(3) + np.triu(np.ones((3, 3)), 1) / 9), "symmetric"),
        (Inertia(np.nan, np.zeros(3), np.eye(3)), "the inertia of link 'a' is not finite"),
        (Inertia(1.0, np.full(3, np.inf), np.eye(3)), "the inertia of link 'a' is not finite"),
    ],
)
def test_impossible_inertias_name_the_link(inertia, message):
    with pytest.raises(ModelError, match=message):
        check_inertias(one(inertia), "model 'one'")


def test_numbers_that_are_not_finite_cannot_be_allowed():
    with pytest.raises(ModelError, match="not finite"):
        check_inertias(one(Inertia(1.0, np.zeros(3), np.full((3, 3), np.nan))), "model 'one'", allow_nonphysical=True)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("tensor", [np.zeros((3, 3)), np.diag([0, 1.0, 1.0]), np.diag([1e-20, -1e-20, 0])])
def test_points_rods_and_rounded_zeros_are_fine(tensor):
    check_inertias(one(Inertia(1.0, np.zeros(3), tensor)), "model 'one'")


def test_what_is_merged_decides_over_indefinite_tensors():
    links = (Link("a", Inertia(1.0, np.zeros(3), np.eye(3))), Link("b", Inertia(1e-6, np.zeros(3), -1e-8 * np.eye(3))))
    fixed = Joint("j", "fixed", "a", "b", pose((1, 0, 0), (0, 0, 1)))
    with pytest.warns(ModelWarning, match="inertia of b"):
        check_inertias(Model("m", links, (fixed,)), "model 'm'")
    with pytest.raises(ModelError, match="link 'b'"):
        check_inertias(Model("m", links, (Joint("j", "revolute", "a", "b", np.eye(4)),)), "model 'm'")


def two_links(flat, joint="fixed"):
    """A sound link, and one whose moment about z exceeds the sum of the others by `flat`."""
    sound = Inertia(5.0, np.zeros(3), np.diag([0.2, 0.2, 0.2]))
    plate = Inertia(1.0, np.zeros(3), np.diag([0.1, 0.1, 0.2 + flat]))
    links = (Link("sound", sound), Link("plate", plate))
    return Model("m", links, (Joint("j", joint, "sound", "plate", np.eye(4)),))


def test_a_body_that_no_density_gives_is_refused_with_its_links_and_the_switch():
    model = two_links(0.05, joint="revolute")
    with pytest.raises(ModelError, match=r"body that contains link 'plate'.*allow_nonphysical=True"):
        build_tree(model)
    with pytest.raises(ModelError, match="no mass density"):
        fb.load(model, floating=False)
    assert len(build_tree(model, allow_nonphysical=True).bodies) == 2
    assert fb.load(model, allow_nonphysical=True).mass == 6.0


@pytest.mark.parametrize(("flat", "joint"), [(0.05, "fixed"), (0.001, "revolute"), (0.0, "revolute")])
def test_merged_links_and_rounding_are_made_good(flat, joint):
    assert build_tree(two_links(flat, joint)).mass == 6.0


def test_the_margin_is_one_percent_of_the_second_moments():
    # principal moments (1, 1, 2 + x) have second moments (1 + x/2, 1 + x/2, -x/2), of sum 2 + x/2
    def tree(x):
        center = np.array([0.3, -0.2, 0.1])
        return build_tree(one(Inertia(1.0, center, np.diag([1.0, 1.0, 2.0 + x]))))

    assert tree(0.040).mass == 1.0
    with pytest.raises(ModelError, match="no mass density"):
        tree(0.041)


def test_allowing_what_is_not_physical_still_warns():
    with pytest.warns(ModelWarning, match=r"^model 'one': no density gives the inertia of a$"):
        check_inertias(one(Inertia(-1.0, np.zeros(3), np.eye(3))), "model 'one'", allow_nonphysical=True)


def test_a_file_is_warned_of_once_and_at_the_line_that_loads_it(tmp_path):
    tensor = '<inertia ixx="1" iyy="1" izz="2.01" ixy="0" ixz="0" iyz="0"/>'
    links = "".join(f'<link name="l{i}"><inertial><mass value="1"/>{tensor}</inertial></link>' for i in range(9))
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/><axis xyz="0 0 2"/></joint>'
        for i in range(8)
    )
    file = tmp_path / "r.urdf"
    file.write_text(f'<robot name="r">{links}{joints}</robot>')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fb.load(file).with_base("l3")
    texts = sorted(str(item.message).removeprefix(str(file)) for item in caught)
    assert texts == [
        ", line 1: the axis of joint 'j0' has length 2; it was normalised (and those of 7 more joints)",
        ": no density gives the inertia of l0, l1, l2, l3, l4, l5 and 3 more",
    ]
    assert {item.filename for item in caught} == {__file__}
    assert all(item.category is fb.ModelWarning for item in caught)


def test_moments_without_a_mass_are_a_warning_that_names_them():
    """Files of iCubs that are in use have them: they must be read, and their dynamics computed."""
    rotor = Inertia(0.0, np.zeros(3), 0.1 * np.eye(3))
    links = Link("a", random_inertia(np.random.default_rng(0))), Link("b", rotor)
    model = Model("m", links, (Joint("j", "revolute", "a", "b", np.eye(4)),))
    with pytest.warns(ModelWarning, match=r"^model 'm': no density gives the inertia of b$"):
        check_inertias(model, "model 'm'")
    robot = fb.load(model)
    assert robot.mass_matrix(robot.neutral())[6, 6] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("mass", "moment", "message"),
    [
        (1e300, 1.0, r"the mass of body 'a' is 1e\+300 kg; it must be zero, or from 1e-30 to 1e\+30"),
        (1e-320, 0.1, r"the mass of body 'a' is 9\.99989e-321 kg"),
        (1.0, 1e200, r"the largest moment of inertia of body 'a' is 1e\+200 kg m\^2"),
        (1.0, 1e-200, "the largest moment of inertia of body 'a' is 1e-200"),
    ],
)
def test_extreme_numbers_are_refused(mass, moment, message):
    for allow in (False, True):
        with pytest.raises(ModelError, match=message):
            fb.load(one(Inertia(mass, np.zeros(3), moment * np.eye(3))), floating=True, allow_nonphysical=allow)


@pytest.mark.parametrize(("mass", "moment"), [(1e-29, 1e-33), (1e29, 1e28), (1.0, 1e-9)])
def test_what_is_not_refused_can_be_computed_with(mass, moment):
    robot = fb.load(one(Inertia(mass, np.full(3, 0.1), moment * np.eye(3))), floating=True)
    program = robot.program("forward_dynamics")
    q, v = robot.random(0)
    assert np.isfinite(fb.interpret(program, q, v, v)[0]).all()
