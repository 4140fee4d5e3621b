"""Losses as PyTorch modules: one class for all, with what they learn in their state."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any, cast

import numpy as np
import torch as _torch

from assay.core.arrays import ArrayLike
from assay.core.errors import ParameterError, did_you_mean
from assay.core.loss import find_loss
from assay.core.parameters import whole
from assay.losses.class_inputs import IGNORED
from assay.losses.parameter_checks import between
from assay.losses.segmentation.combination import Term, as_terms, ignoring

torch = cast(Any, _torch)


class Loss(torch.nn.Module):
    """A loss of `assay.losses` by its name, as a module: ``Loss("focal", gamma=2.0)``.

    Parameters are those of the function, given once. Class vectors (`arcface`, `cosface`, `sphereface`, `softmax`) are made
    from ``classes`` and ``dimension`` and learn with the model; centres (`center`) are a buffer that every training step moves
    by the rule of the paper with ``rate``, unless ``learn_centers=True``. ``Loss("combined", terms=..., uncertainty=True)`` learns
    the weights of its terms; terms that learn something of their own are modules within it,
    ``Loss("combined", terms={"softmax": 1.0, "center": 0.01}, classes=10, dimension=64)``. All is in ``state_dict()``.
    Arrays among the parameters, such as class weights, move with the module from device to device.

    >>> criterion = Loss("huber", delta=2.0)
    >>> float(criterion(torch.tensor([3.0]), torch.tensor([0.0])))
    4.0
    """

    def __init__(self, name: str, **parameters: object) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        if not isinstance(cast(Any, name), str):
            raise ParameterError("Loss", "", f"the first argument must be the name of a loss, got {name!r}")
        self.loss = find_loss(name)
        self.loss.prepared()  # before a compiler follows its first call
        self.name = self.loss.key
        self.rate = 0.5
        self.parameters_of_loss: dict[str, Any] = {}
        if self.loss.record.learned:
            self._learn(parameters)
        elif self.name == "combined":
            self._weigh(parameters)
        self._check(parameters)
        for key, value in parameters.items():
            self._keep(key, value)

    def _check(self, parameters: dict[str, Any]) -> None:
        known = inspect.signature(self.loss).parameters
        shared = ("weight", "mask", "reduction", "undefined") if _takes_options(known) else ()
        for name in parameters:
            if name not in (*known, *shared) or name == "options":
                names = {*known, *shared} - {"options"}
                raise ParameterError("Loss", "", f"{self.name} has no parameter {name!r}", did_you_mean(name, names))

    def _learn(self, parameters: dict[str, Any]) -> None:
        """Class vectors as parameters, centres as a buffer unless they are to be learnt by gradients."""
        classes, dimension = parameters.pop("classes", None), parameters.pop("dimension", None)
        for name, value in (("classes", classes), ("dimension", dimension)):
            if value is not None:
                whole("Loss", name, value)
        self.rate = parameters.pop("rate", 0.5)
        between("Loss", 0.0, 1.0, rate=self.rate)
        for name in self.loss.record.learned:
            if name in parameters:
                continue
            if not classes or not dimension:
                raise ParameterError("Loss", "", f"{self.name} learns {name}, so give classes= and dimension=")
            if name == "centers" and not parameters.get("learn_centers", False):
                self.register_buffer(name, torch.zeros(classes, dimension))
            else:
                start = torch.randn(classes, dimension) / dimension**0.5
                self.register_parameter(name, torch.nn.Parameter(start))
        if parameters.get("bias") is True:
            parameters.pop("bias")
            self.register_parameter("bias", torch.nn.Parameter(torch.zeros(classes)))

    def _weigh(self, parameters: dict[str, Any]) -> None:
        """The terms, looked at before a training begins; one learned log-variance each for ``uncertainty``."""
        if "terms" not in parameters:
            raise ParameterError("Loss", "", "combined needs terms=, such as {'cross_entropy': 1.0, 'dice': 0.5}")
        terms = ignoring(as_terms(parameters["terms"]), parameters.pop("ignore_index", IGNORED))
        parameters["terms"] = self._modules_of(terms, parameters)
        if parameters.pop("uncertainty", False):
            self.register_parameter("log_variances", torch.nn.Parameter(torch.zeros(len(parameters["terms"]))))

    def _modules_of(self, terms: tuple[Term, ...], parameters: dict[str, Any]) -> tuple[Term, ...]:
        """The terms with a module in the place of each loss that learns class vectors or centres, unless they are its inputs."""
        shared = {name: parameters.pop(name) for name in ("classes", "dimension") if name in parameters}
        modules = torch.nn.ModuleDict()
        found: list[Term] = []
        for term in terms:
            record = getattr(term.function, "record", None)
            learned = () if record is None else record.learned
            if any(name not in term.inputs for name in learned):
                modules[term.title] = Loss(cast(str, cast(Any, term.function).key), **{**shared, **term.parameters})
                term = replace(term, loss=modules[term.title], name=term.title, parameters={})  # noqa: PLW2901
            found.append(term)
        if shared and not len(modules):
            raise ParameterError("Loss", "", f"no term of this sum learns anything by {' and '.join(shared)}")
        if len(modules):
            self.learning = modules
        return tuple(found)

    def _keep(self, key: str, value: Any) -> None:
        """Arrays as buffers, unless they learn; the rest as it is."""
        if isinstance(value, torch.nn.Parameter):
            self.register_parameter(key, value)
        elif isinstance(value, torch.Tensor | np.ndarray):
            self.register_buffer(key, torch.as_tensor(value))
        else:
            self.parameters_of_loss[key] = value

    def forward(self, *inputs: ArrayLike, **more: object) -> _torch.Tensor:
        """The loss of these inputs; ``more`` are inputs and options of this call alone, such as a mask."""
        own = {**dict(self.named_parameters(recurse=False)), **dict(self.named_buffers(recurse=False))}
        given = {**self.parameters_of_loss, **own, **more}
        value = self.loss(*inputs, **given)
        if self.training and "centers" in dict(self.named_buffers(recurse=False)):
            self._move_centers(dict(zip(("embeddings", "target"), inputs, strict=False)) | given)
        return value

    def _move_centers(self, given: dict[str, Any]) -> None:
        """By the rule of the paper, from the rows that count."""
        from assay.losses.embedding import update_centers

        embeddings, target, mask = given["embeddings"], given["target"], given.get("mask")
        ignored = given.get("ignore_index", -100)
        keep = torch.ones_like(target, dtype=torch.bool) if ignored is None else target != ignored
        keep = keep if mask is None else keep & torch.as_tensor(mask).to(torch.bool)
        with torch.no_grad():  # -1 is not a class: its rows move nothing, and the shapes stay as a compiler knows them
            moved = update_centers(self.centers, embeddings, torch.where(keep, target, -1), rate=self.rate)
            self.centers.copy_(moved)

    def extra_repr(self) -> str:
        """The loss and its parameters."""
        return ", ".join([repr(self.name), *(f"{k}={v!r}" for k, v in self.parameters_of_loss.items())])


def _takes_options(known: Any) -> bool:
    return any(p.kind is p.VAR_KEYWORD for p in known.values())
