"""Derivatives of what the other modules compute."""
