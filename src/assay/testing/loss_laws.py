"""The laws of losses: reductions, weights, libraries, gradients, precisions, and the claims of the record."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

import numpy as np

from assay.core.arrays import Array
from assay.core.errors import AssayError, LawError, UndefinedError
from assay.testing import loss_properties
from assay.testing.examples import Example
from assay.testing.law_values import Checks, counted, library, near

LossFunction: TypeAlias = Callable[..., Array]
LossLaw = Callable[[LossFunction, Example], int]
LOSS_LAWS: dict[str, LossLaw] = {}


def law(function: Callable[[LossFunction, Example], None]) -> LossLaw:
    """Add a law under the name of its function; it returns the number of its comparisons, 0 where it does not apply."""

    @functools.wraps(function)
    def run(loss: LossFunction, example: Example) -> int:
        return counted(lambda: function(loss, example))

    LOSS_LAWS[function.__name__] = run
    return run


def call(loss: LossFunction, example: Example, **changes: object) -> Array:
    """The value of an example: of its parts' sum, if the loss gives parts."""
    return total(loss(**{**example.inputs, **example.options, **changes}))


def total(value: Array) -> Array:
    """The one number that is minimised: the value itself, or the total of its parts."""
    return value.total if hasattr(value, "total") else value


def need(held: object, loss: LossFunction, what: str) -> None:
    """Count a comparison, and raise if a law is broken."""
    Checks.made += 1
    if not held:
        raise LawError(str(getattr(loss, "key", loss)), "", what)


def takes(loss: LossFunction, name: str) -> bool:
    """Whether a loss has this parameter, or hands on all of the shared ones."""
    found = inspect.signature(loss).parameters
    return name in found or any(p.kind is p.VAR_KEYWORD for p in found.values())


# ---- reductions and rows


@law
def finite_and_in_range(loss: LossFunction, example: Example) -> None:
    """The value is a finite number within the range of the record."""
    value = np.asarray(call(loss, example))
    need(value.ndim == 0 and np.isfinite(value), loss, f"the value is {value}, not one finite number")
    record = getattr(loss, "record", None)
    if record is not None:
        low, high = record.range
        need(low - 1e-9 <= value <= high + 1e-9, loss, f"the value {value} lies outside of {record.range}")


@law
def reductions_agree(loss: LossFunction, example: Example) -> None:
    """The sum is the sum of the single losses, and the mean divides it by their number."""
    if not example.rows or not takes(loss, "reduction"):
        return
    each = np.asarray(call(loss, example, reduction="none"))
    need(near(each.sum(), call(loss, example, reduction="sum")), loss, "the sum is not the sum of the single losses")
    need(near(each.mean(), call(loss, example)), loss, "the mean is not the mean of the single losses")


@law
def masks_select(loss: LossFunction, example: Example) -> None:
    """A mask gives what the rows alone give; a weight of 2 counts a row twice; nothing selected follows ``undefined``."""
    if not example.rows or not takes(loss, "mask"):
        return
    n = len(example.inputs[example.rows[0]])
    keep = np.arange(n) % 3 > 0
    chosen = example.replaced(**{name: np.asarray(example.inputs[name])[keep] for name in example.rows})
    need(near(call(loss, example, mask=keep), call(loss, chosen)), loss, "a mask does not equal the rows it selects")
    twice = np.concatenate([np.arange(n), np.arange(0, n, 2)])
    repeated = example.replaced(**{name: np.asarray(example.inputs[name])[twice] for name in example.rows})
    weight = np.where(np.arange(n) % 2 == 0, 2.0, 1.0)
    need(near(call(loss, example, weight=weight), call(loss, repeated)), loss, "a weight of 2 is not a row given twice")
    none = np.zeros(n, bool)
    need(float(call(loss, example, mask=none)) == 0, loss, "nothing selected does not give 0")
    need(np.isnan(call(loss, example, mask=none, undefined="nan")), loss, "undefined='nan' does not give NaN")
    try:
        call(loss, example, mask=none, undefined="error")
    except UndefinedError:
        return
    need(False, loss, "undefined='error' raises nothing")


# ---- libraries and gradients


def moved(example: Example, make: Callable[[Array], Array]) -> Example:
    """The example in another library."""
    return example.replaced(**{name: make(np.asarray(value)) for name, value in example.inputs.items()})


