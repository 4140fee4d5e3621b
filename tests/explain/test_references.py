"""One bibliography: every key that is cited is in it, and nothing is in it that nobody cites."""

from __future__ import annotations

import re

from assay.core.loss import losses
from assay.core.registry import metrics
from assay.explain.references import REFERENCES, cited
from assay.explain.topics import TOPICS


def _keys() -> set[str]:
    records = [entry.record for entry in (*metrics(), *losses())]
    return {key for record in records for key in record.references}


def test_records_cite_keys_of_the_bibliography() -> None:
    assert _keys() <= set(REFERENCES)


def test_no_reference_is_unused() -> None:
    shown = {text for topic in TOPICS.values() for text in topic.references}
    assert [key for key, text in REFERENCES.items() if key not in _keys() and text not in shown] == []


def test_topics_cite_the_bibliography_only() -> None:
    texts = set(REFERENCES.values())
    assert all(text in texts for topic in TOPICS.values() for text in topic.references)


def test_every_key_is_an_author_and_the_year_of_its_citation() -> None:
    assert list(REFERENCES) == sorted(REFERENCES)
    assert len(set(REFERENCES.values())) == len(REFERENCES)
    for key, text in REFERENCES.items():
        year = re.search(r"(\d{4})[a-z]?$", key)
        assert year, key
        assert f"({year[1]})" in text, key
        assert text.endswith("."), key


def test_a_source_in_full_is_shown_as_it_is() -> None:
    assert cited(["girshick2015", "My thesis (2024)."]) == [REFERENCES["girshick2015"], "My thesis (2024)."]
