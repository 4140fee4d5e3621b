"""Feature extractors: weights from a path, the same features as the peers' networks, and what results say about them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import InputError, ParameterError, StateError
from assay.metrics import FID
from assay.metrics.generation.extractors import Named
from image_peers import peer
from messages import refusal

torch = pytest.importorskip("torch")


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A full network of the form of 2015 with random weights and statistics, as a state dict."""
    from assay.torch.inception_v3 import InceptionV3

    torch.manual_seed(0)
    network = InceptionV3("2015")
    for module in network.modules():
        if isinstance(
            module, torch.nn.Conv2d
        ):  # variances stay as they are from layer to layer, so that pictures matter
            torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.8, 1.2)
            module.weight.data.uniform_(0.8, 1.2)
    path = tmp_path_factory.mktemp("weights") / "pt_inception.pth"
    torch.save(network.state_dict(), path)
    return path


@pytest.fixture(scope="session")
def pictures() -> Any:
    return np.random.default_rng(0).integers(0, 256, (3, 40, 52, 3), dtype=np.uint8)


def test_features_are_those_of_torch_fidelity(weights: Path, pictures: Any) -> None:
    module = peer("torch_fidelity.feature_extractor_inceptionv3")
    outputs = ["2048", "logits_unbiased", "logits"]
    theirs = module.FeatureExtractorInceptionV3("x", outputs, feature_extractor_weights_path=str(weights))
    with torch.inference_mode():
        wanted = theirs(torch.from_numpy(pictures.transpose(0, 3, 1, 2).copy()))
    for output, want in zip(("features", "logits_unbiased", "logits"), wanted, strict=True):
        got = assay.torch.inception(weights, output=output)(pictures)
        assert got.shape == tuple(want.shape)
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-4, atol=1e-5 * np.abs(want.numpy()).max())


def test_modes_of_resizing_are_those_of_the_peers(pictures: Any) -> None:
    from assay.torch.extractors import resize_clean, resize_tf1

    tensor = torch.from_numpy(pictures.transpose(0, 3, 1, 2).copy()).float()
    tf1 = peer("torch_fidelity.interpolate_compat_tensorflow").interpolate_bilinear_2d_like_tensorflow1x
    np.testing.assert_allclose(resize_tf1(tensor), tf1(tensor, size=(299, 299), align_corners=False), atol=2e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        clean = peer("cleanfid.resize").build_resizer("clean")
        wanted = np.stack([clean(picture) for picture in pictures]).transpose(0, 3, 1, 2)
    np.testing.assert_allclose(resize_clean(tensor), wanted, atol=1e-4)


def test_shapes_and_identity_of_the_full_network(weights: Path, pictures: Any) -> None:
    network = assay.torch.inception(weights, batch=2)
    features = network(pictures)
    assert features.shape == (3, 2048)
    assert network.name == "inception-2015-12-05"
    assert len(network.hash) == 16
    assert network.resize == "tf1-299"
    other = assay.torch.inception(weights, resize="bilinear")
    assert other.resize == "bilinear-299"
    assert np.abs(other(pictures) - features).max() > 0.1 * features.std()
    assert np.abs(features[0] - features[1]).max() > 0.1 * features.std()


def test_pictures_of_several_sizes_grey_and_channels_first(weights: Path, pictures: Any) -> None:
    network, first = assay.torch.inception(weights), assay.torch.inception(weights, channels="first")
    column = np.empty(3, dtype=object)
    column[0], column[1], column[2] = pictures[0], pictures[1, :30, :30], pictures[2, :, :, 0]
    got = network(column)
    np.testing.assert_allclose(got[0], network(pictures[:1])[0], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(got[2], network(np.repeat(pictures[2:, :, :, :1], 3, axis=3))[0], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(first(pictures.transpose(0, 3, 1, 2)), network(pictures), rtol=1e-3, atol=1e-4)


def test_torchvision_layout(tmp_path: Path, pictures: Any) -> None:
    from assay.torch.inception_v3 import InceptionV3

    state = {f"module.{name}": value for name, value in InceptionV3("torchvision").state_dict().items()}
    state["module.AuxLogits.fc.weight"] = torch.zeros(1000, 768)
    torch.save(state, tmp_path / "inception_v3_google.pth")
    network = assay.torch.inception(tmp_path / "inception_v3_google.pth", output="logits")
    assert (network.name, network.resize) == ("inception-torchvision", "bilinear-299")
    assert network(pictures[:1]).shape == (1, 1000)


class Small(torch.nn.Module):
    """A network of a few weights that takes bytes and resizes inside, as NVIDIA's file does."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 5)

    def forward(self, img: torch.Tensor, return_features: bool = False) -> torch.Tensor:
        x = self.conv((img.to(torch.float32) - 128) / 128).mean(dim=[2, 3])
        return x if return_features else torch.softmax(x, 1)


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(1)
    path = tmp_path_factory.mktemp("script") / "inception-2015-12-05.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.jit.script(Small()).save(str(path))
    return path


def test_torchscript_from_pictures_to_the_number(script: Path) -> None:
    rng = np.random.default_rng(0)
    real, fake = (
        rng.integers(0, 256, (30, 8, 9, 3), dtype=np.uint8),
        rng.integers(0, 200, (20, 8, 9, 3), dtype=np.uint8),
    )
    network = assay.torch.inception(script)
    assert network(real).shape == (30, 4)
    score = FID(extractor=network).score(real, fake)
    assert float(score) == pytest.approx(assay.fid(network(real), network(fake)), rel=1e-12)
    assert f"extractor:inception-torchscript/{network.hash}/inside" in score.signature
    assert score.notes == {"real rows": 30, "fake rows": 20}
    with refusal(ParameterError):
        assay.torch.inception(script, resize="clean")


def test_states_of_different_extractors_do_not_add_up(script: Path) -> None:
    real = np.random.default_rng(0).integers(0, 256, (30, 8, 9, 3), dtype=np.uint8)
    one = FID(extractor=assay.torch.inception(script))
    other = FID(extractor=Named(lambda x: np.asarray(x).reshape(len(x), -1)[:, :4].astype(float), "own", "v1"))
    state = one.state(real=real) + one.state(fake=real)
    assert assay.State.from_bytes(state.to_bytes()).value() == pytest.approx(0, abs=1e-9)
    with refusal(StateError):
        one.state(real=real) + other.state(fake=real)


def test_files_and_pictures_that_do_not_fit(tmp_path: Path, script: Path) -> None:
    with refusal(InputError):
        assay.torch.inception(tmp_path / "nothing.pth")
    (tmp_path / "text.pth").write_text("no weights")
    with refusal(InputError):
        assay.torch.inception(tmp_path / "text.pth")
    torch.save({"fc.weight": torch.zeros(1008, 2048)}, tmp_path / "part.pth")
    with refusal(InputError):
        assay.torch.inception(tmp_path / "part.pth")
    torch.save({"fc.weight": torch.zeros(10, 2048)}, tmp_path / "ten.pth")
    with refusal(InputError):
        assay.torch.inception(tmp_path / "ten.pth")
    network = assay.torch.inception(script)
    with refusal(InputError):
        network(np.zeros((2, 8, 8, 3)))
    with refusal(InputError):
        network(np.zeros((2, 8, 8, 4), dtype=np.uint8))


def test_pictures_without_an_extractor_and_what_is_none() -> None:
    with refusal(InputError):
        assay.fid(np.zeros((4, 8, 8, 3), dtype=np.uint8), np.zeros((4, 8, 8, 3), dtype=np.uint8))
    with refusal(ParameterError):
        FID(extractor=lambda x: x)
