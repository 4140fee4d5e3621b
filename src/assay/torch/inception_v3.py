"""Inception v3 in plain modules, with the names of torchvision's state dicts, in the form of 2015 that FID is computed with."""

from __future__ import annotations

from typing import Any, Literal, cast

import torch as _torch
from torch import Tensor

torch = cast(Any, _torch)  # its own annotations are partial
nn: Any = torch.nn
functional: Any = torch.nn.functional

Form = Literal["2015", "torchvision"]
CLASSES = {"2015": 1008, "torchvision": 1000}
Convolution = tuple[str, int, Any, int, Any]  # name, channels out, kernel, stride, padding


class Unit(nn.Module):
    """Convolution, batch norm, rectifier."""

    def __init__(
        self, inside: int, out: int, kernel: int | tuple[int, int], stride: int = 1, padding: int | tuple[int, int] = 0
    ) -> None:
        super().__init__()  # pyright: ignore
        self.conv = nn.Conv2d(inside, out, kernel, stride=stride, padding=padding, bias=False)
        self.bn = nn.BatchNorm2d(out, eps=0.001)

    def forward(self, x: Tensor) -> Tensor:
        """One step."""
        return functional.relu(self.bn(self.conv(x)), inplace=True)


class Mixed(nn.Module):
    """Branches side by side. A branch is a pooling or none, a chain of units, and at its end perhaps two units in parallel."""

    def __init__(
        self, inside: int, branches: list[tuple[str, list[Convolution], list[Convolution]]], padded: bool
    ) -> None:
        super().__init__()  # pyright: ignore
        self.plan: list[tuple[str, list[str], list[str]]] = []
        self.padded = padded  # whether zeros of the border count in averages; in TensorFlow they do not
        for pool, chain, ends in branches:
            width = inside
            for name, out, kernel, stride, padding in chain:
                self.add_module(name, Unit(width, out, kernel, stride, padding))
                width = out
            for name, out, kernel, stride, padding in ends:
                self.add_module(name, Unit(width, out, kernel, stride, padding))
            self.plan.append((pool, [unit[0] for unit in chain], [unit[0] for unit in ends]))

    def forward(self, x: Tensor) -> Tensor:
        """All branches, one after the other in the channels."""
        units: Any = self._modules
        outputs: list[Any] = []
        for pool, chain, ends in self.plan:
            h = self._pooled(x, pool)
            for name in chain:
                h = units[name](h)
            outputs += [units[name](h) for name in ends] if ends else [h]
        return torch.cat(outputs, 1)

    def _pooled(self, x: Any, pool: str) -> Any:
        if pool == "average":
            return functional.avg_pool2d(x, 3, stride=1, padding=1, count_include_pad=self.padded)
        if pool == "max":
            return functional.max_pool2d(x, 3, stride=1, padding=1)
        return functional.max_pool2d(x, 3, stride=2) if pool == "halve" else x


def _a(inside: int, pooled: int, padded: bool) -> Mixed:
    return Mixed(inside, [
        ("", [("branch1x1", 64, 1, 1, 0)], []),
        ("", [("branch5x5_1", 48, 1, 1, 0), ("branch5x5_2", 64, 5, 1, 2)], []),
        ("", [("branch3x3dbl_1", 64, 1, 1, 0), ("branch3x3dbl_2", 96, 3, 1, 1), ("branch3x3dbl_3", 96, 3, 1, 1)], []),
        ("average", [("branch_pool", pooled, 1, 1, 0)], []),
    ], padded)  # fmt: skip


def _b(inside: int, padded: bool) -> Mixed:
    return Mixed(inside, [
        ("", [("branch3x3", 384, 3, 2, 0)], []),
        ("", [("branch3x3dbl_1", 64, 1, 1, 0), ("branch3x3dbl_2", 96, 3, 1, 1), ("branch3x3dbl_3", 96, 3, 2, 0)], []),
        ("halve", [], []),
    ], padded)  # fmt: skip


