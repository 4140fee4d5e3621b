"""Features of pictures by a network whose weights the user has: loaded from a path, never downloaded."""

from __future__ import annotations

import hashlib
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import torch as _torch

from assay.core.arrays import Array, Host, to_host
from assay.core.errors import InputError, ParameterError
from assay.core.extras import optional
from assay.core.parameters import choice, whole
from assay.torch.inception_v3 import CLASSES, Form, InceptionV3

torch = cast(Any, _torch)  # its own annotations are partial
functional: Any = torch.nn.functional

SIZE = 299
Output = Literal["features", "logits", "logits_unbiased"]
Resize = Literal["tf1", "bilinear", "clean", "none", "inside"]
NEEDED = (
    "Needed is a file of Inception v3 weights: the state dict pt_inception-2015-12-05-6726825d.pth (from the releases of pytorch-fid; "
    "torch-fidelity has the same as weights-inception-2015-12-05-6726825d.pth), NVIDIA's TorchScript inception-2015-12-05.pt (from the "
    "files of StyleGAN3), or torchvision's inception_v3_google-0cc3c7bd.pth. Fetch one and pass its path; assay downloads nothing."
)


class Network:
    """An extractor: pictures of bytes in, an array (pictures, columns) out.

    ``name``, ``hash`` (of the file of weights) and ``resize`` stand in the signature of every result.
    """

    def __init__(
        self,
        module: _torch.nn.Module,
        *,
        name: str,
        hash: str,
        resize: Resize,
        output: Output,
        channels: str,
        batch: int,
        device: str | _torch.device,
    ) -> None:
        self.module: Any = module.to(device).eval()
        self.name, self.hash, self.mode, self.output = name, hash, resize, output
        self.channels, self.batch, self.device = channels, batch, device

    @property
    def resize(self) -> str:
        """The mode and the size, as results say it."""
        return self.mode if self.mode in ("inside", "none") else f"{self.mode}-{SIZE}"

    def __call__(self, pictures: Array) -> Host:
        """Features of pictures: an array or tensor of them, or a column of arrays or files; a batch at a time is read."""
        with torch.inference_mode():
            parts = [self._run(batch) for batch in self._batches(pictures)]
        if not parts:
            raise InputError(self.name, "", "there are no images")
        return np.concatenate(parts)

    def _batches(self, pictures: Any) -> Iterator[Any]:
        for start in range(0, len(pictures), self.batch):
            cells = [self._picture(pictures[i], i) for i in range(start, min(len(pictures), start + self.batch))]
            sizes = {tuple(cell.shape) for cell in cells}
            if len(sizes) == 1:
                yield self._resized(torch.stack(cells))
            elif self.mode in ("inside", "none"):
                for cell in cells:  # the network itself brings them to one size, or there is none
                    yield self._resized(cell[None])
            else:
                yield torch.cat([self._resized(cell[None]) for cell in cells])

    def _picture(self, cell: Any, row: int) -> Any:
        """One picture as a tensor of bytes (3, height, width)."""
        array = to_host(cell) if hasattr(cell, "cpu") else np.asarray(cell)
        where = f"picture {row}" + (f" ({cell.path})" if hasattr(cell, "path") else "")
        if array.dtype != np.uint8:
            raise InputError(
                self.name,
                "",
                f"{where} must hold bytes from 0 to 255, got {array.dtype}",
                "Scale and round them first: networks were trained on bytes.",
            )
        if array.ndim == 2:
            array = np.repeat(array[:, :, None], 3, axis=2)
        elif array.ndim == 3 and self.channels == "first":
            array = array.transpose(1, 2, 0)
        if array.ndim != 3 or array.shape[2] != 3:
            raise InputError(
                self.name,
                "",
                f"{where} must be grey or have three colours with channels={self.channels!r}, got shape "
                f"{np.shape(cell)}",
            )
        return torch.from_numpy(np.ascontiguousarray(array.transpose(2, 0, 1)))

    def _resized(self, pictures: Any) -> Any:
        pictures = pictures.to(self.device)
        if self.mode == "inside":
            return pictures
        x = pictures.float()
        if self.mode == "none" and tuple(x.shape[2:]) != (SIZE, SIZE):
            raise InputError(
                self.name, "", f"with resize='none' images must be {SIZE} x {SIZE}, got {tuple(x.shape[2:])}"
            )
        if self.mode == "tf1":
            x = resize_tf1(x)
        elif self.mode == "bilinear":
            # pytorch-fid scales to 0..1 first; the other way round the last digit differs
            return 2 * functional.interpolate(x / 255, size=(SIZE, SIZE), mode="bilinear", align_corners=False) - 1
        elif self.mode == "clean":
            x = resize_clean(x).to(self.device)
        return (x - 128) / 128 if self.name != "inception-torchvision" else x / 127.5 - 1

    def _run(self, batch: Any) -> Any:
        if isinstance(self.module, InceptionV3):
            out = self.module(batch, self.output)
        else:
            names = {argument.name for argument in self.module.forward.schema.arguments}
            out = self.module(batch, return_features=True) if "return_features" in names else self.module(batch)
        return out.reshape(out.shape[0], -1).float().cpu().numpy()


