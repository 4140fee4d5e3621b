"""Long frames of rankings: one row per query and document, with a grade or a score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from assay.core.errors import InputError

COLUMNS = {
    "query": ("query", "query_id", "qid", "q_id", "topic", "user", "user_id"),
    "document": ("document", "doc", "doc_id", "docid", "docno", "document_id", "item", "item_id"),
    "grade": ("grade", "relevance", "rel", "label", "rating"),
    "score": ("score", "sim", "prediction"),
}
_LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf")


def is_frame(value: object) -> bool:
    """Whether it is a table with a column of queries; one with a column per document is a matrix."""
    if type(value).__module__.split(".")[0] not in _LIBRARIES or not hasattr(value, "columns"):
        return False
    return any(name.lower() in COLUMNS["query"] for name in _names(cast(Any, value)))


def from_frame(value: object, number: str, who: str, name: str) -> Mapping[object, Mapping[object, object]]:
    """A dict of dicts by query and document; ``number`` is the column with their grade or score. Duplicates are refused."""
    table = cast(Any, value)
    queries, documents, numbers = (
        _values(table, _column(table, wanted, who, name)) for wanted in ("query", "document", number)
    )
    found: dict[Any, dict[Any, Any]] = {}
    for at, (query, document, one) in enumerate(zip(queries, documents, numbers, strict=True)):
        row = found.setdefault(query, {})
        if document in row:
            raise InputError(
                who, name, f"has document {document!r} of query {query!r} twice, again in row {at}", "Keep one of them."
            )
        row[document] = one
    return found


def _names(value: Any) -> list[str]:
    names = getattr(value, "column_names", None)
    return [str(name) for name in (value.columns if names is None else names)]


def _column(value: Any, wanted: str, who: str, name: str) -> str:
    there = _names(value)
    found = [column for column in there if column.lower() in COLUMNS[wanted]]
    if len(found) != 1:
        problem = (
            f"needs one column of the {wanted}, named {' or '.join(COLUMNS[wanted][:3])}; it has {', '.join(there)}"
        )
        raise InputError(who, name, problem, "Rename the column.")
    return found[0]


def _values(value: Any, column: str) -> list[Any]:
    values = value[column]
    return values.to_pylist() if hasattr(values, "to_pylist") else values.to_list()
