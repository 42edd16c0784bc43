"""Pages of results: one HTML file that needs nothing else, with tables and plots, for light and dark screens."""

from floatbase.report.numbers import number_text
from floatbase.report.page import Cell, Picture, Section, fold, page, paragraph, picture, table
from floatbase.report.plots import COLORS, draw_png

__all__ = [
    "COLORS",
    "Cell",
    "Picture",
    "Section",
    "draw_png",
    "fold",
    "number_text",
    "page",
    "paragraph",
    "picture",
    "table",
]
