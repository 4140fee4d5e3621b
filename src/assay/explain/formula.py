r"""Formulas of docstrings, written in LaTeX, as one line of Unicode: ``\frac1n \sum_i`` is 1/n Σᵢ."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
}  # fmt: skip
_SIGNS = {
    **_GREEK, **{name.capitalize(): letter.upper() for name, letter in _GREEK.items()},
    "varphi": "φ", "varepsilon": "ε", "sum": "Σ", "prod": "Π", "int": "∫", "infty": "∞", "le": "≤", "leq": "≤",
    "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "sim": "~", "in": "∈", "notin": "∉",
    "cdot": "·", "cdots": "⋯", "dots": "…", "ldots": "…", "times": "×", "pm": "±", "to": "→", "mapsto": "↦",
    "partial": "∂", "nabla": "∇", "cup": "∪", "cap": "∩", "subset": "⊂", "setminus": "∖", "lfloor": "⌊",
    "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩", "mid": "|", "vert": "|",
    "Vert": "‖", "|": "‖", "ell": "ℓ", "prime": "′", "forall": "∀", "exists": "∃", "emptyset": "∅",
    "propto": "∝", "quad": "\u2003", "qquad": "\u2003", ",": " ", ";": " ", ":": " ", " ": " ", "!": "",
    "left": "", "right": "", "big": "", "Big": "", "displaystyle": "", "limits": "", "\\": "; ", "star": "*",
    "ast": "*", "circ": "∘", "neg": "¬", "top": "ᵀ", "colon": ":",
}  # fmt: skip
_ACCENTS = {
    "hat": "\u0302",
    "widehat": "\u0302",
    "bar": "\u0304",
    "overline": "\u0304",
    "tilde": "\u0303",
    "vec": "\u20d7",
}
_WORDS = ("mathrm", "mathbf", "mathit", "mathcal", "mathbb", "text", "textrm", "operatorname", "boldsymbol", "mathsf")
_HALVES = {("1", "2"): "½", ("1", "3"): "⅓", ("1", "4"): "¼", ("3", "4"): "¾"}
_UP = dict(zip("0123456789+-=()niTkᵀ*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀᵏᵀ*", strict=True))
_DOWN = dict(zip("0123456789+-=()aehijklmnoprstuvxβρ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵨ", strict=True))
_SMALL = re.escape("".join({*_UP.values(), *_DOWN.values()} - {"*"}))
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_]|\s+|.", re.DOTALL)


def to_unicode(latex: str) -> str:
    """The formula as readable text; fractions become a/b, indices small letters where there are some."""
    text = _LatexReader(latex).sequence().replace("∂ ", "∂")
    return unicodedata.normalize("NFC", re.sub(r" +", " ", text).replace("\u2003", " ")).strip()


class _Piece(NamedTuple):
    """A part of a formula; functions, words and fractions must be kept apart from their neighbours."""

    kind: Literal["text", "word", "function", "fraction"]
    text: str


class _LatexReader:
    """Reads tokens from left to right; groups and arguments by calling itself."""

    def __init__(self, latex: str) -> None:
        self.tokens = [t if not t.isspace() else " " for t in _TOKEN.findall(latex)]
        self.at = 0

    def sequence(self) -> str:
        """Everything up to the end or a closing brace."""
        parts: list[_Piece] = []
        while self.at < len(self.tokens):
            token = self._next()
            if token == "}":
                break
            parts.append(self._part(token))
        return _tidy(_joined([part for part in parts if part.text]))

    def _next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def _argument(self) -> str:
        """A group in braces, a command with its own argument, or one letter."""
        while self.at < len(self.tokens) and self.tokens[self.at] == " ":
            self.at += 1
        if self.at >= len(self.tokens):
            return ""
        return self._part(self._next()).text

    def _part(self, token: str) -> _Piece:
        if token == "{":
            return _Piece("text", self.sequence())
        if token in "^_":
            return _Piece("text", _index(self._argument(), up=token == "^"))
        return self._command(token[1:]) if token.startswith("\\") else _Piece("text", token)

    def _command(self, name: str) -> _Piece:
        if name in ("frac", "tfrac", "dfrac"):
            return _fraction(self._argument(), self._argument())
        if name == "sqrt":
            inside = self._argument()
            return _Piece("text", f"√{inside}" if len(inside) == 1 else f"√({inside})")
        if name in _ACCENTS:
            return _Piece("text", _accent(self._argument(), _ACCENTS[name]))
        if name in _WORDS:
            return _Piece("word", self._argument())
        if name in _SIGNS:
            return _Piece("text", _SIGNS[name])
        return _Piece("function" if name.isalpha() else "text", name)  # such as \log: read by its name


def _joined(pieces: list[_Piece]) -> str:
    """Side by side, with a space where two would be read as one, and a fraction in brackets after a function."""
    out, last, before = "", _Piece("text", ""), ""  # the last piece, and the kind of the last that is not a space
    for piece in pieces:
        text = piece.text
        if before == "function" and piece.kind == "fraction":
            out, text = out.rstrip(), f"({text})"
        elif _runs_on(last, piece) or (piece.kind == "function" and _is_factor(out)):
            out += " "
        out, last, before = out + text, piece, piece.kind if text.strip() else before
    return out


def _runs_on(last: _Piece, piece: _Piece) -> bool:
    """Whether the next piece would be read as a part of the last."""
    letter = piece.text[0].isalpha() or piece.text[0] == "√"
    if last.kind == "function":
        return (letter or piece.text[0].isdigit()) and not re.match(f"[{_SMALL}]", piece.text)
    if last.kind != "fraction":
        return False
    return letter or piece.text[0] == "(" if "/" in last.text else piece.kind == "word" and len(piece.text) > 1


def _is_factor(text: str) -> bool:
    """Whether the text ends in something that the next function is multiplied by."""
    if text.endswith("|"):
        return text.count("|") % 2 == 0
    return bool(re.search(rf"[\w)\]½⅓¼¾{_SMALL}]$", text))


def _tidy(text: str) -> str:
    spaced = re.sub(rf"([Σ∫Π][{_SMALL}]*+)(?=[^\s_^])", r"\1 ", text)
    return re.sub(r"(?<=[A-Za-z])(?=Σ)", " ", spaced)


def _fraction(top: str, bottom: str) -> _Piece:
    if (top, bottom) in _HALVES:
        return _Piece("fraction", _HALVES[top, bottom])
    line = " / " if len(top) + len(bottom) > 4 else "/"
    return _Piece("fraction", f"{_bracketed(top)}{line}{_bracketed(bottom)}")


def _bracketed(text: str) -> str:
    """In brackets unless it holds together by itself: a word, a number, or something in brackets already."""
    text = text.strip()
    text = text.replace("∂ ", "∂")
    word = re.match(rf"√|[\w\u0302\u0304'′∂{_SMALL}]*", text)
    rest = re.sub(rf"^\^|[{_SMALL}]+$", "", text[word.end() :] if word else text)
    product = re.fullmatch(r"[a-z][A-Z]", text)  # n L, where TP is one name
    if not product and (not rest or re.fullmatch(r"\|[^|]*\|", rest) or _enclosed(rest)):
        return text
    return f"({text})"


def _enclosed(text: str) -> bool:
    """Whether the bracket that opens the text closes at its end."""
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return letter == ")" and i == len(text) - 1
    return False


def _accent(text: str, mark: str) -> str:
    """Over a single letter (with or without another accent); a longer text gets it on every letter."""
    return "".join(letter + ("" if unicodedata.combining(letter) or letter == " " else mark) for letter in text)


def _index(text: str, *, up: bool) -> str:
    table = _UP if up else _DOWN
    plain = unicodedata.normalize("NFC", text)
    if plain and all(letter in table for letter in plain):
        return "".join(table[letter] for letter in plain)
    mark = "^" if up else "_"
    return f"{mark}{text}" if len(plain) == 1 else f"{mark}({text})"
