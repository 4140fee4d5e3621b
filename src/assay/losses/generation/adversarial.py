"""The two sides of an adversarial game: what the discriminator or critic minimises, and what the generator does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from assay.core.arrays import Array, ArrayLike, Namespace
from assay.core.errors import InputError, ParameterError
from assay.core.loss import loss
from assay.core.sources import SURVEY
from assay.losses.generation.autodiff import gradient
from assay.losses.generation.noise import RandomSource, noise
from assay.losses.generation.row_sums import floats, per_row
from assay.losses.parameter_checks import between
from assay.losses.reduction import Parts, spread
from assay.ops import ramp, softplus, stop_gradient

Form = Literal["non_saturating", "minimax", "hinge", "least_squares"]


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    title="Adversarial",
    use="a generator is trained against a discriminator",
    instead="wasserstein, whose critic still has slopes where it wins",
    misleads="its value says little about the pictures: both sides move",
    equals=("torch binary_cross_entropy_with_logits against ones (real) and zeros (fake)",),
    references=("goodfellow2014", "lim2017", "mao2017", "salimans2016"),
    range=(float("-inf"), float("inf")),
    aliases=("gan",),
    erratum=f"{SURVEY}, eq. 95-97, reverses who minimises what and speaks of the generator's predictions; they are the "
    "discriminator's.",
)
def adversarial(
    fake: ArrayLike,
    real: ArrayLike | None = None,
    *,
    role: Literal["generator", "discriminator"] = "generator",
    form: Form = "non_saturating",
    label_smoothing: float = 0.0,
    parts: bool = False,
) -> Array | Parts[Array]:
    r"""One side of a generative adversarial game, from what the discriminator says before any sigmoid.

    .. math:: \ell_D = -\mathrm{mean}\,\log D(x) - \mathrm{mean}\,\log(1 - D(G(z))), \qquad \ell_G = -\mathrm{mean}\,\log D(G(z))

    The discriminator takes ``fake`` and ``real``, each averaged over its own elements; the generator takes ``fake`` alone.
    ``form="minimax"`` gives the generator the mean of log(1 - D(G(z))) instead, which is flat where it loses. ``"hinge"`` and
    ``"least_squares"`` (with the halves of its paper) replace the likelihood on both sides. ``label_smoothing`` lowers the
    label of what is real.

    >>> round(float(adversarial([0.0, 2.0])), 6)
    0.410038
    """
    who = "adversarial"
    between(who, 0.0, 1.0, label_smoothing=label_smoothing)
    if label_smoothing and (role == "generator" or form == "hinge"):
        raise ParameterError(who, "label_smoothing", f"is for a discriminator with labels, not for {role} {form!r}")
    xp, fake, real = _sides(who, fake, real, learns=role == "discriminator")
    if real is None:
        terms = {"fake": xp.mean(_GENERATOR[form](xp, fake))}
    else:
        on_real, on_fake = _DISCRIMINATOR[form](xp, real, fake, label_smoothing)
        terms = {"real": xp.mean(on_real), "fake": xp.mean(on_fake)}
    return _summed(terms, parts)


def _sides(who: str, fake: Any, real: Any, *, learns: bool) -> tuple[Namespace, Array, Array | None]:
    """Both sides for who tells them apart, the fake one for the generator; neither may be empty."""
    if learns == (real is None):
        if learns:
            raise InputError(who, "real", "is missing: whoever tells fake from real needs both")
        raise InputError(who, "real", "must not be given: the generator sees no real data")
    xp, found = floats(who, fake=fake, **({} if real is None else {"real": real}))
    if not all(_filled(side) for side in found):
        raise InputError(who, "", "there must be at least one value on each side")
    return xp, found[0], found[1] if learns else None


def _filled(side: Array) -> bool:
    return all(n > 0 for n in side.shape)


def _summed(terms: dict[str, Array], parts: bool) -> Any:
    first, *others = terms.values()
    for other in others:
        first = first + other
    return Parts(first, terms) if parts else first


def _likely(xp: Namespace, real: Array, fake: Array, smooth: float) -> tuple[Array, Array]:
    on_real = softplus(xp, -real)
    return on_real + smooth * real if smooth else on_real, softplus(xp, fake)


def _margins(xp: Namespace, real: Array, fake: Array, smooth: float) -> tuple[Array, Array]:
    return ramp(xp, 1 - real), ramp(xp, 1 + fake)


def _squares(xp: Namespace, real: Array, fake: Array, smooth: float) -> tuple[Array, Array]:
    return 0.5 * (real - (1 - smooth)) ** 2, 0.5 * fake**2


def _fooled(xp: Namespace, fake: Array) -> Array:
    return softplus(xp, -fake)


def _minimax(xp: Namespace, fake: Array) -> Array:
    return -softplus(xp, fake)


def _negative(xp: Namespace, fake: Array) -> Array:
    return -fake


def _square(xp: Namespace, fake: Array) -> Array:
    return 0.5 * (fake - 1) ** 2


_DISCRIMINATOR: dict[str, Any] = {
    "non_saturating": _likely,
    "minimax": _likely,
    "hinge": _margins,
    "least_squares": _squares,
}
_GENERATOR: dict[str, Any] = {
    "non_saturating": _fooled,
    "minimax": _minimax,
    "hinge": _negative,
    "least_squares": _square,
}


@loss(
    "convex",
    "differentiable",
    "smooth",
    "robust",
    title="Wasserstein",
    use="a generator is trained against a critic that estimates a distance",
    instead="sinkhorn, where points can be compared as they are, without a critic",
    misleads="it is a distance only if the critic is Lipschitz: add gradient_penalty",
    references=("arjovsky2017", "gulrajani2017"),
    range=(float("-inf"), float("inf")),
    aliases=("wgan",),
)
def wasserstein(
    fake: ArrayLike,
    real: ArrayLike | None = None,
    *,
    role: Literal["generator", "critic"] = "generator",
    parts: bool = False,
) -> Array | Parts[Array]:
    r"""One side of a Wasserstein game, from the values of the critic.

    .. math:: \ell_C = \mathrm{mean}\,f(G(z)) - \mathrm{mean}\,f(x), \qquad \ell_G = -\mathrm{mean}\,f(G(z))

    The critic takes ``fake`` and ``real``, each averaged over its own elements; minus its loss estimates the distance. The
    generator takes ``fake`` alone. `gradient_penalty` is added to the critic's side.

    >>> float(wasserstein([1.0, 3.0], [4.0], role="critic"))
    -2.0
    """
    xp, fake, real = _sides("wasserstein", fake, real, learns=role == "critic")
    if real is None:
        return _summed({"fake": -xp.mean(fake)}, parts)
    return _summed({"fake": xp.mean(fake), "real": -xp.mean(real)}, parts)


def gradient_penalty(
    critic: Callable[[Array], Array],
    real: ArrayLike,
    fake: ArrayLike,
    *,
    mix: ArrayLike | None = None,
    seed: RandomSource | None = None,
    weight: float = 10.0,
    center: float = 1.0,
) -> Array:
    r"""What keeps a critic Lipschitz: its slope between real and fake points shall be ``center``.

    .. math:: \lambda\,\mathrm{mean}\,(\|\nabla f(m x + (1 - m) \tilde x)\| - c)^2

    ``critic`` maps points to values, one per point. Real and fake points are paired by row and mixed by ``mix``, one number per
    row in [0, 1], or by numbers drawn from ``seed`` (under JAX a key too). Points are constants: the gradient is that of the
    critic's parameters, through its own gradient. PyTorch and JAX only, since NumPy has no gradients.
    """
    who = "gradient_penalty"
    between(who, 0.0, float("inf"), weight=weight, center=center)
    xp, (true, made) = floats(who, real=real, fake=fake)
    if tuple(true.shape) != tuple(made.shape):
        raise InputError(
            who, "", f"real and fake must have the same shape, got {tuple(true.shape)} and {tuple(made.shape)}"
        )
    share = _mixture(who, xp, mix, seed, true)
    points = stop_gradient(share * true + (1 - share) * made)
    slopes = gradient(who, xp, critic, points, graph=True)
    square = per_row(xp, slopes * slopes)
    flat = square == 0  # a root has no slope there
    size = xp.where(flat, xp.zeros_like(square), xp.sqrt(xp.where(flat, xp.ones_like(square), square)))
    return weight * xp.mean((size - center) ** 2)


def _mixture(who: str, xp: Namespace, mix: Any, seed: Any, points: Array) -> Array:
    """One number per row, spread over its axes."""
    if (mix is None) == (seed is None):
        raise InputError(who, "", "give either mix, one number per row, or seed to draw them")
    if mix is None:
        mix = noise(xp, seed, points.shape[:1], points, kind="uniform")
    return spread(who, xp, "mix", mix, points, tuple(points.shape))