@law
def libraries_agree(loss: LossFunction, example: Example) -> None:
    """NumPy, PyTorch and the strict array library give the same value."""
    value = np.asarray(call(loss, example))
    strict, torch = (library(name) for name in ("array_api_strict", "torch"))
    if strict:
        need(near(call(loss, moved(example, strict.asarray)), value), loss, "array-api-strict gives another value")
    if torch:
        need(near(call(loss, moved(example, torch.tensor)), value), loss, "PyTorch gives another value")


def varied(example: Example, make: Callable[[Array], Array]) -> tuple[list[Array], Callable[..., Example]]:
    """The inputs that are differentiated, and the example with others in their place."""
    there = moved(example, make)
    names = example.vary
    return [there.inputs[name] for name in names], lambda *given: there.replaced(**dict(zip(names, given, strict=True)))


@law
def gradients_are_right(loss: LossFunction, example: Example) -> None:
    """The gradients on PyTorch are those of finite differences; those on JAX must equal them, see `jax_agrees`."""
    torch = library("torch")
    if torch:
        of, leaves = _torch_leaves(torch, loss, example)
        right = example.stopped or torch.autograd.gradcheck(of, leaves, raise_exception=False)
        need(right, loss, "the gradient on PyTorch is not that of finite differences")


def _torch_leaves(torch: Any, loss: LossFunction, example: Example) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    inputs, put = varied(example, torch.tensor)
    return lambda *given: call(loss, put(*given)), tuple(x.requires_grad_() for x in inputs)


def _slopes_elsewhere(loss: LossFunction, example: Example) -> list[Any]:
    """The gradients on PyTorch; without it, differences of values on NumPy, entry by entry."""
    torch = library("torch")
    if torch:
        of, leaves = _torch_leaves(torch, loss, example)
        return [np.asarray(g) for g in torch.autograd.grad(of(*leaves), leaves)]
    return [_differences(loss, example, name) for name in example.vary]


def _differences(loss: LossFunction, example: Example, name: str) -> Any:
    base, step = np.asarray(example.inputs[name], np.float64), 1e-6
    found = np.empty(base.shape)
    for at in np.ndindex(base.shape):
        up, down = (call(loss, example.replaced(**{name: _put(base, at, float(base[at]) + s)})) for s in (step, -step))
        found[at] = (float(up) - float(down)) / (2 * step)
    return found


@law
def jax_agrees(loss: LossFunction, example: Example) -> None:
    """Under jit, JAX gives NumPy's value and PyTorch's gradient, and neither hides NaN; one compilation does for all of it."""
    jax = library("jax")
    if not jax:
        return
    with jax.enable_x64(True):
        there = moved(example, jax.numpy.asarray).inputs

        def of(chosen: dict[str, Any], others: dict[str, Any]) -> Any:
            return total(loss(**chosen, **others, **example.options))

        compiled = jax.jit(jax.value_and_grad(of))

        def run(inputs: Any) -> tuple[Any, Any]:
            chosen = {name: inputs[name] for name in example.vary}
            return compiled(chosen, {name: x for name, x in inputs.items() if name not in chosen})

        value, slopes = run(there)
        need(near(value, call(loss, example)), loss, "JAX under jit gives another value")
        for name, _, spoilt in spoilt_by_nan(loss, example):
            found = run(moved(spoilt, jax.numpy.asarray).inputs)[0]
            need(np.isnan(found), loss, f"{name} holds NaN, but JAX under jit gives {found}")
        first = example.vary[0]
        spoilt = run({**there, first: jax.numpy.full_like(there[first], jax.numpy.nan)})[1]
        need(any(np.isnan(s).any() for s in spoilt.values()), loss, "of NaN every gradient on JAX is a number")
        if library("torch") or not example.stopped:
            tolerance = 1e-8 if library("torch") else 1e-4
            pairs = zip(example.vary, _slopes_elsewhere(loss, example), strict=True)
            same = all(near(slopes[name], wanted, tolerance) for name, wanted in pairs)
            need(same, loss, "JAX and PyTorch differ in the gradient")


@law
def jax_maps(loss: LossFunction, example: Example) -> None:
    """Under vmap, JAX gives the same value for each of two equal calls."""
    jax = library("jax")
    if jax:
        with jax.enable_x64(True):
            inputs = moved(example, jax.numpy.asarray).inputs
            stacked = {name: jax.numpy.stack([x, x]) for name, x in inputs.items()}

            def of(given: dict[str, Any]) -> Any:
                return total(loss(**given, **example.options))

            mapped = jax.jit(jax.vmap(of))(stacked)
            value = np.asarray(call(loss, example))
            need(near(mapped, [value, value]), loss, "JAX under vmap gives another value")


