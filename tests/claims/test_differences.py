"""Where tools differ as the records say, shown on the tools."""

from __future__ import annotations

import claims_detection
import numpy as np
import pytest
import sacrebleu
import torch
import torchmetrics.functional.image as images
from rouge_score import rouge_scorer

import assay
import coco_oracle
import voc_oracle
from assay.core.loss import losses
from assay.core.registry import metrics

DIFFERS = {f"metric.{cls.key}": cls.record.differs for cls in metrics()}
DIFFERS |= {f"loss.{f.key}": f.record.differs for f in losses()}


def test_every_note_is_shown_here_or_beside_its_claim() -> None:
    shown = {
        "coco",
        "average_recall",
        "mask_ap",
        "detection_curve",
        "detection_confusion",
        "ms_ssim",
        "bleu",
        "rouge",
        "ter",
        "average_precision_at_k",
        "cl_dice",
    }
    assert {entry for entry, notes in DIFFERS.items() if notes} == {
        *(f"metric.{key}" for key in shown),
        "loss.barlow_twins",
    }


@pytest.mark.parametrize("key", ["coco", "average_recall", "mask_ap", "detection_curve"])
def test_pycocotools_loses_the_match_of_an_annotation_whose_id_is_0(key: str) -> None:
    """One object, found exactly: 1 in truth, 0 by pycocotools if the object's id is 0."""
    assert any("id is 0" in note for note in DIFFERS[f"metric.{key}"])
    truth = [{"boxes": np.array([[0.0, 0, 10, 10]]), "labels": np.array([1])}]
    found = [{**truth[0], "scores": np.array([0.9])}]
    assert assay.coco(truth, found, box_format="xywh") == pytest.approx(1)
    for first, wanted in ((1, 1), (0, 0)):
        stats = coco_oracle.oracle(*claims_detection.files(truth, found, first), "bbox").stats
        assert stats[[0, 8]] == pytest.approx(wanted)


def test_voc_differs_from_the_curve_where_the_best_object_is_taken() -> None:
    """A second detection that overlaps the taken object most, and a free one enough: right here, wrong by VOC."""
    assert any("VOC" in note for note in DIFFERS["metric.detection_curve"])
    truth = [{"boxes": [[0, 0, 10, 10], [0, 0, 10, 14]], "labels": [1, 1], "ignore": [0, 0]}]
    found = [{"boxes": [[0, 0, 10, 10], [0, 0, 10, 11]], "labels": [1, 1], "scores": [0.9, 0.8]}]
    assert assay.detection_curve(truth, found)[1].recall[-1] == 1
    assert voc_oracle.twin(truth, found, 1, 0.5, "all", 0.0) == pytest.approx(0.5)
    assert assay.average_precision_voc(truth, found, inclusive=False) == pytest.approx(0.5)


def test_ultralytics_drops_a_detection_whose_best_object_is_taken() -> None:
    assert any("Ultralytics" in note for note in DIFFERS["metric.detection_confusion"])
    truth = {"boxes": np.array([[0.0, 0, 10, 10], [0, 0, 10, 14]]), "labels": np.array([0, 0])}
    boxes, scores = np.array([[0.0, 0, 10, 10], [0, 0, 10, 11]]), np.array([0.9, 0.8])
    found = {"boxes": boxes, "labels": np.array([0, 0]), "scores": scores}
    ours = {
        rule: assay.detection_confusion([truth], [found], rule=rule, box_format="xywh") for rule in ("score", "overlap")
    }
    for table in ours.values():
        np.testing.assert_array_equal(table.table, [[2, 0], [0, 0]])
    np.testing.assert_array_equal(claims_detection.ultralytics(truth, found, 1).T, [[1, 1], [1, 0]])


def test_torchmetrics_pads_every_scale_of_ms_ssim() -> None:
    """Its borders count as well: near ours, and not equal."""
    assert any("torchmetrics" in note for note in DIFFERS["metric.ms_ssim"])
    rng = np.random.default_rng(0)
    x = rng.integers(0, 256, (2, 192, 208)).astype(float)
    y = np.clip(x + rng.normal(0, 25, x.shape), 0, 255)
    a, b = (torch.from_numpy(part)[:, None] for part in (x, y))
    theirs = float(images.multiscale_structural_similarity_index_measure(b, a, data_range=255.0))
    ours = assay.ms_ssim(x, y, data_range=255.0)
    assert ours == pytest.approx(theirs, rel=1e-2)
    assert abs(ours - theirs) > 1e-5


def test_sacrebleu_scores_0_without_ngrams_of_the_highest_order_and_ignores_lines() -> None:
    """Identical texts of three words; two texts beside one reference."""
    assert [
        bool(word in note) for note, word in zip(DIFFERS["metric.bleu"], ("n-grams", "left over"), strict=True)
    ] == [True, True]
    assert sacrebleu.corpus_bleu(["a b c"], [["a b c"]]).score == 0
    assert assay.bleu(["a b c"], ["a b c"]) == 100
    assert sacrebleu.corpus_bleu(["a b c d", "e"], [["a b c d"]]).score == pytest.approx(100)
    with pytest.raises(assay.InputError):
        assay.bleu(["a b c d"], ["a b c d", "e"])


def test_rouge_score_knows_no_japanese() -> None:
    assert all("Japanese" in note for note in DIFFERS["metric.rouge"])
    text = "日本語のテスト"
    assert rouge_scorer.RougeScorer(["rouge1"]).score(text, text)["rouge1"].fmeasure == 0
    assert assay.rouge([text], [text]) == 1


def test_sacrebleu_tokenizes_references_of_ter_twice() -> None:
    assert any("twice" in note for note in DIFFERS["metric.ter"])
    assert sacrebleu.corpus_ter(["t..1."], [["t..1."]], normalized=True).score == pytest.approx(40)
    assert assay.ter(["t..1."], ["t..1."], normalized=True) == 0


def test_torchmetrics_divides_by_the_relevant_in_the_top_k() -> None:
    """Two of four relevant documents are in the top two: 1/2 over all relevant documents, 1 over those in the top."""
    from torchmetrics.functional.retrieval import retrieval_average_precision

    grades, scores = [[1, 1, 1, 1]], [[0.9, 0.8, 0.7, 0.6]]
    theirs = retrieval_average_precision(torch.tensor(scores[0]), torch.tensor(grades[0]), top_k=2)
    assert float(theirs) == 1
    assert assay.average_precision_at_k(grades, scores, k=2) == 0.5


def test_skeletons_of_zhang_and_suen_differ_by_single_pixels() -> None:
    from skimage.morphology import skeletonize, thin

    rng = np.random.default_rng(0)
    masks = [np.kron(rng.random((8, 8)) < 0.5, np.ones((4, 4))).astype(bool) for _ in range(20)]
    apart = [int((skeletonize(mask) != thin(mask)).sum()) for mask in masks]
    assert max(apart) > 0
