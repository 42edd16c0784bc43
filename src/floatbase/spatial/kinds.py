"""What arguments are: the names with which the signatures of this room say so.

To a type checker they are arrays. The names that the package gives out demand of numbers what `demands` says of each
(see `checks.guarded`); a plain `Array` and a `float` must be finite.
"""

from __future__ import annotations

from typing import Any, Literal

RotationMatrix = Any  # (..., 3, 3), orthonormal, determinant 1
Pose = Any  # (..., 4, 4), a rotation, a position and a last row of 0 0 0 1
Quaternion = Any  # (..., 4), w x y z, of unit length
UnitVector = Any  # (..., 3), of unit length
RegularVector = Any  # (..., 3), a rotation vector by an angle that is no multiple of 2 pi, but for 0
RegularTwist = Any  # (..., 6), its angular part a regular vector
SkewMatrix = Any  # (..., 3, 3)
SymmetricMatrix = Any  # (..., 3, 3)
TwistMatrix = Any  # (..., 4, 4), a skew matrix, a velocity and a last row of zeros
NotNegative = Any  # (...), a mass or a length
Positive = Any  # (...)
Times = Any  # (n,), increasing
CentralTensor = Any  # (..., 3, 3), symmetric; one that no density gives raises a doubt
Parameters = Any  # (..., 10), of a mass that is not negative; those that no density gives raise a doubt
HeavyParameters = Any  # (..., 10), of positive mass
BodyParameters = Any  # (..., 10), of positive mass and positive moments; those that no density gives raise a doubt
InertiaMatrix = Any  # (..., 6, 6), symmetric, positive semidefinite, m 1 and (m c)^ in their places

Side = Literal["left", "right"]
JointKind = Literal["revolute", "continuous", "prismatic", "helical"]
