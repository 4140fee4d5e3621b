"""Claims of losses of classes, boxes, generation and text."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import numpy as np
import torch

from assay import losses
from claims import claim, oracle, same

F = "torch.nn.functional"
BOXES = "torchvision.ops.boxes"


def t(*arrays: Any) -> list[Any]:
    return [torch.tensor(a) for a in arrays]


def classes(rng: Any, k: int = 5, n: int = 60) -> tuple[Any, Any]:
    return 2 * rng.normal(size=(n, k)), rng.integers(0, k, n)


def binary(rng: Any, n: int = 80) -> tuple[Any, Any]:
    return 2 * rng.normal(size=n), rng.integers(0, 2, n).astype(float)


# ---- classes


@claim("loss.binary_cross_entropy", "torch binary_cross_entropy_with_logits", peer=F)
def _(functional: Any, rng: Any) -> None:
    z, y = binary(rng)
    same(losses.binary_cross_entropy(z, y), functional.binary_cross_entropy_with_logits(*t(z, y)))


@claim("loss.binary_cross_entropy", "torch binary_cross_entropy", peer=F)
def _(functional: Any, rng: Any) -> None:
    z, y = binary(rng)
    p = 1 / (1 + np.exp(-z))
    same(losses.binary_cross_entropy(target=y, probabilities=p), functional.binary_cross_entropy(*t(p, y)))


@claim("loss.cross_entropy", "torch cross_entropy", peer=F)
def _(functional: Any, rng: Any) -> None:
    z, y = classes(rng)
    w = rng.gamma(2, 1, 5)
    same(losses.cross_entropy(z, y), functional.cross_entropy(*t(z, y)))
    same(losses.cross_entropy(z, y, class_weight=w), functional.cross_entropy(*t(z, y, w)))
    y[:4] = -100
    smooth = functional.cross_entropy(*t(z, y), label_smoothing=0.1)
    same(losses.cross_entropy(z, y, label_smoothing=0.1), smooth)


@claim("loss.cross_entropy", "scikit-learn log_loss", peer="sklearn.metrics")
def _(sk: Any, rng: Any) -> None:
    z, y = classes(rng)
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    same(losses.cross_entropy(target=y, probabilities=p), sk.log_loss(y, p, labels=range(5)))


@claim("loss.label_smoothing", "torch cross_entropy(label_smoothing=) with convention='uniform'", peer=F)
def _(functional: Any, rng: Any) -> None:
    z, y = classes(rng)
    theirs = functional.cross_entropy(*t(z, y), label_smoothing=0.2)
    same(losses.label_smoothing(z, y, epsilon=0.2, convention="uniform"), theirs)


@claim("loss.nll", "torch nll_loss", peer=F)
def _(functional: Any, rng: Any) -> None:
    z, y = classes(rng)
    logs = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    same(losses.nll(logs, y), functional.nll_loss(*t(logs, y)))


@claim("loss.focal", "torchvision sigmoid_focal_loss, for targets of 0 and 1", peer="torchvision.ops.focal_loss")
def _(vision: Any, rng: Any) -> None:
    z, y = binary(rng)
    same(losses.focal(z, y, reduction="none"), vision.sigmoid_focal_loss(*t(z, y)))
    same(losses.focal(z, y, gamma=1.0, alpha=0.6), vision.sigmoid_focal_loss(*t(z, y), 0.6, 1.0, "mean"))


@claim("loss.hinge", "scikit-learn hinge_loss", peer="sklearn.metrics")
def _(sk: Any, rng: Any) -> None:
    z, y = binary(rng)
    same(losses.hinge(z, 2 * y - 1), sk.hinge_loss(2 * y - 1, z))
    z, y = classes(rng)
    same(losses.hinge(z, y), sk.hinge_loss(y, z, labels=range(5)))


@claim("loss.hinge", "torch multi_margin_loss with multiclass='multi_margin'", peer=F)
def _(functional: Any, rng: Any) -> None:
    z, y = classes(rng)
    same(losses.hinge(z, y, multiclass="multi_margin"), functional.multi_margin_loss(*t(z, y)))


@claim("loss.poly", "optax poly_loss_cross_entropy, whose epsilon is 2 by default and 1 here", peer="optax.losses")
def _(optax: Any, rng: Any) -> None:
    z, y = classes(rng)
    with jax.enable_x64(True):
        hot = np.eye(5)[y]
        same(losses.poly(z, y, epsilon=2.0), np.mean(optax.poly_loss_cross_entropy(z, hot)))
        same(losses.poly(z, y), np.mean(optax.poly_loss_cross_entropy(z, hot, epsilon=1.0)))


# ---- boxes


def boxes(rng: Any, n: int = 60) -> Any:
    low = 6 * rng.random((n, 2))
    return np.concatenate([low, low + 0.5 + 4 * rng.random((n, 2))], axis=1)


@claim("loss.iou", "1 - torchvision box_iou", peer=BOXES)
def _(vision: Any, rng: Any) -> None:
    p, y = boxes(rng), boxes(rng)
    same(losses.iou(p, y, reduction="none"), 1 - torch.diagonal(vision.box_iou(*t(p, y))))


def near_claim(key: str, name: str, text: str) -> None:
    """Their eps of 1e-7 in the divisors is all that is between us: without it the numbers are equal."""

    @claim(f"loss.{key}", text, peer=f"torchvision.ops.{key}_loss")
    def _(vision: Any, rng: Any) -> None:
        p, y = boxes(rng), boxes(rng)
        for reduction in ("mean", "none"):
            ours = getattr(losses, key)(p, y, reduction=reduction)
            within = (
                1e-6 if key == "ciou" else 1e-10
            )  # ciou does not hand its eps on to the part that it shares with diou
            same(ours, getattr(vision, name)(*t(p, y), reduction=reduction, eps=0.0), within)
            same(ours, getattr(vision, name)(*t(p, y), reduction=reduction), 1e-6, 1e-6)


near_claim("giou", "generalized_box_iou_loss", "torchvision generalized_box_iou_loss, but for its eps")
near_claim("diou", "distance_box_iou_loss", "torchvision distance_box_iou_loss, but for its eps")
near_claim("ciou", "complete_box_iou_loss", "torchvision complete_box_iou_loss, but for its eps and its NaN")


@claim("loss.giou", "monai BoxGIoULoss", peer="monai.losses")
def _(monai: Any, rng: Any) -> None:
    p, y = boxes(rng), boxes(rng)
    same(losses.giou(p, y), monai.BoxGIoULoss()(*t(p, y)), 1e-6, 1e-6)


# ---- generation


@claim("loss.adversarial", "torch binary_cross_entropy_with_logits against ones (real) and zeros (fake)", peer=F)
def _(functional: Any, rng: Any) -> None:
    fake, real = t(rng.normal(size=30), rng.normal(size=30))
    bce = functional.binary_cross_entropy_with_logits
    right, wrong = bce(real, torch.ones_like(real)), bce(fake, torch.zeros_like(fake))
    same(losses.adversarial(fake, real, role="discriminator"), right + wrong)
    same(losses.adversarial(fake), bce(fake, torch.ones_like(fake)))


@claim("loss.denoising", "torch mse_loss without weights", peer=F)
def _(functional: Any, rng: Any) -> None:
    p, y = rng.normal(size=(2, 6, 3, 4, 4))
    same(losses.denoising(p, y), functional.mse_loss(*t(p, y)))


@claim(
    "loss.denoising", "diffusers min-SNR weights",
    formula="diffusers, examples/text_to_image/train_text_to_image.py: min(snr, gamma) / snr for epsilon, / (snr + 1) for v",
)  # fmt: skip
def _(rng: Any) -> None:
    p, y = rng.normal(size=(2, 6, 3, 4, 4))
    snr = rng.gamma(1, 8, 6)
    each, least = ((p - y) ** 2).mean(axis=(1, 2, 3)), np.minimum(snr, 5.0)
    same(losses.denoising(p, y, snr=snr), (each * least / snr).mean())
    same(losses.denoising(p, y, snr=snr, predicts="v"), (each * least / (snr + 1)).mean())
    same(losses.denoising(p, y, snr=snr, predicts="x0"), (each * least).mean())


@claim("loss.gaussian_kl", "torch.distributions.kl_divergence of Independent(Normal)", peer="torch.distributions")
def _(distributions: Any, rng: Any) -> None:
    m, v, m2, v2 = rng.normal(size=(4, 9, 5))
    normals = [
        distributions.Normal(torch.tensor(a), torch.tensor(np.exp(b / 2)))
        for a, b in ((m, v), (m2, v2), (0 * m, 0 * v))
    ]
    mine, other, unit = (distributions.Independent(n, 1) for n in normals)
    same(losses.gaussian_kl(m, v), distributions.kl_divergence(mine, unit).mean())
    both = losses.gaussian_kl(m, v, target_mean=m2, target_log_variance=v2)
    same(both, distributions.kl_divergence(mine, other).mean())


def distributions(rng: Any) -> tuple[Any, Any]:
    return rng.dirichlet(np.ones(6), 8), rng.dirichlet(np.ones(6), 8)


@claim("loss.kl_divergence", "torch kl_div(reduction='batchmean')", peer=F)
def _(functional: Any, rng: Any) -> None:
    q, p = distributions(rng)
    theirs = functional.kl_div(*t(np.log(q), p), reduction="batchmean")
    same(losses.kl_divergence(target=p, probabilities=q), theirs)
    same(losses.kl_divergence(np.log(q) + 2, p), theirs)


@claim("loss.kl_divergence", "scipy rel_entr, summed", peer="scipy.special")
def _(special: Any, rng: Any) -> None:
    q, p = distributions(rng)
    same(losses.kl_divergence(target=p, probabilities=q, reduction="sum"), special.rel_entr(p, q).sum())


@claim("loss.reconstruction", "torch mse_loss(reduction='sum') / n", peer=F)
def _(functional: Any, rng: Any) -> None:
    p, y = rng.normal(size=(2, 7, 4, 3))
    same(losses.reconstruction(p, y), functional.mse_loss(*t(p, y), reduction="sum") / 7)


@claim("loss.reconstruction", "torch binary_cross_entropy_with_logits(reduction='sum') / n", peer=F)
def _(functional: Any, rng: Any) -> None:
    z, y = rng.normal(size=(7, 12)), rng.integers(0, 2, (7, 12)).astype(float)
    theirs = functional.binary_cross_entropy_with_logits(*t(z, y), reduction="sum") / 7
    same(losses.reconstruction(target=y, logits=z), theirs)


@claim("loss.wasserstein_distance", "scipy wasserstein_distance", peer="scipy.stats")
def _(stats: Any, rng: Any) -> None:
    x, y = rng.normal(size=30), rng.normal(size=21)
    same(losses.wasserstein_distance(x, y), stats.wasserstein_distance(x, y))


@oracle("loss.sinkhorn", peer="ot")
def _(ot: Any, rng: Any) -> None:
    """The debiased divergence from the plans of POT, at convergence; its own leaves the entropy out of the cost."""
    x, y = rng.normal(size=(12, 2)), rng.normal(0.5, 1, size=(15, 2))

    def cost(a: Any, b: Any) -> float:
        apart, n, m = ot.dist(a, b), ot.unif(len(a)), ot.unif(len(b))
        plan = ot.sinkhorn(n, m, apart, 2.0, numIterMax=20_000, stopThr=1e-13)
        return (plan * apart).sum() + 2.0 * (plan * np.log(plan / np.outer(n, m))).sum()

    wanted = cost(x, y) - 0.5 * (cost(x, x) + cost(y, y))
    same(losses.sinkhorn(x, y, epsilon=2.0, iterations=3000), wanted, 1e-8)


@oracle("loss.vae", peer="torch")
def _(torch: Any, rng: Any) -> None:
    """Reconstruction and divergence from the prior as torch has them."""
    z, y = rng.normal(size=(7, 12)), rng.integers(0, 2, (7, 12)).astype(float)
    m, v = rng.normal(size=(2, 7, 4))
    bce = torch.nn.functional.binary_cross_entropy_with_logits(*t(z, y), reduction="sum") / 7
    kind = torch.distributions
    own = kind.Normal(torch.tensor(m), torch.tensor(np.exp(v / 2)))
    kl = kind.kl_divergence(own, kind.Normal(torch.zeros(7, 4).double(), 1.0)).sum() / 7
    same(losses.vae(target=y, logits=z, mean=m, log_variance=v, beta=0.5), bce + 0.5 * kl)


@oracle("loss.wasserstein", peer="torch")
def _(torch: Any, rng: Any) -> None:
    """The critic's gradients are those of the difference of torch's means."""
    fake, real = (x.requires_grad_() for x in t(rng.normal(size=9), rng.normal(size=9)))
    found = torch.autograd.grad(losses.wasserstein(fake, real, role="critic"), (fake, real))
    wanted = torch.autograd.grad(torch.mean(fake) - torch.mean(real), (fake, real))
    for a, b in zip(found, wanted, strict=True):
        same(a, b)
    same(losses.wasserstein(fake), -torch.mean(fake))


@oracle("loss.flow_nll", peer="torch.distributions")
def _(kinds: Any, rng: Any) -> None:
    """A transformed normal: its density is that of the flow that undoes it."""
    scale, shift = torch.tensor(rng.gamma(2, 1, 5)), torch.tensor(rng.normal(size=5))
    x = torch.tensor(rng.normal(size=(11, 5)))
    base = kinds.Independent(kinds.Normal(torch.zeros(5).double(), 1.0), 1)
    whole = kinds.TransformedDistribution(base, kinds.AffineTransform(shift, scale, event_dim=1))
    ours = losses.flow_nll((x - shift) / scale, -torch.log(scale).sum().expand(11))
    same(ours, -whole.log_prob(x).mean())


@oracle("loss.noise_contrastive", peer=F)
def _(functional: Any, rng: Any) -> None:
    """Logistic regression of data against noise, on the ratio of the densities."""
    data, noise, of_data, of_noise = t(*rng.normal(size=(4, 20)))
    bce = functional.binary_cross_entropy_with_logits
    wanted = bce(data - of_data, torch.ones(20).double()) + bce(noise - of_noise, torch.zeros(20).double())
    found = losses.noise_contrastive(data, noise, data_log_noise=of_data, noise_log_noise=of_noise, ratio=1.0)
    same(found, wanted)


@oracle("loss.contrastive_divergence", peer="sklearn.neural_network")
def _(networks: Any, rng: Any) -> None:
    """Its gradient in the weights is the step that scikit-learn's machine takes: hidden units of data less those of samples."""
    machine = networks.BernoulliRBM(n_components=4, n_iter=1, random_state=0)
    data, sample = (rng.integers(0, 2, (10, 6)).astype(float) for _ in range(2))
    machine.fit(data)
    weights = torch.tensor(machine.components_, requires_grad=True)
    hidden, visible = t(machine.intercept_hidden_, machine.intercept_visible_)

    def energy(v: Any) -> Any:
        return -v @ visible - torch.logaddexp(v @ weights.T + hidden, torch.zeros(4).double()).sum(1)

    same(energy(torch.tensor(data)), machine._free_energy(data))
    (slope,) = torch.autograd.grad(losses.contrastive_divergence(*map(energy, t(data, sample))), weights)
    step = [machine._mean_hiddens(v).T @ v / len(v) for v in (data, sample)]
    same(slope, step[1] - step[0])


