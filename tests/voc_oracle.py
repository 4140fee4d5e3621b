"""VOCevaldet.m of the VOC devkit, transcribed, and the table that Padilla et al. publish with their tool."""

from __future__ import annotations

import numpy as np

# The example in the README of rafaelpadilla/Object-Detection-Metrics (Padilla et al. 2021): 15 objects, 24 detections by falling
# confidence, right (1) or wrong (0) at an IoU of 0.3, and the two averages that it prints.
PADILLA_OBJECTS = 15
PADILLA_RIGHT = (1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0)
PADILLA_EVERY_POINT, PADILLA_ELEVEN_POINTS = 0.2456866804, 0.2683982683


def twin(truth: list[dict], found: list[dict], label: int, iou: float, points: str, more: float) -> float:
    """Average precision of a class; ``more`` is the added pixel."""
    queue = [
        (score, image, box)
        for image, one in enumerate(found)
        for score, box, own in zip(one["scores"], one["boxes"], one["labels"], strict=True)
        if own == label
    ]
    queue.sort(key=lambda item: -item[0])
    taken, outcome = set(), []
    positives = sum((np.array(t["labels"]) == label)[np.array(t["ignore"]) == 0].sum() for t in truth)
    if not positives:
        return np.nan
    for _, image, d in queue:
        best, at = -np.inf, -1
        for g, (box, own) in enumerate(zip(truth[image]["boxes"], truth[image]["labels"], strict=True)):
            if own != label:
                continue
            w = min(d[2], box[2]) - max(d[0], box[0]) + more
            h = min(d[3], box[3]) - max(d[1], box[1]) + more
            area = [(b[2] - b[0] + more) * (b[3] - b[1] + more) for b in (d, box)]
            value = w * h / (sum(area) - w * h) if w > 0 and h > 0 else 0.0
            if value > best:
                best, at = value, g
        if best >= iou and truth[image]["ignore"][at]:
            continue
        outcome.append(best >= iou and (image, at) not in taken)
        taken |= {(image, at)} if best >= iou else set()
    tp = np.cumsum(outcome)
    recall, precision = tp / positives, tp / np.arange(1, len(tp) + 1)
    if points == "eleven":
        return sum(max(precision[recall >= t], default=0.0) for t in np.linspace(0, 1, 11)) / 11
    recall, precision = np.concatenate([[0], recall, [1]]), np.concatenate([[0], precision, [0]])
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    return float(((recall[1:] - recall[:-1]) * precision[1:]).sum())
