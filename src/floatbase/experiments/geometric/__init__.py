"""Bos 2019, chapter 5: geometric derivatives of moving-base multibody dynamics."""