def _c(inside: int, c: int, padded: bool) -> Mixed:
    across, down = ((1, 7), 1, (0, 3)), ((7, 1), 1, (3, 0))
    return Mixed(inside, [
        ("", [("branch1x1", 192, 1, 1, 0)], []),
        ("", [("branch7x7_1", c, 1, 1, 0), ("branch7x7_2", c, *across), ("branch7x7_3", 192, *down)], []),
        ("", [("branch7x7dbl_1", c, 1, 1, 0), ("branch7x7dbl_2", c, *down), ("branch7x7dbl_3", c, *across),
              ("branch7x7dbl_4", c, *down), ("branch7x7dbl_5", 192, *across)], []),
        ("average", [("branch_pool", 192, 1, 1, 0)], []),
    ], padded)  # fmt: skip


def _d(inside: int, padded: bool) -> Mixed:
    return Mixed(inside, [
        ("", [("branch3x3_1", 192, 1, 1, 0), ("branch3x3_2", 320, 3, 2, 0)], []),
        ("", [("branch7x7x3_1", 192, 1, 1, 0), ("branch7x7x3_2", 192, (1, 7), 1, (0, 3)),
              ("branch7x7x3_3", 192, (7, 1), 1, (3, 0)), ("branch7x7x3_4", 192, 3, 2, 0)], []),
        ("halve", [], []),
    ], padded)  # fmt: skip


def _e(inside: int, pool: str, padded: bool) -> Mixed:
    across, down = ((1, 3), 1, (0, 1)), ((3, 1), 1, (1, 0))
    return Mixed(inside, [
        ("", [("branch1x1", 320, 1, 1, 0)], []),
        ("", [("branch3x3_1", 384, 1, 1, 0)], [("branch3x3_2a", 384, *across), ("branch3x3_2b", 384, *down)]),
        ("", [("branch3x3dbl_1", 448, 1, 1, 0), ("branch3x3dbl_2", 384, 3, 1, 1)],
         [("branch3x3dbl_3a", 384, *across), ("branch3x3dbl_3b", 384, *down)]),
        (pool, [("branch_pool", 192, 1, 1, 0)], []),
    ], padded)  # fmt: skip


class InceptionV3(nn.Module):
    """The network. ``form="2015"`` is TensorFlow's graph of that year: averages without the border, a maximum at the end, 1008 classes."""

    def __init__(self, form: Form = "2015") -> None:
        super().__init__()  # pyright: ignore
        padded = form == "torchvision"
        self.form = form
        self.Conv2d_1a_3x3 = Unit(3, 32, 3, 2)
        self.Conv2d_2a_3x3 = Unit(32, 32, 3)
        self.Conv2d_2b_3x3 = Unit(32, 64, 3, 1, 1)
        self.Conv2d_3b_1x1 = Unit(64, 80, 1)
        self.Conv2d_4a_3x3 = Unit(80, 192, 3)
        for name, inside, pooled in (("5b", 192, 32), ("5c", 256, 64), ("5d", 288, 64)):
            self.add_module(f"Mixed_{name}", _a(inside, pooled, padded))
        self.Mixed_6a = _b(288, padded)
        for name, width in (("6b", 128), ("6c", 160), ("6d", 160), ("6e", 192)):
            self.add_module(f"Mixed_{name}", _c(768, width, padded))
        self.Mixed_7a = _d(768, padded)
        self.Mixed_7b = _e(1280, "average", padded)
        self.Mixed_7c = _e(2048, "average" if padded else "max", padded)
        self.fc = nn.Linear(2048, CLASSES[form])

    def features(self, x: Tensor) -> Tensor:
        """The 2048 features of pictures (n, 3, 299, 299) with values from -1 to 1."""
        x = self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x)))
        x = functional.max_pool2d(x, 3, stride=2)
        x = functional.max_pool2d(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)), 3, stride=2)
        blocks: Any = self._modules
        for name in ("5b", "5c", "5d", "6a", "6b", "6c", "6d", "6e", "7a", "7b", "7c"):
            x = blocks[f"Mixed_{name}"](x)
        return torch.flatten(functional.adaptive_avg_pool2d(x, (1, 1)), 1)

    def forward(self, x: Tensor, output: str = "features") -> Tensor:
        """Features, ``"logits"``, or ``"logits_unbiased"``: without the bias of the last layer, as inception scores take them."""
        x = self.features(x)
        if output == "features":
            return x
        return functional.linear(x, self.fc.weight, self.fc.bias if output == "logits" else None)