# ---- text


@claim("loss.token_cross_entropy", "torch cross_entropy", peer=F)
def _(functional: Any, rng: Any) -> None:
    z, y = rng.normal(size=(3, 7, 11)), rng.integers(0, 11, (3, 7))
    y[0, 5:] = -100
    same(losses.token_cross_entropy(z, y), functional.cross_entropy(*t(z.reshape(-1, 11), y.reshape(-1))))


@claim("loss.cosine", "torch cosine_embedding_loss", peer=F)
def _(functional: Any, rng: Any) -> None:
    a, b = rng.normal(size=(2, 20, 6))
    y = rng.choice([-1, 1], 20)
    for margin in (0.0, 0.3):
        same(losses.cosine(a, b, y, margin=margin), functional.cosine_embedding_loss(*t(a, b, y), margin=margin), 1e-9)


@claim("loss.margin_ranking", "torch margin_ranking_loss", peer=F)
def _(functional: Any, rng: Any) -> None:
    a, b = rng.normal(size=(2, 20))
    y = rng.choice([-1, 1], 20)
    for margin in (0.0, 0.3):
        same(losses.margin_ranking(a, b, y, margin=margin), functional.margin_ranking_loss(*t(a, b, y), margin=margin))


@oracle("loss.ranknet", peer=F)
def _(functional: Any, rng: Any) -> None:
    a, b = rng.normal(size=(2, 20))
    chance = rng.random(20)
    theirs = functional.binary_cross_entropy_with_logits(*t(2.0 * (a - b), chance))
    same(losses.ranknet(a, b, chance, scale=2.0), theirs)


