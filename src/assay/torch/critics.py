"""Weight clipping, by which the first Wasserstein critics were kept Lipschitz."""

from __future__ import annotations

from typing import Any, cast

import torch as _torch

from assay.core.errors import InputError
from assay.losses.parameter_checks import positive

torch = cast(Any, _torch)


def clip_weights(critic: _torch.nn.Module, limit: float = 0.01) -> None:
    """Bring every weight of a critic into [-limit, limit], in place; call it after each step of its optimiser.

    The rule of the first Wasserstein GAN (Arjovsky and others, 2017, limit 0.01), for `losses.wasserstein`. Biases and the
    parameters of normalisation are weights too, as in the paper; buffers are not. A critic so clipped tends to simple functions, its
    weights to the limits: `losses.gradient_penalty` is the usual choice since.

    >>> critic = torch.nn.Linear(2, 1)
    >>> clip_weights(critic, 0.01)
    >>> bool(critic.weight.abs().max() <= 0.01)
    True
    """
    positive("clip_weights", limit=limit)
    if not isinstance(cast(Any, critic), torch.nn.Module):
        raise InputError("clip_weights", "critic", f"must be a module of PyTorch, got {type(critic).__name__}")
    weights = [weight for weight in cast(Any, critic).parameters() if weight.is_floating_point()]
    with torch.no_grad():
        for weight in weights:
            weight.clamp_(-limit, limit)
