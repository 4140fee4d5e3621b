"""Everything that is known about a loss, gathered from its record, its docstring and its signature."""

from __future__ import annotations

import inspect
import re
import typing
from typing import Any, cast

from assay.core.explanation import Docs, Explanation, Parameter, plain, range_text, type_text
from assay.core.formula import to_unicode
from assay.core.references import REFERENCES
from assay.core.traps import TRAPS

SHARED = {
    "weight": ("none", "array", "what each value counts: one number a value, or one for each of the leading axes"),
    "mask": ("none", "array", "which values count at all, shaped as the weight"),
    "reduction": ("'mean'", "'mean' | 'sum' | 'none'", "the mean divides by the weights of what counts"),
    "undefined": (
        "0",
        "number | 'nan' | 'error'",
        "the mean of nothing; 0 has a gradient of 0, so that training goes on",
    ),
}
# What parameters mean that several losses share; what a loss's own docstring says about its own goes first.
SENSES = {
    "alpha": "weight of one side against the other; see the formula",
    "average": "over all that is formed from the batch, or over what still has a loss",
    "beta": "width or weight of the second part; see the formula",
    "class_weight": "what each class counts",
    "classes": "which classes enter the mean: those present in the target, all, or a list of them",
    "convention": "who gets what smoothing takes: all classes alike ('uniform'), or all others ('others')",
    "delta": "the error from which it is linear",
    "discount": "what a reward one step later is worth",
    "epsilon": "a small number of the formula: a share, a width or a temperature",
    "focal": "exponent that makes hard cases count more; 1 leaves them alone",
    "form": "which of the known forms is meant",
    "full": "add the terms that do not depend on the prediction",
    "gamma": "how strongly easy cases are forgotten, or the slope far out; see the formula",
    "ignore_index": "places whose target is this number do not count",
    "label_smoothing": "the share of the target that is given to other classes",
    "lambda_coord": "weight of the localisation",
    "lambda_noobj": "weight of boxes without an object",
    "log": "take the logarithm of the overlap in the place of one minus it",
    "log_variance": "logarithm of the predicted variance",
    "margin": "how far beyond merely right is good enough",
    "mean": "predicted mean of the latent variables",
    "mode": "one class a pixel ('multiclass'), one mask ('binary'), or masks that may overlap ('multilabel')",
    "noise_log_noise": "log-density of the noise at the noise samples",
    "normalize": "bring embeddings to length 1 first",
    "over": "sums over the whole batch, or over each image and then the mean",
    "p": "exponent of the distance",
    "pairs": "row against row ('paired'), or every row against every other ('all')",
    "parts": "give the terms beside their sum",
    "prediction_weight": "what each predicted point counts",
    "probabilities": "in the place of logits",
    "role": "whose loss: the generator's or its opponent's",
    "scale": "factor of the scores before the exponential",
    "smooth": "added to numerator and denominator, so that empty masks are defined",
    "square_root": "compare square roots of width and height, so that small boxes matter",
    "squared": "square what is otherwise taken as it is",
    "target_weight": "what each target point counts",
    "temperature": "divides the similarities: the smaller, the more the hardest cases count",
    "width": "the error from which it is linear",
}


def loss_explanation(loss: Any) -> Explanation:
    """The explanation of a loss."""
    doc, record = Docs(loss), loss.record
    inputs, parameters = _signature(loss)
    return Explanation(
        kind="loss", task=loss.task, key=loss.key, title=record.title, summary=doc.summary,
        formula=to_unicode(doc.latex), latex=doc.latex, meaning=doc.meaning,
        call=f"assay.losses.{loss.key}({', '.join(inputs)})", takes=[], parameters=parameters,
        range=range_text(record.range), better="lower", undefined="", use=record.use, misleads=record.misleads,
        example=doc.example, equals=list(record.equals), interval="", properties=sorted(record.properties),
        references=[REFERENCES.get(key, key) for key in cast("tuple[str, ...]", record.references)], erratum=record.erratum,
        traps=[TRAPS[number] for number in record.traps if number in TRAPS], instead=record.instead,
    )  # fmt: skip


def _signature(loss: Any) -> tuple[list[str], list[Parameter]]:
    """The inputs by place, and the parameters by name with their defaults; the shared ones last."""
    hints = typing.get_type_hints(loss)
    inputs: list[str] = []
    found: list[Parameter] = []
    for name, p in inspect.signature(loss).parameters.items():
        if p.kind is p.POSITIONAL_OR_KEYWORD:
            inputs.append(name)
        elif p.kind is p.KEYWORD_ONLY:
            default = "" if p.default is p.empty else ("none" if p.default is None else repr(p.default))
            found.append(Parameter(name, _type(hints.get(name, Any)), default, _sense(loss, name)))
        elif p.kind is p.VAR_KEYWORD:
            shared = ("weight", "mask", "reduction", "undefined")
            found += [Parameter(n, SHARED[n][1], SHARED[n][0], SHARED[n][2]) for n in shared]
    return inputs, found


def _type(hint: Any) -> str:
    return "array" if hint is Any else type_text(hint)


def _sense(loss: Any, name: str) -> str:
    """The sentence of the docstring that speaks of the parameter."""
    text = " ".join(re.sub(r"\.\. math::.*", "", (loss.__doc__ or "").partition(">>>")[0]).split())
    for sentence in re.split(r"(?<=[.;:])\s+(?=[A-Z`])", text):
        if re.search(rf"``{name}(?:``|=)", sentence):
            return plain(sentence).rstrip(".;:")
    return SENSES.get(name, "")
