"""Losses as PyTorch modules: one class for all, with what they learn in their state."""

from __future__ import annotations

import inspect
from typing import Any, cast

import numpy as np
import torch as _torch

from assay.core.errors import ParameterError, did_you_mean
from assay.core.loss import find_loss

torch = cast(Any, _torch)


class Loss(torch.nn.Module):
    """A loss of `assay.losses` by its name, as a module: ``Loss("focal", gamma=2.0)``.

    Parameters are those of the function, given once. Class vectors (`arcface`, `cosface`, `sphereface`, `softmax`) are made
    from ``classes`` and ``dimension`` and learn with the model; centres (`center`) are a buffer that every training step moves
    by the rule of the paper with ``rate``. Both are in ``state_dict()``. Arrays among the parameters, such as class weights,
    move with the module from device to device.

    >>> criterion = Loss("huber", delta=2.0)
    >>> float(criterion(torch.tensor([3.0]), torch.tensor([0.0])))
    4.0
    """

    def __init__(
        self,
        name: str,
        *,
        classes: int | None = None,
        dimension: int | None = None,
        rate: float = 0.5,
        **parameters: Any,
    ) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self.loss = find_loss(name)
        self.name = self.loss.key
        self.rate = rate
        self.parameters_of_loss: dict[str, Any] = {}
        self._check(parameters)
        self._learn(classes, dimension, parameters)
        for key, value in parameters.items():
            self._keep(key, value)

    def _check(self, parameters: dict[str, Any]) -> None:
        known = inspect.signature(self.loss).parameters
        shared = ("weight", "mask", "reduction", "undefined") if _takes_options(known) else ()
        for name in parameters:
            if name not in (*known, *shared, "uncertainty"):
                raise ParameterError(f"Loss: {self.name} has no parameter {name!r}.{did_you_mean(name, known)}")

    def _learn(self, classes: int | None, dimension: int | None, parameters: dict[str, Any]) -> None:
        """What belongs to the loss and changes during training."""
        for name in self.loss.record.learned:
            if name in parameters:
                continue
            if not classes or not dimension:
                raise ParameterError(f"Loss: {self.name} learns {name}, so give classes= and dimension=.")
            start = torch.randn(classes, dimension) / dimension**0.5
            if name == "centers":
                self.register_buffer(name, torch.zeros(classes, dimension))
            else:
                self.register_parameter(name, torch.nn.Parameter(start))
        if parameters.get("bias") is True:
            parameters.pop("bias")
            self.register_parameter("bias", torch.nn.Parameter(torch.zeros(classes)))
        if parameters.pop("uncertainty", False):
            count = len(list(parameters["terms"]))
            self.register_parameter("log_variances", torch.nn.Parameter(torch.zeros(count)))

    def _keep(self, key: str, value: Any) -> None:
        """Arrays as buffers, unless they learn; the rest as it is."""
        if isinstance(value, torch.nn.Parameter):
            self.register_parameter(key, value)
        elif isinstance(value, torch.Tensor | np.ndarray):
            self.register_buffer(key, torch.as_tensor(value))
        else:
            self.parameters_of_loss[key] = value

    def forward(self, *inputs: Any, **more: Any) -> Any:
        """The loss of these inputs; ``more`` are inputs and options of this call alone, such as a mask."""
        own = {**dict(self.named_parameters()), **dict(self.named_buffers())}
        value = self.loss(*inputs, **{**self.parameters_of_loss, **own, **more})
        if self.training and "centers" in own:
            with torch.no_grad():
                own["centers"].copy_(_update_centers(own["centers"], *inputs[:2], rate=self.rate))
        return value

    def extra_repr(self) -> str:
        """The loss and its parameters."""
        return ", ".join([repr(self.name), *(f"{k}={v!r}" for k, v in self.parameters_of_loss.items())])


def _update_centers(*inputs: Any, rate: float) -> Any:
    from assay.losses.embedding import update_centers

    return update_centers(*inputs, rate=rate)


def _takes_options(known: Any) -> bool:
    return any(p.kind is p.VAR_KEYWORD for p in known.values())
