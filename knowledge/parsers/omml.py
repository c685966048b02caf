"""Office formulas (OMML) as LaTeX."""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

NAMESPACE = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_SPECIAL = str.maketrans(
    {"\\": r"\backslash ", "{": r"\{", "}": r"\}", "%": r"\%", "#": r"\#", "&": r"\&", "_": r"\_"}
)
_OPERATORS = {
    "∑": r"\sum", "∏": r"\prod", "∐": r"\coprod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint",
    "∮": r"\oint", "⋃": r"\bigcup", "⋂": r"\bigcap", "⋁": r"\bigvee", "⋀": r"\bigwedge",
}  # fmt: skip
_ACCENTS = {
    "\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar", "\u0305": r"\overline",
    "\u0307": r"\dot", "\u0308": r"\ddot", "\u20d7": r"\vec", "\u0301": r"\acute",
    "\u0300": r"\grave", "\u0306": r"\breve", "\u030c": r"\check", "¯": r"\bar", "→": r"\vec",
}  # fmt: skip
_FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "sinh",
        "cosh",
        "tanh",
        "arcsin",
        "arccos",
        "arctan",
        "log",
        "ln",
        "exp",
        "lim",
        "max",
        "min",
        "sup",
        "inf",
        "det",
        "gcd",
        "dim",
        "ker",
        "arg",
    ]
)
_MAX_DEPTH = 60


def formula_to_latex(element: etree._Element) -> str:
    """Return the LaTeX of an `m:oMath` element, without dollar signs."""
    return " ".join(_children(element, 0).split())


def _children(element: etree._Element | None, depth: int) -> str:
    if element is None or depth > _MAX_DEPTH:
        return ""
    return "".join(_node(child, depth + 1) for child in element)


def _node(element: etree._Element, depth: int) -> str:
    # Comments have a function as their tag.
    name = str(element.tag).removeprefix(NAMESPACE)
    if name == str(element.tag):
        return ""
    if name == "t":
        return (element.text or "").translate(_SPECIAL)
    if name.endswith("Pr"):
        return ""
    write = _WRITERS.get(name)
    return write(element, depth) if write else _children(element, depth)


def _part(element: etree._Element, name: str, depth: int) -> str:
    return _children(element.find(NAMESPACE + name), depth).strip()


def _property(element: etree._Element, name: str, default: str = "") -> str:
    found = element.find(f"{NAMESPACE}{element.tag.removeprefix(NAMESPACE)}Pr/{NAMESPACE}{name}")
    if found is None:
        return default
    return found.get(NAMESPACE + "val", "")


def _fraction(element: etree._Element, depth: int) -> str:
    above, below = _part(element, "num", depth), _part(element, "den", depth)
    if _property(element, "type") == "lin":
        return f"{above}/{below}"
    if _property(element, "type") == "noBar":
        return rf"\binom{{{above}}}{{{below}}}"
    return rf"\frac{{{above}}}{{{below}}}"


def _scripts(element: etree._Element, depth: int) -> str:
    base, below, above = (_part(element, name, depth) for name in ("e", "sub", "sup"))
    scripts = (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
    if element.tag == NAMESPACE + "sPre":
        return f"{{}}{scripts}{base}"
    return f"{base if len(base) == 1 else '{' + base + '}'}{scripts}"


def _root(element: etree._Element, depth: int) -> str:
    degree = _part(element, "deg", depth)
    hidden = _property(element, "degHide", "off") in {"", "1", "on", "true"}
    index = f"[{degree}]" if degree and not hidden else ""
    return rf"\sqrt{index}{{{_part(element, 'e', depth)}}}"


def _delimiters(element: etree._Element, depth: int) -> str:
    left, right = _property(element, "begChr", "("), _property(element, "endChr", ")")
    parts = [_children(part, depth).strip() for part in element.findall(NAMESPACE + "e")]
    inner = _property(element, "sepChr", "|").join(parts)
    return rf"\left{_fence(left)} {inner} \right{_fence(right)}"


def _fence(mark: str) -> str:
    return {"": ".", "{": r"\{", "}": r"\}", "‖": r"\|", "⟨": r"\langle", "⟩": r"\rangle"}.get(
        mark, mark
    )


def _operator(element: etree._Element, depth: int) -> str:
    sign = _property(element, "chr", "∫")
    below, above = _part(element, "sub", depth), _part(element, "sup", depth)
    limits = (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
    return f"{_OPERATORS.get(sign, sign)}{limits} {_part(element, 'e', depth)} "


def _function(element: etree._Element, depth: int) -> str:
    name = _part(element, "fName", depth)
    command = "\\" + name if name in _FUNCTIONS else name
    return f"{command} {_part(element, 'e', depth)}"


def _accent(element: etree._Element, depth: int) -> str:
    command = _ACCENTS.get(_property(element, "chr", "\u0302"), r"\hat")
    return f"{command}{{{_part(element, 'e', depth)}}}"


def _bar(element: etree._Element, depth: int) -> str:
    command = r"\overline" if _property(element, "pos", "bot") == "top" else r"\underline"
    return f"{command}{{{_part(element, 'e', depth)}}}"


def _limit(element: etree._Element, depth: int) -> str:
    base, limit = _part(element, "e", depth), _part(element, "lim", depth)
    base = "\\" + base if base in _FUNCTIONS else base
    return f"{base}{'^' if element.tag == NAMESPACE + 'limUpp' else '_'}{{{limit}}}"


def _matrix(element: etree._Element, depth: int) -> str:
    rows = [
        " & ".join(_children(cell, depth).strip() for cell in row.findall(NAMESPACE + "e"))
        for row in element.findall(NAMESPACE + "mr")
    ]
    return r"\begin{matrix} " + r" \\ ".join(rows) + r" \end{matrix}"


def _equations(element: etree._Element, depth: int) -> str:
    rows = [_children(row, depth).strip() for row in element.findall(NAMESPACE + "e")]
    return r"\begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}"


_WRITERS: dict[str, Callable[[etree._Element, int], str]] = {
    "f": _fraction,
    "sSup": _scripts,
    "sSub": _scripts,
    "sSubSup": _scripts,
    "sPre": _scripts,
    "rad": _root,
    "d": _delimiters,
    "nary": _operator,
    "func": _function,
    "acc": _accent,
    "bar": _bar,
    "limLow": _limit,
    "limUpp": _limit,
    "m": _matrix,
    "eqArr": _equations,
}
