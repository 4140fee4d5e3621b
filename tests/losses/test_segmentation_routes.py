"""The fast route of losses of overlap on large tensors: its value, gradient and second derivative are those of the plain one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay import losses

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(63)
Z, Y = 2 * RNG.normal(size=(3, 4, 5, 6)), RNG.integers(0, 3, (3, 5, 6))
SHARE = torch.tensor(RNG.random((3, 5, 6)) * (RNG.random((3, 5, 6)) > 0.3))


def results(f: Any, options: Any, z: Any, y: Any) -> list[Any]:
    """The value, the gradient twice (what is kept between is used up by the first), and a second derivative."""
    value = f(z, y, **options)
    first, again = (torch.autograd.grad(2 * value, z, retain_graph=True)[0] for _ in range(2))
    (graph,) = torch.autograd.grad(value, z, create_graph=True)
    (second,) = torch.autograd.grad((graph * torch.cos(graph)).sum(), z)
    return [value.detach(), first, again, second]


FORMS: list[tuple[Any, dict[str, Any]]] = [
    (losses.dice, {}),
    (losses.dice, {"squared": True, "over": "image", "classes": "all"}),
    (losses.dice, {"weight": SHARE, "squared": True, "log": True}),
    (losses.dice, {"ignore_index": 1, "average": "micro", "smooth": (0.5, 1.0)}),
    (losses.jaccard, {"weight": SHARE, "over": "image"}),
    (losses.tversky, {"focal": 0.75, "class_weight": [1.0, 2.0, 0.5, 1.0], "classes": "all"}),
]


@pytest.mark.parametrize(("f", "options"), FORMS, ids=lambda x: getattr(x, "key", None))
@pytest.mark.parametrize("form", ["images", "channels last", "volumes"])
def test_fast_is_plain(monkeypatch: pytest.MonkeyPatch, f: Any, options: Any, form: str) -> None:
    from assay.torch import blocks, segmentation

    z, y = torch.tensor(Z), torch.tensor(Y, dtype=torch.int32)
    if form == "channels last":
        z = z.contiguous(memory_format=torch.channels_last)
    if form == "volumes":
        z, y = z.reshape(3, 4, 5, 3, 2), y.reshape(3, 5, 3, 2)
        options = {k: v.reshape(3, 5, 3, 2) if k == "weight" else v for k, v in options.items()}
    plain = results(f, options, z.clone().requires_grad_(), y)
    calls: list[Any] = []
    counts = segmentation.counts
    monkeypatch.setattr(segmentation, "counts", lambda *given: calls.append(given) or counts(*given))
    monkeypatch.setattr(blocks, "FEWEST", 1)
    fast = results(f, options, z.clone().requires_grad_(), y)
    assert calls
    for a, b in zip(plain, fast, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-13)
    with torch.no_grad():
        torch.testing.assert_close(f(z, y, **options), plain[0], rtol=1e-12, atol=1e-14)


def test_logits_of_places_that_do_not_count_may_be_infinite(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.torch import blocks

    monkeypatch.setattr(blocks, "FEWEST", 1)
    mask = torch.tensor(Y != 1)
    z = torch.where(mask[:, None], torch.tensor(Z), float("inf")).requires_grad_()
    for f in (losses.dice, losses.jaccard, losses.tversky, losses.lovasz_softmax):
        value = f(z, torch.tensor(Y), mask=mask)
        (slope,) = torch.autograd.grad(value, z)
        assert torch.isfinite(value)
        assert torch.isfinite(slope).all()
        assert (slope[(~mask)[:, None].expand_as(slope)] == 0).all()


def test_weights_that_learn_take_the_plain_route(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.torch import blocks

    monkeypatch.setattr(blocks, "FEWEST", 1)
    weight = torch.tensor(RNG.random((3, 5, 6)), requires_grad=True)
    losses.dice(torch.tensor(Z), torch.tensor(Y), weight=weight).backward()
    assert weight.grad is not None
    assert weight.grad.abs().sum() > 0


def peak(call: Any) -> int:
    """The most bytes that tensors made during a call hold at one time."""
    from torch.multiprocessing.reductions import StorageWeakRef
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Watch(TorchDispatchMode):
        live: dict[int, tuple[Any, int]] = {}  # noqa: RUF012
        most = 0

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            out = func(*args, **(kwargs or {}))
            for x in tree_leaves((args, kwargs)):
                if isinstance(x, torch.Tensor):
                    self.live.setdefault(x.untyped_storage()._cdata, (StorageWeakRef(x.untyped_storage()), 0))
            for x in tree_leaves(out):
                if isinstance(x, torch.Tensor):
                    storage = x.untyped_storage()
                    self.live.setdefault(storage._cdata, (StorageWeakRef(storage), storage.nbytes()))
            self.live = {k: (ref, size) for k, (ref, size) in self.live.items() if not ref.expired()}
            self.most = max(self.most, sum(size for _, size in self.live.values()))
            return out

    with Watch() as watch:
        call()
    return watch.most


@pytest.mark.parametrize("f", [losses.dice, losses.lovasz_softmax], ids=lambda f: f.key)
def test_one_array_as_large_as_the_logits_is_kept(f: Any) -> None:
    """Peers keep a one-hot array and every product; here the softmax (or the slopes) stays, and becomes the gradient."""
    z, y = torch.randn(8, 16, 64, 64, requires_grad=True), torch.randint(0, 16, (8, 64, 64))
    size = z.numel() * z.element_size()
    assert peak(lambda: (2 * z.detach(), 3 * z.detach())) == 2 * size  # the measure itself
    assert (
        size <= peak(lambda: f(z, y).backward()) < 2 * size
    )  # beside it some images, and what is as large as the labels
