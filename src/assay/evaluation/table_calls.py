"""`evaluate` and `compare` on a table: the columns that a caller names become the arrays that both take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from assay.core.errors import ParameterError, arg
from assay.data.native_tables import columns_of
from assay.evaluation.table_columns import (
    KINDS,
    ColumnOptions,
    TableArguments,
    gather,
    model_predictions,
    shared_arguments,
)
from assay.evaluation.table_request import TableCall, Wanted

_OPTIONS = ("pred", *KINDS.values())


def evaluated_columns(call: TableCall) -> TableArguments:
    """The arguments of `evaluate`."""
    given = {name: _columns(call.who, name, value) for name, value in call.predictions.items() if value is not None}
    if not given and not call.extra:
        refuse_unnamed(call.who)
    [found] = _gathered(call, [_options(call, given)])
    named = found.arguments
    arrays = {name: value for name, value in (call.extra or {}).items() if not isinstance(value, str)}
    extra = {**arrays, **named.get("extra", {})}
    return replace(found, arguments={**named, **call.arrays(), **({"extra": extra} if extra else {})})


def compared_columns(call: TableCall) -> TableArguments:
    """The arguments of `compare`."""
    models = _models(call)
    found = _gathered(call, [_options(call, own) for own in models.values()])
    arguments = {**shared_arguments(found[0]), **call.arrays(), "models": model_predictions(found, list(models))}
    ids = {} if found[0].arguments["ids"] is None else {"ids": found[0].arguments["ids"]}
    return TableArguments({**arguments, **ids}, found[0].inferred)


def refuse_unnamed(who: str) -> None:
    """There is a truth and nothing to hold against it."""
    options = ", ".join(arg(name) for name in _OPTIONS)
    raise ParameterError(who, "", "no column of predictions is named", f"Give at least one of {options}.")


def _options(call: TableCall, own: Mapping[str, Wanted]) -> ColumnOptions:
    """The columns of one model."""
    rows: dict[str, Any] = {name: value for name, value in call.rows.items() if isinstance(value, str)}
    return ColumnOptions(
        truth=call.truth, task=call.task, classes=None if call.classes is None else tuple(call.classes), positive=call.positive,
        threshold=call.threshold, by=call.by, **dict[str, Any](own), **rows,
        extra={name: value for name, value in (call.extra or {}).items() if isinstance(value, str)},
    )  # fmt: skip


def _gathered(call: TableCall, models: Sequence[ColumnOptions]) -> list[TableArguments]:
    """The columns of each model, from the one table."""
    table = columns_of(call.data, [one for own in models for one in own.named], call.who)
    return gather([table] * len(models), models)


def _columns(who: str, option: str, value: object) -> Wanted:
    """One name, pattern or list of names."""
    if isinstance(value, str):
        return value
    several = isinstance(value, list | tuple)
    listed = [*cast("Sequence[object]", value)] if several else []
    if not listed or not all(isinstance(name, str) for name in listed):
        problem = f"must name a column, or several as a list, got {type(value).__name__}"
        raise ParameterError(who, option, problem, f"Arrays are given without a table: {arg('y_prob')} and the like.")
    return cast("list[str]", listed)


def _models(call: TableCall) -> dict[str, dict[str, Wanted]]:
    """The columns of each model by option. A list has one column or list of columns per model, a mapping names the models."""
    given = {
        option: _by_model(call.who, option, value) for option, value in call.predictions.items() if value is not None
    }
    if not given:
        refuse_unnamed(call.who)
    titles: list[str] | None = None
    found: dict[str, dict[str, Wanted]] = {}
    for option, models in given.items():
        if isinstance(models, list):
            titles = titles or _titles(models)
            if len(titles) != len(models):
                problem = f"names {len(models)} columns for {len(titles)} models"
                raise ParameterError(call.who, option, problem, "Name one per model.")
            models = dict(zip(titles, models, strict=True))  # noqa: PLW2901
        for name, wanted in models.items():
            found.setdefault(name, {})[option] = wanted
    return found


def _by_model(who: str, option: str, value: object) -> list[Wanted] | dict[str, Wanted]:
    if isinstance(value, Mapping):
        named = cast("Mapping[object, object]", value)
        return {str(name): _columns(who, option, one) for name, one in named.items()}
    return [_columns(who, option, one) for one in cast("Sequence[object]", value)]


def _titles(models: Sequence[Wanted]) -> list[str]:
    """What models are called whose columns are listed without names."""
    texts = [model if isinstance(model, str) else ",".join(model) for model in models]
    short = [text.rstrip("*_.-") or text for text in texts]
    return short if len(set(short)) == len(short) else texts