@oracle("loss.minimum_risk", peer="torch.distributions")
def _(kinds: Any, rng: Any) -> None:
    """The expected risk of a categorical over the candidates, sharpened by alpha."""
    logs, risk = rng.normal(size=(6, 5)), rng.random((6, 5))
    shares = kinds.Categorical(logits=0.7 * torch.tensor(logs)).probs
    same(losses.minimum_risk(logs, risk, alpha=0.7), (shares * torch.tensor(risk)).sum(1).mean())


@oracle("loss.reinforce", peer="torch.distributions")
def _(kinds: Any, rng: Any) -> None:
    """As the documentation of torch.distributions writes it: minus the log-probability of the action times the reward."""
    policy, reward = kinds.Categorical(logits=torch.tensor(rng.normal(size=(8, 4)))), torch.tensor(rng.normal(size=8))
    logs = policy.log_prob(torch.tensor(rng.integers(0, 4, 8)))
    same(losses.reinforce(logs[:, None], reward), (-logs * reward).mean())


@claim(
    "loss.structured_hinge",
    "scikit-learn hinge_loss of several classes: rows of scores, cost=1",
    peer="sklearn.metrics",
)
def _(sk: Any, rng: Any) -> None:
    z, y = rng.normal(size=(40, 4)), rng.integers(0, 4, 40)
    same(losses.structured_hinge(z, y, cost=1), sk.hinge_loss(y, z, labels=range(4)))


