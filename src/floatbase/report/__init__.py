"""Pages of results: one HTML file that needs nothing else, with tables, plots and robots, light and dark."""

from floatbase.report.numbers import number_text
from floatbase.report.page import Cell, Picture, Section, fold, moving_picture, page, paragraph, picture, table
from floatbase.report.plots import COLORS, draw_png
from floatbase.report.robot_view import robot_view

__all__ = [
    "COLORS",
    "Cell",
    "Picture",
    "Section",
    "draw_png",
    "fold",
    "moving_picture",
    "number_text",
    "page",
    "paragraph",
    "picture",
    "robot_view",
    "table",
]
