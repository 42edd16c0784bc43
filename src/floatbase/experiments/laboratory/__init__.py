"""Experiments of the laboratory: the same run on our physics and on MuJoCo's, with sensors and a log."""
