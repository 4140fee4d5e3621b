"""Examples of losses of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.testing.examples import Example, examples


@examples("token_cross_entropy")
def _tokens(rng: Any) -> list[Example]:
    target = rng.integers(0, 7, (3, 4))
    padded = np.where(np.arange(4) >= np.array([[4], [2], [3]]), -100, target)
    logits = {"logits": 2 * rng.normal(size=(3, 4, 7)), "target": target}
    states = {"hidden": rng.normal(size=(3, 4, 5)), "output": rng.normal(size=(7, 5)), "bias": rng.normal(size=7)}
    names = ("hidden", "output", "bias")
    rows = Example({"logits": 2 * rng.normal(size=(9, 4)), "target": rng.integers(0, 4, 9)}, ("logits",))
    return [
        Example(rows.inputs, ("logits",), ("logits", "target")),
        Example(logits, ("logits",), ("logits", "target"), wide=0.0),
        Example({**logits, "target": padded}, ("logits",), (), {"label_smoothing": 0.1}, wide=0.0),
        Example({**states, "target": target}, names, ("hidden", "target"), {"chunk": 5}, wide=0.0),
        Example({**states, "target": padded}, names, (), {"chunk": 5, "label_smoothing": 0.1}, wide=0.0),
        Example({k: v for k, v in states.items() if k != "bias"} | {"target": target}, names[:2], wide=0.0),
    ]


@examples("structured_hinge")
def _chains(rng: Any) -> list[Example]:
    target = rng.integers(0, 4, (5, 6))
    padded = np.where(np.arange(6) >= np.array([[6], [2], [1], [4], [5]]), -100, target)
    logits = {"logits": 2 * rng.normal(size=(5, 6, 4)), "target": target}
    chain = {**logits, "transitions": rng.normal(size=(4, 4)), "start": rng.normal(size=4), "end": rng.normal(size=4)}
    rows = {"logits": 2 * rng.normal(size=(9, 4)), "target": rng.integers(0, 4, 9)}
    table = rng.random((4, 4)) * (1 - np.eye(4))
    names = ("logits", "transitions", "start", "end")
    return [
        Example(rows, ("logits",), tuple(rows)),
        Example(logits, ("logits",), ("logits", "target"), wide=0.0),
        Example(chain, names, ("logits", "target"), wide=0.0),
        Example({**chain, "target": padded}, names, ("logits", "target"), {"cost": table}, wide=0.0),
    ]


@examples("cosine")
def _directions(rng: Any) -> list[Example]:
    both = {"first": rng.normal(size=(12, 4)), "second": rng.normal(size=(12, 4))}
    named = {**both, "target": rng.choice([-1.0, 1.0], 12)}
    return [Example(both, ("first", "second"), ("first", "second")), _ranked(named, {"margin": 0.1}), _ranked(named)]


def _ranked(inputs: Any, options: Any = None) -> Example:
    return Example(inputs, ("first", "second"), tuple(inputs), options or {})


@examples("margin_ranking", "ranknet")
def _ranks(rng: Any) -> list[Example]:
    both = {"first": 3 * rng.normal(size=20), "second": 3 * rng.normal(size=20)}
    return [_ranked(both), _ranked({**both, "target": rng.choice([-1.0, 1.0], 20)})]


@examples("minimum_risk")
def _risks(rng: Any) -> list[Example]:
    names = ("log_probabilities", "risk")
    inputs = {names[0]: -np.abs(5 * rng.normal(size=(8, 5))), names[1]: rng.random((8, 5))}
    there = {**inputs, "valid": np.arange(5) < rng.integers(1, 6, (8, 1))}
    return [
        Example(inputs, names[:1], names),
        Example(inputs, names, names, {"alpha": 0.3}, wide=0.0),
        Example(there, names[:1], (*names, "valid")),
        Example(there, names[:1], (*names, "valid"), {"standardize": True}, wide=0.0),
    ]


@examples("reinforce")
def _policies(rng: Any) -> list[Example]:
    names = ("log_probabilities", "reward")
    whole = {names[0]: -np.abs(rng.normal(size=9)), names[1]: rng.random(9)}
    tokens = {names[0]: -np.abs(rng.normal(size=(6, 4))), names[1]: rng.random((6, 4))}
    mask = np.arange(4) < rng.integers(1, 5, (6, 1))
    return [
        Example(whole, names[:1], names, {"baseline": 0.4}),
        Example(whole, names[:1], (), {"baseline": "leave_one_out"}),
        Example(whole, names[:1], (), {"baseline": "batch", "standardize": True}),
        Example(tokens, names[:1], names, {"discount": 0.9}),
        Example({**tokens, "mask": mask}, names[:1], (), {"baseline": "batch", "discount": 0.5}),
        Example({**tokens, "mask": mask}, names[:1], (), {"baseline": 0.5, "standardize": True}),
        Example({**tokens, "reward": whole["reward"][:6], "mask": mask}, names[:1], (), {"baseline": "leave_one_out"}),
    ]
