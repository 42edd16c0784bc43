"""Parts of a page as HTML, and the page around them. Texts are escaped; nothing refers to anything outside the file."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from floatbase.report.robot_view import MARK, view_script

# the page may use what it holds, and nothing else
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


class Cell(NamedTuple):
    """A cell of a table: a text, a smaller text below it, and what it is: "number", "good", "bad" or nothing."""

    text: str
    below: str = ""
    kind: str = ""


class Picture(NamedTuple):
    """A plot as PNG, for light and for dark pages."""

    caption: str
    light: bytes
    dark: bytes


class Section(NamedTuple):
    """A part of a page: a heading, and HTML made by the functions below."""

    title: str
    parts: Sequence[str]


def paragraph(text: str) -> str:
    """A paragraph."""
    return f"<p>{escape(text)}</p>"


def table(headers: Sequence[str], rows: Iterable[Sequence[Cell]], *, first_is_header: bool = False) -> str:
    """A table that scrolls sideways on a small screen."""
    rows = list(rows)
    kinds = [cell.kind if cell.kind == "number" else "" for cell in rows[0]] if rows else [""] * len(headers)
    titles = [Cell(text, kind=kind) for text, kind in zip(headers, kinds, strict=True)]
    head = "".join(_cell("th", cell) for cell in titles)
    tags = ["th" if first_is_header else "td", *["td"] * len(headers)]
    lines = ("".join(_cell(tag, cell) for tag, cell in zip(tags, row, strict=False)) for row in rows)
    body = "\n".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def fold(summary: str, content: str, kind: str = "", *, is_open: bool = False) -> str:
    """Something shown on demand."""
    mark = f' <span class="{escape(kind)}">{_MARKS[kind]}</span>' if kind in _MARKS else ""
    return f"<details{' open' if is_open else ''}><summary>{escape(summary)}{mark}</summary>\n{content}\n</details>"


def picture(content: Picture) -> str:
    """A plot, with its caption."""
    light, dark = (f"data:image/png;base64,{base64.b64encode(png).decode()}" for png in (content.light, content.dark))
    return (
        f'<figure><picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(content.caption)}"></picture>'
        f"<figcaption>{escape(content.caption)}</figcaption></figure>"
    )


def moving_picture(caption: str, gif: bytes) -> str:
    """A moving picture, with its caption."""
    source = f"data:image/gif;base64,{base64.b64encode(gif).decode()}"
    return (
        f'<figure><img class="moving" src="{source}" alt="{escape(caption)}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def page(title: str, lead: str, facts: Mapping[str, str], sections: Sequence[Section]) -> str:
    """The whole file."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts.items())
    body = "\n".join(
        f"<section>\n<h2>{escape(section.title)}</h2>\n" + "\n".join(section.parts) + "\n</section>"
        for section in sections
    )
    script = f"<script>\n{view_script()}</script>\n" if MARK in body else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n{paragraph(lead)}\n<dl>{listed}</dl>\n{body}\n</main>\n{script}</body>\n</html>\n"
    )


_MARKS = {"good": "✓", "bad": "✗"}


def _cell(tag: str, cell: Cell) -> str:
    below = f"<small>{escape(cell.below)}</small>" if cell.below else ""
    attribute = f' class="{escape(cell.kind)}"' if cell.kind else ""
    return f"<{tag}{attribute}>{escape(cell.text)}{below}</{tag}>"