def resize_tf1(x: _torch.Tensor) -> _torch.Tensor:
    """Bilinear as TensorFlow 1 did it: place i is i * in / out, without the half pixel that everyone else adds."""
    for axis in (3, 2):
        size = x.shape[axis]
        at = torch.arange(SIZE, dtype=torch.float32, device=x.device) * (size / SIZE)
        low = at.floor().long()
        share = (at - low).reshape((-1, 1) if axis == 2 else (-1,))
        first, second = x.index_select(axis, low), x.index_select(axis, (low + 1).clamp(max=size - 1))
        x = first + (second - first) * share
    return x


def resize_clean(x: _torch.Tensor) -> _torch.Tensor:
    """Bicubic with smoothing, channel by channel, as clean-fid does it with Pillow."""
    image = optional("PIL.Image", "inception", "resize", "'clean' resizes with Pillow")
    planes = x.cpu().numpy()
    out = np.empty((*planes.shape[:2], SIZE, SIZE), dtype=np.float32)
    for i, picture in enumerate(planes):
        for c, plane in enumerate(picture):
            resized = image.fromarray(plane).resize((SIZE, SIZE), resample=image.Resampling.BICUBIC)
            out[i, c] = np.asarray(resized).clip(0, 255)
    return torch.from_numpy(out)


def inception(
    path: str | Path,
    *,
    resize: Literal["tf1", "bilinear", "clean", "none"] | None = None,
    output: Output = "features",
    channels: Literal["last", "first"] = "last",
    batch: int = 32,
    device: str | _torch.device = "cpu",
) -> Network:
    """Inception v3 with the weights of a file: a state dict of 2015 or of torchvision, or a TorchScript file.

    ``resize`` is ``"tf1"`` (torch-fidelity, the first FID), ``"bilinear"`` (pytorch-fid), ``"clean"`` (clean-fid) or ``"none"``;
    TorchScript files take bytes and resize inside. ``output`` is the 2048 features, or logits for an inception score.
    """
    choice("inception", "output", output, ("features", "logits", "logits_unbiased"))
    choice("inception", "channels", channels, ("last", "first"))
    choice("inception", "resize", resize, (None, "tf1", "bilinear", "clean", "none"))
    whole("inception", "batch", batch)
    file = Path(path)
    if not file.is_file():
        raise InputError("inception", "", f"no such file: {path}", NEEDED)
    common: dict[str, Any] = {
        "hash": _hash(file),
        "output": output,
        "channels": channels,
        "batch": batch,
        "device": device,
    }
    if _is_script(file):
        if resize is not None or output != "features":
            raise ParameterError(
                "inception",
                "",
                "a TorchScript file resizes inside and gives features",
                "Leave resize and output as they are.",
            )
        return Network(_script(file), name="inception-torchscript", resize="inside", **common)
    module = _loaded(file)
    usual: Resize = "tf1" if module.form == "2015" else "bilinear"
    name = "inception-2015-12-05" if module.form == "2015" else "inception-torchvision"
    return Network(module, name=name, resize=resize or usual, **common)


def _hash(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]


def _is_script(file: Path) -> bool:
    """TorchScript files are archives that hold code; state dicts hold only numbers."""
    try:
        with zipfile.ZipFile(file) as archive:
            return any("/code/" in name or name.endswith("constants.pkl") for name in archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False  # no archive, or its directory is damaged: whoever loads it says so


def _script(file: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the file is what there is, whatever new files should be
        try:
            return torch.jit.load(str(file), map_location="cpu")
        except Exception as error:  # torch raises many kinds for files that are damaged
            raise InputError(
                "inception", "", f"{file} is a TorchScript file that cannot be read, it seems damaged", NEEDED
            ) from error


def _more(names: list[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""


def _loaded(file: Path) -> InceptionV3:
    try:
        state = torch.load(str(file), map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises many kinds for files that are not its own
        # The text of the error is left out: it proposes to load what may run code.
        raise InputError("inception", "", f"{file} is not a file of weights that can be read", NEEDED) from error
    if not isinstance(state, dict) or not all(
        hasattr(value, "shape") for value in cast("dict[str, Any]", state).values()
    ):
        raise InputError("inception", "", f"{file} does not hold a state dict of names and tensors", NEEDED)
    tensors = {name.removeprefix("module."): value for name, value in cast("dict[str, Any]", state).items()}
    tensors = {name: value for name, value in tensors.items() if not name.startswith("AuxLogits.")}
    rows = int(tensors["fc.weight"].shape[0]) if "fc.weight" in tensors else 0
    form = next((form for form, classes in CLASSES.items() if classes == rows), None)
    if form is None:
        raise InputError(
            "inception", "", f"{file} has a last layer of {rows} classes, not 1008 (2015) or 1000 (torchvision)", NEEDED
        )
    module = InceptionV3(cast(Form, form))
    wanted = module.state_dict()
    lack = [name for name in wanted if name not in tensors and not name.endswith("num_batches_tracked")]
    extra = [name for name in tensors if name not in wanted]
    wrong = [name for name in wanted if name in tensors and tensors[name].shape != wanted[name].shape]
    if lack or extra or wrong:
        found = {"lacks": lack, "has besides": extra, "has another shape of": wrong}
        said = "; ".join(f"{what} {names[0]}{_more(names)}" for what, names in found.items() if names)
        raise InputError("inception", "", f"{file} is not an Inception v3: it {said}", NEEDED)
    module.load_state_dict(tensors, strict=False)
    return module
