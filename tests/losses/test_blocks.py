"""The block-wise route of large tensors in a training loop: asked twice, accumulated, masked, empty, under other modes."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import assay
from assay import losses
from messages import refusal

torch = pytest.importorskip("torch")
N = 1 << 18


def leaf(n: int = N, seed: int = 0) -> Any:
    return torch.randn(n, generator=torch.Generator().manual_seed(seed)).requires_grad_()


@pytest.mark.parametrize("f", [losses.mse, losses.huber, losses.log_cosh, losses.poisson_nll], ids=lambda f: f.key)
def test_gradients_may_be_asked_for_again_and_changed_in_place(f: Any) -> None:
    p, y = leaf(), torch.ones(N)
    value = f(p, y)
    value.backward(retain_graph=True)
    first = p.grad.clone()
    value.backward(retain_graph=True)
    torch.testing.assert_close(p.grad, 2 * first)
    p.grad.zero_()
    (3 * value).backward()
    torch.testing.assert_close(p.grad, 3 * first)
    again = f(p, y)
    (again + again).backward()
    torch.testing.assert_close(p.grad, 5 * first)


@pytest.mark.parametrize("n", [8, N])
def test_what_is_masked_may_be_infinite_or_missing(n: int) -> None:
    p = torch.zeros(n)
    p[0], p[1] = float("inf"), float("nan")
    p.requires_grad_()
    mask = torch.arange(n) > 1
    value = losses.mse(p, torch.ones(n), mask=mask)
    value.backward()
    assert float(value.detach()) == 1.0
    assert torch.isfinite(p.grad).all()
    assert (p.grad[:2] == 0).all()


@pytest.mark.parametrize("n", [8, N])
@pytest.mark.parametrize("undefined", [0, 1, 2.5])
def test_nothing_selected_is_what_undefined_says(n: int, undefined: float) -> None:
    p = leaf(n)
    value = losses.mse(p, torch.zeros(n), mask=torch.zeros(n), undefined=undefined)
    value.backward()
    assert float(value.detach()) == undefined
    assert (p.grad == 0).all()
    missing = losses.mse(p, torch.zeros(n), mask=torch.zeros(n), undefined="nan")
    assert torch.isnan(missing)
    with refusal(assay.UndefinedError):
        losses.mse(p, torch.zeros(n), mask=torch.zeros(n), undefined="error")


def test_targets_changed_in_place_do_not_change_the_gradient() -> None:
    p, y = leaf(), torch.ones(N)
    value = losses.log_cosh(p, y)
    y.zero_()
    value.backward()
    torch.testing.assert_close(p.grad, torch.tanh(p.detach() - 1) / N)


def test_other_modes_take_the_plain_body() -> None:
    p, y = leaf().detach(), torch.ones(N)
    expected = 2 * (p - y) / N
    torch.testing.assert_close(torch.func.grad(lambda x: losses.mse(x, y))(p), expected)
    torch.testing.assert_close(
        torch.autograd.functional.jacobian(lambda x: losses.mse(x, y), p, vectorize=True), expected
    )
    with torch.no_grad():
        assert float(losses.mse(p, y)) == pytest.approx(float(((p - y) ** 2).mean()), rel=1e-6)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(p, torch.ones(N))
        slope = torch.autograd.forward_ad.unpack_dual(losses.mse(dual, y)).tangent
    assert float(slope) == pytest.approx(float(expected.sum()), rel=1e-4)


REFUSED = [
    (lambda: losses.mse(["1", "2"], ["1", "5"]), "must hold real numbers"),
    (lambda: losses.mse([1 + 5j], [1.0]), "complex numbers"),
    (lambda: losses.mse(np.ma.masked_array([1.0, 2.0], [0, 1]), [1.0, 2.0]), "masked array"),
    (lambda: losses.mse([[1.0], [1.0, 2.0]], [1.0]), "ragged"),
    (lambda: losses.mse(None, [1.0]), "must hold real numbers"),
    (lambda: losses.mse(torch.zeros(2), np.zeros(2)), "arrays of one library"),
    (lambda: losses.mse([1.0], [1.0], weight=torch.ones(1)), "library of the other inputs"),
    (lambda: losses.mse([1.0], [1.0], undefined=np.zeros(2)), "undefined must be"),
    (lambda: losses.huber([1.0], [1.0], delta=np.float32(-1)), "delta must be a number above 0"),
    (lambda: losses.huber([1.0], [1.0], delta=torch.tensor(-1.0)), "delta must be a number above 0"),
    (lambda: losses.huber([1.0], [1.0], delta=np.ones((2, 1))), "delta must be a number above 0"),
    (lambda: losses.poisson_nll([1.0], [1.0], log_input="no"), "log_input must be True or False"),
    (lambda: losses.cross_entropy([[1.0, 2.0]], [1], ignore_index="x"), "an integer or None"),
    (lambda: losses.huber([1.0]), "target must be given"),
    (lambda: losses.huber([1.0], [1.0], 2.0), "takes prediction, target as positional arguments"),
    (lambda: losses.sinkhorn([[1.0]], [[1.0]], epsilom=1.0), "Did you mean 'epsilon'"),
]


@pytest.mark.parametrize(
    "call", [call for call, _ in REFUSED], ids=[f"{i}: {words}" for i, (_, words) in enumerate(REFUSED)]
)
def test_bad_calls_are_refused_in_our_words(call: Any) -> None:
    with refusal(assay.AssayError):
        call()


def test_weights_in_numpy_join_tensors() -> None:
    p, y = leaf(6), torch.zeros(6)
    torch.testing.assert_close(
        losses.mse(p, y, weight=np.arange(6.0)), losses.mse(p, y, weight=torch.arange(6.0)), rtol=1e-6, atol=0
    )


def test_an_error_for_nothing_is_refused_under_jit() -> None:
    jax = pytest.importorskip("jax")
    mask = jax.numpy.zeros(2)
    with refusal(assay.ParameterError):
        jax.jit(lambda p: losses.mse(p, p, mask=mask * p, undefined="error"))(jax.numpy.ones(2))


@pytest.mark.parametrize("f", [losses.log_cosh, losses.binary_cross_entropy, losses.focal], ids=lambda f: f.key)
def test_blocks_are_taken_by_threads_that_work_alone(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block runs on one thread, PyTorch's own number of threads stays, and one thread gives the same number."""
    from assay.torch import workers

    monkeypatch.setattr(workers, "threads", lambda: 3)
    before, seen, alone = torch.get_num_threads(), set[int](), set[int]()
    whole = workers.thread_pool.each

    def watched(count: int, work: Any, pieces: Any, *, caller: bool) -> Any:
        def one(a: int, b: int) -> Any:
            found = work(a, b)
            seen.add(threading.get_ident())
            alone.add(torch.get_num_threads())
            return found

        return whole(count, one, pieces, caller=caller)

    monkeypatch.setattr(workers.thread_pool, "each", watched)
    p, y = leaf(5 * N), torch.ones(5 * N)
    value = f(p, y)
    value.backward()
    assert threading.get_ident() not in seen
    assert alone == {1}
    assert torch.get_num_threads() == before
    fresh: list[int] = []
    thread = threading.Thread(target=lambda: fresh.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    assert fresh == [before]
    monkeypatch.setattr(workers, "threads", lambda: 1)
    q = leaf(5 * N)
    other = f(q, y)
    other.backward()
    assert float(other.detach()) == float(value.detach())
    assert torch.equal(p.grad, q.grad)


def test_the_number_of_threads_of_pytorch_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.torch import workers

    before = torch.get_num_threads()
    monkeypatch.setattr(workers.thread_pool, "each", lambda *_, **__: pytest.fail("one thread needs no pool"))
    torch.set_num_threads(1)
    if torch.get_num_threads() != 1:
        pytest.skip("PyTorch does not let go of its threads here")
    try:
        losses.log_cosh(leaf(), torch.ones(N)).backward()
    finally:
        torch.set_num_threads(before)
