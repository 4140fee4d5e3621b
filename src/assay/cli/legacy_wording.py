"""Messages that the library still raises as one text; this file goes when the last of them carries its parts."""

from __future__ import annotations

import re

_EVALUATED = "positive|classes|task|threshold|logits|method|level|replicates|seed|margin|effect|pool"
_ESTIMATED = "positive|classes|task|threshold|level|store|jobs|groups|best|grid"
_PLANNED = "width|effect|value|discordance|sd|prevalence|share|correlation|power|level|n"
_BEFORE = "needs|[Gg]ive|Leave|Lower|check|use for|planned from|; or"
_ROWS = {"y_true": "--truth", "y_pred": "--pred", "y_prob": "--prob", "y_score": "--score"}


def rewritten(message: str, command: str) -> str:
    """A message in the words of a command."""
    return {"score": _evaluated, "compare": _evaluated, "estimate": _estimated, "plan": _planned}[command](message)


def _named(message: str, names: str) -> str:
    return re.sub(rf"\b({names})=\s?(.?)", lambda m: f"--{m[1]}{'' if m[2] in ',.;:)' else ' '}{m[2]}", message)


def _evaluated(message: str) -> str:
    message = _named(re.sub(r"^(evaluate|compare): ", "", message), _EVALUATED)
    for name, option in _ROWS.items():
        message = re.sub(rf"\b{name}\b=?", option, message)
    return message


def _estimated(message: str) -> str:
    message = re.sub(r"^(estimate|resampling|guideline): ", "", message)
    message = re.sub(r"method=((?:'[\w+]+'(?: or )?)+)", lambda m: "--method " + m[1].replace("'", ""), message)
    message = message.replace("give best as a dict, such as {'accuracy': 0.95}", "name it, as in --best accuracy=0.95")
    message = message.replace("give groups.", "give --groups.").replace("leave method out", "leave --method out")
    message = re.sub(rf"^({_ESTIMATED}) (?=is|must)", r"--\1 ", message)
    return _named(message, _ESTIMATED)


def _planned(message: str) -> str:
    message = re.sub(r"^plan: ", "", message).replace("compare(...).rows_for(effect)", "`assay compare --effect`")
    message = re.sub(rf"({_BEFORE}) ({_PLANNED})\b", r"\1 --\2", message)
    message = re.sub(rf"(^|: )({_PLANNED})(?= (?:must|cannot|has|and)\b)", r"\1--\2", message)
    message = re.sub(rf"(?<!-)\b({_PLANNED})(?: (?=\()|=\s?)", r"--\1 ", message)
    listed = re.compile(rf"(--(?:{_PLANNED})(?:,| and| or)) ({_PLANNED})\b")
    while listed.search(message):
        message = listed.sub(r"\1 --\2", message)
    return message
