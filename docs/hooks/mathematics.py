"""Turns the formulas of every page, docstrings included, into MathML when the site is built.

Browsers draw MathML themselves: the pages load no script and no font, and can be read without a network.
`pymdownx.arithmatex` has marked the formulas; a formula that cannot be converted fails the build.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(r'<(span|div) class="arithmatex">\s*\\[(\[](.*?)\\[)\]]\s*</\1>', re.DOTALL)
_TAG = re.compile(r"\\tag\{([^}]*)\}")


def _mathml(match: re.Match[str]) -> str:
    display = "block" if match[1] == "div" else "inline"
    formula = html.unescape(match[2]).strip()
    tag = _TAG.search(formula)
    converted = convert(_TAG.sub("", formula), display=display)
    if display == "inline":
        return converted
    number = f'<span class="equation-number">({tag[1]})</span>' if tag else ""
    return f'<div class="equation">{converted}{number}</div>'


def on_page_content(content: str, **_: Any) -> str:
    """Called by MkDocs with the HTML of a page."""
    return _FORMULA.sub(_mathml, content)