@law
def precisions_stay_finite(loss: LossFunction, example: Example) -> None:
    """Values and gradients are finite in single and half precision."""
    torch = library("torch")
    for name in ("float32", "bfloat16", "float16") if torch else ():
        kind = getattr(torch, name)
        inputs, put = varied(example, lambda x, kind=kind: torch.tensor(x, dtype=kind if x.dtype.kind == "f" else None))
        leaves = tuple(x.requires_grad_() for x in inputs)
        value = call(loss, put(*leaves))
        slopes = torch.autograd.grad(value, leaves)
        finite = bool(torch.isfinite(value)) and all(bool(torch.isfinite(s).all()) for s in slopes)
        need(finite, loss, f"the value or the gradient is not finite in {name}")


@law
def blocks_change_nothing(loss: LossFunction, example: Example) -> None:
    """The block-wise route of large tensors gives the value, the gradient and the second derivative of the plain one."""
    torch = library("torch")
    if not torch:
        return
    plain = _first_and_second(torch, loss, example)
    with _small_blocks():
        blocked = _first_and_second(torch, loss, example)
    for what, a, b in zip(("value", "gradient", "second derivative"), plain, blocked, strict=True):
        need(near(a, b, 1e-9), loss, f"block by block the {what} differs")


@contextlib.contextmanager
def _small_blocks() -> Any:
    """Tensors of any size go block by block, and blocks are small."""
    blocks = cast(Any, importlib.import_module("assay.torch.blocks"))
    kept = blocks.FEWEST, blocks.BLOCK
    try:
        blocks.FEWEST, blocks.BLOCK = 1, 7
        yield
    finally:
        blocks.FEWEST, blocks.BLOCK = kept


def _first_and_second(torch: Any, loss: LossFunction, example: Example) -> tuple[Any, Any, Any]:
    """The value, the gradient, and the gradient of a fixed projection of the gradient."""
    inputs, put = varied(example, torch.tensor)
    leaves = tuple(x.requires_grad_() for x in inputs)
    value = call(loss, put(*leaves))
    slopes = torch.autograd.grad(3 * value, leaves, retain_graph=True)
    value = call(loss, put(*leaves))
    graph = torch.autograd.grad(value, leaves, create_graph=True)
    length = sum((torch.cos(g) * g).sum() for g in graph)
    if not getattr(length, "requires_grad", False):
        return value.detach(), torch.cat([s.ravel() for s in slopes]), np.zeros(1)
    second = torch.autograd.grad(length, leaves, allow_unused=True)
    flat = [s.ravel() for s in second if s is not None]
    return value.detach(), torch.cat([s.ravel() for s in slopes]), torch.cat(flat) if flat else np.zeros(1)


# ---- what is not a number


@law
def nan_is_never_hidden(loss: LossFunction, example: Example) -> None:
    """NaN in whatever counts gives NaN, in the mean, the sum and the losses it moves; and a gradient that has NaN too.

    On NumPy and on every route of PyTorch: a model that has diverged must not show a perfect loss. An error is as good. JAX is
    looked at by the laws that compile the loss anyway.
    """
    routes = _routes(loss)
    for name, at, spoilt in spoilt_by_nan(loss, example):
        for route, run in routes.items():
            _need_nan(loss, f"{name} holds NaN, but on {route}", run, spoilt)
        _need_single_nan(loss, example, spoilt, name, at)


def spoilt_by_nan(loss: LossFunction, example: Example) -> Iterator[tuple[str, Array, Example]]:
    """The example with NaN everywhere in one of its inputs, and at one place that counts: the input, the place, the call."""
    for name, value in example.inputs.items():
        if np.asarray(value).dtype.kind == "f":
            for at in (..., *_counting(loss, example, name)):
                yield name, at, example.replaced(**{name: _put(value, at, np.nan)})


def _put(value: Any, at: Any, what: float) -> Any:
    changed = np.array(value)
    changed[at] = what
    return changed


