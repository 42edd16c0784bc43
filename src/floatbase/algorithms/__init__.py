"""The mathematics of a tree of rigid bodies, one algorithm in each file."""
