"""Arguments that no loss can take, and calls of every loss with them: what comes back must be a value or an error of ours."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any, cast

import numpy as np

from assay.core.loss import losses
from assay.losses.reduction import LossOptions
from assay.testing.examples import Example, examples_of

Junk = Callable[[np.random.Generator, Any], Any]
SCALARS: list[Any] = [
    None, "", "mean", "paper", b"x", 0, 1, -1, 2, 10**30, -(10**400), 0.5, -0.0, math.nan, math.inf, -math.inf, 1e308, True, False,
    1 + 2j, Decimal("0.5"), np.float32(0.5), np.int8(-1), np.bool_(True), np.float64("nan"), np.datetime64("2020-01-01"),
    [], (), {}, set(), [[]], ["a"], [None], [1, [2]], {"a": 1}, object(), Ellipsis, NotImplemented, range(3), slice(None),
    "nan", "error", "none", "all", [1.0, "x"], [True, None], (1, 2, 3, 4, 5, 6, 7), np.array(None), np.array("x"),
]  # fmt: skip
ARRAYS: list[Junk] = [
    lambda rng, x: np.empty((0,)),
    lambda rng, x: np.empty((0, 3)),
    lambda rng, x: np.zeros(()),
    lambda rng, x: np.ones((1,) * 7),
    lambda rng, x: rng.normal(size=(2, 3)),
    lambda rng, x: rng.integers(-5, 300, (4,)),
    lambda rng, x: np.asarray(x)[None],
    lambda rng, x: np.asarray(x).ravel()[:-1],
    lambda rng, x: np.asarray(x).astype(complex) if np.asarray(x).dtype.kind in "biuf" else x,
    lambda rng, x: np.asarray(x).astype(object),
    lambda rng, x: np.asarray(x).astype(str),
    lambda rng, x: np.ma.masked_array(np.asarray(x)),
    lambda rng, x: np.array(["2020-01-01"], dtype="datetime64[D]"),
    lambda rng, x: np.full(np.shape(x), np.nan),
    lambda rng, x: np.full(np.shape(x), np.inf),
    lambda rng, x: np.full(np.shape(x), 2**63 - 1),
    lambda rng, x: np.full(np.shape(x), -(2**31)),
    lambda rng, x: np.zeros(np.shape(x), bool),
    lambda rng, x: np.zeros(np.shape(x), np.uint8),
    lambda rng, x: np.zeros(np.shape(x), np.float16),
    lambda rng, x: np.zeros(np.shape(x), np.longdouble),
    lambda rng, x: np.zeros(3, dtype=[("a", "f8")]),
    lambda rng, x: [[1.0, 2.0], [3.0]],
    lambda rng, x: np.asarray(x).tolist(),
]


def torch_arrays() -> list[Junk]:
    """Tensors that hold no plain numbers."""
    import torch

    t: Any = torch

    def tensor(x: Any) -> Any:
        found = np.asarray(x)
        return t.tensor(found if found.dtype.kind in "biuf" else np.zeros(3))

    return [
        lambda rng, x: tensor(x),
        lambda rng, x: tensor(x).to("meta"),
        lambda rng, x: tensor(x).to_sparse() if np.ndim(x) else tensor(x),
        lambda rng, x: tensor(x).float().to(t.float8_e4m3fn),
        lambda rng, x: tensor(x).to(t.complex64),
        lambda rng, x: tensor(x).to(t.bool),
        lambda rng, x: tensor(x).to(t.bfloat16),
        lambda rng, x: tensor(x).to(t.uint16),
        lambda rng, x: t.empty(0),
        lambda rng, x: t.nested.nested_tensor([t.ones(2), t.ones(3)]),
        lambda rng, x: t.quantize_per_tensor(t.ones(3), 0.1, 0, t.qint8),
        lambda rng, x: t.nn.Parameter(tensor(x).double()),
    ]


def jax_arrays() -> list[Junk]:
    """Arrays of a third library."""
    import jax.numpy as jnp

    return [lambda rng, x: jnp.ones(np.shape(x)), lambda rng, x: jnp.zeros((2,), dtype=jnp.complex64)]


def _tensor(value: Any) -> Any:
    import torch

    return cast(Any, torch).tensor(np.asarray(value))


LIBRARIES: list[Callable[[Any], Any]] = [np.asarray, _tensor, np.ndarray.tolist]


def names_of(loss: Any) -> list[str]:
    """The parameters of a loss, with the shared ones, one that it lacks, and its inputs."""
    own = [n for n, p in inspect.signature(loss).parameters.items() if p.kind is not p.VAR_KEYWORD]
    return [*own, *(name for name in LossOptions.__annotations__ if name not in own), "no_such_parameter"]


def calls(seed: int, count: int, arrays: list[Junk]) -> Any:
    """``count`` calls with one or two arguments replaced by junk: (loss, arguments, what was replaced)."""
    rng = np.random.default_rng(seed)
    known: list[tuple[Any, list[Example]]] = [(loss, examples_of(loss)) for loss in losses()]
    for k in range(count):
        loss, examples = known[k % len(known)]
        example = examples[rng.integers(len(examples))]
        make = LIBRARIES[rng.integers(len(LIBRARIES))] if len(arrays) > len(ARRAYS) else np.asarray
        given = {**{name: make(value) for name, value in example.inputs.items()}, **example.options}
        names = names_of(loss)
        replaced = [names[rng.integers(len(names))] for _ in range(1 + (rng.random() < 0.3))]
        for name in replaced:
            inputs = name in example.inputs or rng.random() < 0.3
            if inputs and rng.random() < 0.7:
                given[name] = arrays[rng.integers(len(arrays))](rng, example.inputs.get(name, np.ones(3)))
            else:
                given[name] = SCALARS[rng.integers(len(SCALARS))]
        if rng.random() < 0.05:
            given.pop(next(iter(example.inputs)))
        yield loss, given, replaced


def foreign(loss: Any, given: dict[str, Any]) -> BaseException | None:
    """What a call raises that is no error of ours."""
    from assay.core.errors import AssayError

    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            loss(**given)
    except AssayError:
        return None
    except Exception as error:
        return error
    return None