@claim(
    "loss.structured_hinge",
    "networkx dag_longest_path_length through the trellis of scores plus costs, less the score of the truth",
    peer="networkx",
)
def _(networkx: Any, rng: Any) -> None:
    """A node per position and class, edges from left to right; a constant keeps every edge above 0."""
    z, y, step = 2 * rng.normal(size=(3, 6, 4)), rng.integers(0, 4, (3, 6)), rng.normal(size=(4, 4))
    table = rng.random((4, 4)) * (1 - np.eye(4))
    values = []
    for scores, truth in zip(z, y, strict=True):
        graph, high = networkx.DiGraph(), 100.0
        augmented = scores + table[truth]
        graph.add_weighted_edges_from((("start", 0), (1, c), high + augmented[0, c]) for c in range(4))
        for i, a, b in itertools.product(range(1, 6), range(4), range(4)):
            graph.add_edge((i, a), (i + 1, b), weight=high + step[a, b] + augmented[i, b])
        best = networkx.dag_longest_path_length(graph) - 6 * high
        values.append(best - scores[np.arange(6), truth].sum() - step[truth[:-1], truth[1:]].sum())
    same(losses.structured_hinge(z, y, transitions=step, cost=table, reduction="none"), values)


@claim(
    "loss.cvar",
    "the least of t + mean(max(v - t, 0)) / (1 - level) over t that scipy linprog finds, without a threshold",
    peer="scipy.optimize",
)
def _(optimize: Any, rng: Any) -> None:
    """The linear program of Rockafellar and Uryasev: t, and for each value what lies above it."""
    values, level = rng.normal(size=60) * 3, 0.9
    cost = np.r_[1.0, np.full(60, 1 / (60 * (1 - level)))]
    above = np.hstack([-np.ones((60, 1)), -np.eye(60)])
    found = optimize.linprog(cost, A_ub=above, b_ub=-values, bounds=[(None, None), *[(0, None)] * 60])
    same(losses.cvar(values, level=level), found.fun, 1e-9)
