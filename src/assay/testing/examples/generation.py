"""Examples of losses of generation."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.testing.examples import Example, examples

PAIR = ("prediction", "target")


@examples("reconstruction")
def _pictures(rng: Any) -> list[Example]:
    grid, target = rng.normal(size=(6, 2, 3)), rng.random((6, 2, 3))
    bits = rng.integers(0, 2, (6, 4)).astype(float)
    flat = rng.normal(size=(6, 4))
    return [
        Example({"prediction": grid, "target": target}, PAIR[:1], PAIR),
        Example({"prediction": flat[:, 0], "target": bits[:, 0]}, PAIR[:1], PAIR),
        Example({"logits": flat, "target": bits}, ("logits",), ("logits", "target"), wide=0.0),
        Example(
            {"probabilities": rng.random((6, 4)), "target": rng.random((6, 4))},
            ("probabilities",),
            ("probabilities", "target"),
            wide=0.0,
        ),
    ]


@examples("vae")
def _autoencoders(rng: Any) -> list[Example]:
    codes = {"mean": rng.normal(size=(6, 3)), "log_variance": rng.normal(size=(6, 3))}
    squared = {"prediction": rng.normal(size=(6, 4)), "target": rng.random((6, 4)), **codes}
    crossed = {"logits": rng.normal(size=(6, 4)), "target": rng.random((6, 4)), **codes}
    return [
        Example(squared, ("prediction", *codes), tuple(squared), {"beta": 0.5}),
        Example(squared, ("prediction", *codes), (), {"parts": True}),
        Example(crossed, ("logits", *codes), tuple(crossed), wide=0.0),
    ]


@examples("kl_divergence")
def _forecasts(rng: Any) -> list[Example]:
    p, q = rng.dirichlet(np.ones(4), 6), rng.dirichlet(np.ones(4), 6)
    z, w = rng.normal(size=(6, 4)), rng.normal(size=(6, 4))
    places = {"logits": rng.normal(size=(6, 4, 2)), "target_logits": rng.normal(size=(6, 4, 2))}
    given = [
        {"logits": z, "target": p},
        {"probabilities": q, "target": p},
        {"log_probabilities": np.log(q), "target_log_probabilities": np.log(p)},
        {"logits": z, "target_logits": w},
        places,
    ]
    found: list[Example] = []
    for inputs in given:
        first, second = inputs
        vary = (first,) if second == "target" else (first, second)
        found.append(Example(inputs, vary, (first, second), wide=3.0 if first == "logits" else 0.0))
    return [*found, Example({"logits": z[0], "target": p[0]}, ("logits",))]


@examples("gaussian_kl")
def _normals(rng: Any) -> list[Example]:
    names = ("mean", "log_variance", "target_mean", "target_log_variance")
    inputs = {name: rng.normal(size=(6, 3)) for name in names}
    return [
        Example({name: inputs[name] for name in names[:2]}, names[:2], names[:2]),
        Example(inputs, names, names),
        Example(inputs, names[:2], names),
    ]


@examples("adversarial")
def _games(rng: Any) -> list[Example]:
    fake, both = {"fake": rng.normal(size=8)}, {"fake": rng.normal(size=8), "real": rng.normal(size=5)}
    forms = ("minimax", "hinge", "least_squares")
    return [
        Example(fake, ("fake",)),
        Example(both, ("fake", "real"), (), {"role": "discriminator", "label_smoothing": 0.1, "parts": True}),
        *(Example(fake, ("fake",), (), {"form": form}, wide=0.0) for form in forms),
        *(Example(both, ("fake", "real"), (), {"form": form, "role": "discriminator"}, wide=0.0) for form in forms[1:]),
    ]


@examples("wasserstein")
def _critics(rng: Any) -> list[Example]:
    both = {"fake": rng.normal(size=8), "real": rng.normal(size=(5, 1))}
    return [
        Example({"fake": both["fake"]}, ("fake",)),
        Example(both, ("fake", "real"), (), {"role": "critic", "parts": True}),
    ]


@examples("wasserstein_distance")
def _numbers(rng: Any) -> list[Example]:
    a, b, c = rng.normal(size=6), rng.normal(size=6), rng.normal(size=4)
    weights = {"prediction_weight": rng.random(6) + 0.1, "target_weight": rng.random(4) + 0.1}
    return [
        Example({"prediction": a, "target": b}, PAIR),
        Example({"prediction": a, "target": c}, PAIR, (), {"p": 2.0}, wide=0.0),
        Example({"prediction": a, "target": c, **weights}, (*PAIR, *weights), (), {"p": 1.5}, wide=0.0),
    ]


@examples("sinkhorn")
def _clouds(rng: Any) -> list[Example]:
    clouds = {"prediction": rng.random((4, 2)), "target": rng.random((3, 2))}
    weights = {"prediction_weight": rng.random(4) + 0.1, "target_weight": rng.random(3) + 0.1}
    settled = {"epsilon": 1.0, "iterations": 12}
    return [
        Example(clouds, PAIR, (), settled, wide=0.2),
        Example({**clouds, **weights}, (*PAIR, *weights), (), {**settled, "p": 1.0}, wide=0.0),
        Example(clouds, PAIR, (), {"epsilon": 0.1, "iterations": 3, "unrolled": True}, wide=0.0),
    ]


@examples("flow_nll")
def _flows(rng: Any) -> list[Example]:
    names = ("latent", "log_determinant")
    flat = {"latent": rng.normal(size=(6, 4)), "log_determinant": rng.normal(size=6)}
    deep = {"latent": rng.normal(size=(6, 2, 3)), "log_determinant": rng.normal(size=6)}
    return [
        Example(flat, names, names),
        Example(deep, names, names, {"bits_per_dimension": True, "levels": 256}),
    ]


@examples("contrastive_divergence")
def _energies(rng: Any) -> list[Example]:
    names = ("data_energy", "sample_energy")
    return [Example({"data_energy": rng.normal(size=8), "sample_energy": rng.normal(size=5)}, names)]


@examples("noise_contrastive")
def _against_noise(rng: Any) -> list[Example]:
    sizes = {"data_log_model": 6, "noise_log_model": 12, "data_log_noise": 6, "noise_log_noise": 12}
    inputs = {name: rng.normal(size=size) for name, size in sizes.items()}
    return [
        Example(inputs, tuple(inputs)[:2]),
        Example(inputs, tuple(inputs), (), {"ratio": 3.0, "parts": True}),
    ]


@examples("denoising")
def _diffusions(rng: Any) -> list[Example]:
    pair = {"prediction": rng.normal(size=(6, 2, 3)), "target": rng.normal(size=(6, 2, 3))}
    ratio = {"snr": np.exp(3 * rng.normal(size=6))}
    both = {**pair, **ratio, "timestep_weight": rng.random(6)}
    return [
        Example(pair, PAIR[:1], PAIR),
        Example({**pair, **ratio}, PAIR[:1], tuple({**pair, **ratio})),
        Example(both, PAIR[:1], tuple(both), {"predicts": "v"}),
        Example(both, PAIR[:1], tuple(both), {"predicts": "x0", "form": "absolute"}, wide=0.0),
        Example(pair, PAIR[:1], PAIR, {"form": "absolute"}, wide=0.0),
    ]
