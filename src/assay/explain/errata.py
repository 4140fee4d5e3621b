"""One page of all errata: what the records and topics correct in texts that many people learn from."""

from __future__ import annotations

from collections.abc import Iterator

from assay.core.loss import losses
from assay.core.registry import metrics
from assay.core.sources import SOURCES
from assay.explain.topics import TOPICS
from assay.explain.topics.topic import ERRATUM, Topic


def _entries() -> Iterator[tuple[str, str]]:
    for cls in metrics():
        yield cls.key, cls.record.erratum
    for entry in losses():
        yield f"loss.{entry.key}", entry.record.erratum
    for topic in TOPICS.values():
        for text in topic.sections.get(ERRATUM, []):
            yield topic.key, text


def errata() -> Topic:
    """The errata by the text that they concern, each with the entry that corrects it."""
    sections: dict[str, list[str]] = {}
    for key, text in _entries():
        for source in SOURCES:
            if source in text:
                sections.setdefault(source, []).append(f"{key}: {text}")
                break
        else:
            if text:
                sections.setdefault("Other texts", []).append(f"{key}: {text}")
    count = sum(map(len, sections.values()))
    return Topic(
        "errata", "Errata", f"{count} corrections of formulas and claims in texts that many people learn from.",
        ["assay explain NAME   # the entry that corrects it, with its references"], sections, [], "errata",
    )  # fmt: skip
