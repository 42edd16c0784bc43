"""Turns the formulas of every page, docstrings included, into MathML when the site is built.

Browsers draw MathML themselves, so the pages need no script; the font with its stretching brackets, STIX Two Math, is
taken from the installed package `ziamath` and becomes a file of the site, which can be read without a network.
`pymdownx.arithmatex` has marked the formulas; a formula that cannot be converted fails the build.
"""

from __future__ import annotations

import html
import itertools
import re
import unicodedata
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

_FORMULA = re.compile(r'<(span|div) class="arithmatex">\s*\\[(\[](.*?)\\[)\]]\s*</\1>', re.DOTALL)
_TAG = re.compile(r"\\tag\{([^}]*)\}")
_FONT = "STIXTwoMath-Regular.ttf"
_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_ACCENTS = frozenset("\u02d9\u00a8\u02c6\u0302^\u02dc~\u00af\u203e\u2192\u20d7")
_RELATIONS = frozenset("\u2ab0\u2aaf\u227d\u227c")  # which the converter takes for letters
_FUNCTIONS = frozenset(("sin", "cos", "tan", "cot", "exp", "log", "det"))
_REPLACED = {  # what the converter does not know, or does not escape
    "<": r"\lt ",
    ">": r"\gt ",
    r"\begin{aligned}": r"\begin{array}{rl}",
    r"\end{aligned}": r"\end{array}",
    r"\bigl\{": r"\{",
    r"\bigr\}": r"\}",
}
_STYLES = {
    "double-struck": "DOUBLE-STRUCK",
    "fraktur": "FRAKTUR",
    "script": "SCRIPT",
    "bold": "BOLD",
    "bold-italic": "BOLD ITALIC",
    "sans-serif": "SANS-SERIF",
}


def on_files(files: Files, config: Any) -> Files:
    """Called by MkDocs with the files of the site."""
    package = find_spec("ziamath")
    if package is None or package.origin is None:
        raise PluginError("the font of the formulas is missing: pip install 'floatbase[docs]'")
    font = Path(package.origin).parent / "fonts" / _FONT
    files.append(File.generated(config, f"assets/{_FONT}", content=font.read_bytes()))
    return files


def on_page_content(content: str, **_: Any) -> str:
    """Called by MkDocs with the HTML of a page."""
    return _FORMULA.sub(_mathml, content)


def _mathml(match: re.Match[str]) -> str:
    display = "block" if match[1] == "div" else "inline"
    formula = html.unescape(match[2]).strip()
    for written, known in _REPLACED.items():
        formula = formula.replace(written, known)
    tag = _TAG.search(formula)
    try:
        converted = _for_browsers(convert(_TAG.sub("", formula), display=display))
    except (ElementTree.ParseError, ValueError) as error:
        raise PluginError(f"a formula cannot be converted ({error}): {formula}") from None
    if display == "inline":
        return converted
    number = f'<span class="equation-number">({tag[1]})</span>' if tag else ""
    return f'<div class="equation">{converted}{number}</div>'


def _for_browsers(mathml: str) -> str:
    """Replaces what browsers no longer implement: most values of `mathvariant`, and accents recognised by character."""
    ElementTree.register_namespace("", _NAMESPACE)
    root = ElementTree.fromstring(mathml)
    for element in root.iter():
        kind = element.tag.removeprefix(f"{{{_NAMESPACE}}}")
        style = _STYLES.get(element.get("mathvariant", ""))
        if style and element.text:
            del element.attrib["mathvariant"]
            element.text = "".join(_styled(character, style) for character in element.text)
        if kind == "mtd" and "columnalign" in element.attrib:
            element.set("style", f"text-align: {element.attrib.pop('columnalign')}")
        if kind == "mi" and element.text in _RELATIONS:
            element.tag = f"{{{_NAMESPACE}}}mo"
        if kind == "mo" and (element.text == "\u22a4" or element.text in _FUNCTIONS):  # transposed; det
            element.tag = f"{{{_NAMESPACE}}}mi"
        if kind == "mo" and element.text == "|":  # a bracket on either side, not a relation
            element.attrib.update(lspace="0", rspace="0")
        _join_relations(element)
        _mark_signs(element)
        _space_functions(element)
        if kind == "mover" and len(element) == 2 and (element[1].text or "") in _ACCENTS:
            element.set("accent", "true")
            if len(element[0]) == 0:  # over a single letter
                element[1].set("stretchy", "false")
    return ElementTree.tostring(root, encoding="unicode")


def _join_relations(row: ElementTree.Element) -> None:
    r"""`\mathrel{+}=` as one relation."""
    children = list(row)
    for operator, equals in itertools.pairwise(children):
        if operator.tag.endswith("}mo") and len(operator) and equals.text == "=":
            equals.text = "".join(operator.itertext()) + "="
            row.remove(operator)


def _mark_signs(row: ElementTree.Element) -> None:
    """A minus after an operator or an opening bracket is a sign."""
    for before, sign in itertools.pairwise(row):
        if sign.text == "\u2212" and before.tag.endswith("}mo") and (before.text or "") in "([=,+":
            sign.set("form", "prefix")


def _space_functions(row: ElementTree.Element) -> None:
    """A thin space between the name of a function and an argument without brackets."""
    children = list(row)
    for place in range(len(children) - 1, 0, -1):
        argument = "".join(children[place].itertext())
        if children[place - 1].text in _FUNCTIONS and argument[:1].isalnum():
            row.insert(place, ElementTree.Element(f"{{{_NAMESPACE}}}mspace", width="0.17em"))


def _styled(character: str, style: str) -> str:
    """The letter of Unicode's mathematical alphabets; some capitals stand outside of these alphabets."""
    name = unicodedata.name(character, "").replace(" LETTER", "").removeprefix("LATIN ").removeprefix("GREEK ")
    for candidate in (f"MATHEMATICAL {style} {name}", f"{style} {name}", f"BLACK-LETTER {name}"):
        try:
            return unicodedata.lookup(candidate)
        except KeyError:
            continue
    return character
