"""The bibliography: every reference that records and topics cite, by its key; the citations lie in ``references.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib import resources

REFERENCES: dict[str, str] = tomllib.loads(
    (resources.files("assay.explain") / "references.toml").read_text(encoding="utf-8")
)


def cited(keys: Iterable[str]) -> list[str]:
    """The citations of these keys; a metric of your own may name its source in full instead of by a key.

    >>> cited(["girshick2015"])
    ['R. Girshick (2015). Fast R-CNN. ICCV 2015, 1440–1448.']
    """
    return [REFERENCES.get(key, key) for key in keys]
