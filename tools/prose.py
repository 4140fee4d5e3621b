"""Find idiom that does not belong in plain English: see docs/design/glossary.md.

``tools/prose.py`` lists what it finds; ``--check`` fails if there is more than `CEILING`, which only falls.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
CEILING = 0  # exceptions carry their reason
_UNITS = (
    "anchor", "bag", "box", "case", "cell", "class", "column", "core", "detection", "document", "dose", "element", "entry", "epoch",
    "feature", "file", "fold", "group", "image", "item", "key", "label", "line", "list", "mask", "metric", "model", "object", "pair",
    "panel", "person", "picture", "pixel", "point", "process", "query", "record", "repeat", "replicate", "row", "sample", "segment",
    "sentence", "series", "slice", "split", "step", "stratum", "table", "task", "thread", "token", "unit", "value", "word",
)  # fmt: skip
# A count or a quantity, then «a row»: one value a row, two columns a class, fits a repeat.
_COUNTED = (
    r"(?:one|two|three|four|five|once|twice|\d+|all|single|each) (?:[\w.'-]+ ){0,3}?|"
    r"(?:values?|numbers?|columns?|losses|scores?|weights?|fits|threads?|files?|rows?|factors?|labels?|bytes|masks?|boxes) "
)
_OTHERS = (
    "of", "in", "is", "by", "to", "as", "at", "on", "or", "for", "and", "are", "was", "has", "with", "from", "that", "than", "into",
    "over", "without", "within", "where", "not",
)  # fmt: skip
_NO_PREPOSITION = r"(?<!, )(?<!\. )" + "".join(f"(?<! {word} )" for word in _OTHERS)
PATTERNS = {
    "per": re.compile(rf"\b(?:{_COUNTED}){_NO_PREPOSITION}an? (?:{'|'.join(_UNITS)})\b(?! of\b)"),
    "integer": re.compile(r"\bwhole numbers?\b"),
    "positional": re.compile(r"\bby place\b"),
    "not": re.compile(
        r"(?<!there )\bis no (?!longer|more\b|less|other|need|reason|such|better|worse|wider|smaller|larger|doubt)[a-z]"
    ),
    "undefined": re.compile(r"\b(?:value|mean|metric|score|ratio|percentage|interval)s? (?:does|do) not exist"),
    "bias-corrected": re.compile(r"\bless (?:the|its) bias\b"),
    "pitfall": re.compile(r"(?<![.\w])traps?\b(?!\s*[=:)\]\[,`])"),
    "distribution": re.compile(r"\bnormal law\b|\blaw of errors\b"),
}
# (end of the path, text): why it stays.
EXCEPTIONS = {
    ("docs/design/glossary.md", ""): "the glossary names the idiom",
    ("tools/prose.py", ""): "so does this tool",
    ("src/assay/__init__.py", "scores a task"): "a verb: evaluate scores a task",
    ("src/assay/testing/loss_laws.py", "2 counts a row"): "a verb: a weight of 2 counts a row twice",
    ("src/assay/kernels/bootstrap.py", "weight a row"): "a verb follows: which weight a row has",
    ("docs/examples/imbalance.md", "9 a row"): "a clause: with -0.9 a row has a tenth of the slope",
}


def texts(root: Path = ROOT) -> list[Path]:
    """Everything that people read."""
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    return sorted(
        [*pages, *(root / "src").rglob("*.py"), *(root / "src").rglob("*.md"), *(root / "tools").glob("*.py")]
    )


def found(text: str) -> list[tuple[int, str, str]]:
    """(line, the glossary's word, the phrase) of every find."""
    return [
        (text.count("\n", 0, match.start()) + 1, word, " ".join(match[0].split()))
        for word, pattern in PATTERNS.items()
        for match in pattern.finditer(text)
    ]


def main(arguments: list[str]) -> int:
    """Print every find and their number."""
    finds: list[tuple[str, int, str, str]] = []
    for path in texts():
        name = path.relative_to(ROOT).as_posix()
        if not any(name.endswith(end) and not text for end, text in EXCEPTIONS):
            finds += [(name, *find) for find in found(path.read_text(encoding="utf-8"))]
    finds = [f for f in finds if (f[0], f[3]) not in EXCEPTIONS]
    for name, line, word, phrase in finds:
        print(f"{name}:{line}: {phrase!r}; say {word!r}?")
    counts = Counter(word for _, _, word, _ in finds)
    print(f"{len(finds)} finds: {dict(counts)}; the ceiling is {CEILING}")
    return int("--check" in arguments and len(finds) > CEILING)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
