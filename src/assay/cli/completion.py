"""What the shell completes: metrics, tasks, and everything that can be explained."""

from __future__ import annotations


def metrics(incomplete: str) -> list[str]:
    """Metrics that begin like the last one of a list with commas."""
    from assay.core.registry import METRICS, load_all

    load_all()
    head, comma, last = incomplete.rpartition(",")
    return [f"{head}{comma}{key}" for key in sorted(METRICS.entries) if key.startswith(last)]


def tasks(incomplete: str) -> list[str]:
    """Tasks of tables, images and texts."""
    from assay.evaluation.presets import TASKS

    return [task for task in TASKS if task.startswith(incomplete)]


def entries(incomplete: str) -> list[str]:
    """Metrics, losses and topics."""
    from assay.core.loss import NAMES
    from assay.core.registry import METRICS, load_all
    from assay.explain.topics import TOPICS

    load_all()
    NAMES.load()
    known = {"errata", *METRICS.entries, *NAMES.entries, *TOPICS, *(f"loss.{key}" for key in NAMES.entries)}
    return sorted(key for key in known if key.startswith(incomplete))