def _moved_by(loss: LossFunction, example: Example, name: str, at: Any, **options: Any) -> Any:
    """Where the loss changes if one number of an input does, whichever way."""
    with np.errstate(all="ignore"):
        base, found = np.asarray(call(loss, example, **options)), np.zeros((), dtype=bool)
        for what in (0.3, 0.9, 40.0, -40.0):
            with contextlib.suppress(AssayError):
                other = np.asarray(
                    call(loss, example.replaced(**{name: _put(example.inputs[name], at, what)}), **options)
                )
                found = found | ((base != other) & ~(np.isnan(base) & np.isnan(other)))
    return found


def _counting(loss: LossFunction, example: Example, name: str) -> list[Any]:
    """Two numbers of an input on which the loss depends: neither masked nor ignored, nor of a class that weighs nothing."""
    shape = np.shape(example.inputs[name])
    places: list[int] = np.random.default_rng(7).permutation(math.prod(shape))[:12].tolist() if shape else []
    every = (tuple(int(i) for i in np.unravel_index(k, shape)) for k in places)
    return list(itertools.islice((at for at in every if _moved_by(loss, example, name, at).any()), 2))


def _need_nan(
    loss: LossFunction, what: str, run: Callable[[Example], tuple[list[Any], list[Any]]], spoilt: Example
) -> None:
    try:
        with np.errstate(all="ignore"):
            values, slopes = run(spoilt)
    except AssayError:
        return
    for value in values:
        need(np.isnan(value).all(), loss, f"{what} the value is {value}")
    told = not slopes or any(np.isnan(slope).any() for slope in slopes)
    need(told, loss, f"{what} every gradient is a number")


def _need_single_nan(loss: LossFunction, example: Example, spoilt: Example, name: str, at: Any) -> None:
    """Without a reduction, the losses that the number moves are NaN, and those that it does not are as they were."""
    if at is ... or not takes(loss, "reduction"):
        return
    moved_by = _moved_by(loss, example, name, at, reduction="none")
    with contextlib.suppress(AssayError), np.errstate(all="ignore"):
        single = np.asarray(call(loss, spoilt, reduction="none"))
        need(np.isnan(single[moved_by]).all(), loss, f"{name} holds NaN at {at}, but its own loss is {single}")
        if example.rows:
            rest = np.asarray(call(loss, example, reduction="none"))[~moved_by]
            need(near(single[~moved_by], rest), loss, f"NaN in {name} at {at} spoils losses that do not depend on it")


def _routes(loss: LossFunction) -> dict[str, Callable[[Example], tuple[list[Any], list[Any]]]]:
    """Values (by reduction) and gradients of a call, on NumPy and by each route of PyTorch."""
    reductions: list[dict[str, Any]] = [{}, {"reduction": "sum"}] if takes(loss, "reduction") else [{}]

    def numpy_route(spoilt: Example) -> tuple[list[Any], list[Any]]:
        return [np.asarray(call(loss, spoilt, **one)) for one in reductions], []

    torch = library("torch")
    if not torch:
        return {"NumPy": numpy_route}
    run = functools.partial(_torch_route, torch, loss, reductions)
    return {
        "NumPy": numpy_route,
        "PyTorch": functools.partial(run, "float64", contextlib.nullcontext),
        "PyTorch block by block": functools.partial(run, "float64", _small_blocks),
        "PyTorch block by block in float32": functools.partial(run, "float32", _small_blocks),
    }


def _torch_route(
    torch: Any, loss: LossFunction, reductions: list[dict[str, Any]], kind: str, route: Any, spoilt: Example
) -> tuple[list[Any], list[Any]]:
    dtype = getattr(torch, kind)
    inputs, put = varied(spoilt, lambda x: torch.tensor(x, dtype=dtype if x.dtype.kind == "f" else None))
    with route():
        values = [call(loss, put(*inputs), **one).numpy() for one in reductions]
        leaves = tuple(x.requires_grad_() for x in inputs)
        value = call(loss, put(*leaves))
        slopes = torch.autograd.grad(value, leaves, allow_unused=True)
    return [*values, value.detach().numpy()], [slope.numpy() for slope in slopes if slope is not None]


@law
def claims_hold(loss: LossFunction, example: Example) -> None:
    """Every property of the record holds on the example, by numbers."""
    record = getattr(loss, "record", None)
    if record is None or example.wide == 0:
        return

    def f(x: Any, **others: Any) -> float:
        return float(call(loss, example, **{example.vary[0]: x}, **others))

    for name in sorted(record.properties):
        claim = loss_properties.CLAIMS.get(name)
        if claim is not None:
            need(claim(f, loss, example), loss, f"it is said to be {name}, and is not")
