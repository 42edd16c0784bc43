"""The vocabulary of rigid bodies: rotations, poses, twists, wrenches, accelerations, inertias."""
