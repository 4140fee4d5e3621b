"""Where popular implementations differ: which definition assay uses, and which setting reproduces which tool.

Records name the numbers that concern them. Statements about other tools were verified with
scikit-learn 1.9, torchmetrics 1.9, torcheval 0.0.7 and permetrics 2.1.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pitfall:
    """A point on which tools differ."""

    title: str
    text: str


PITFALLS: dict[int, Pitfall] = {
    1: Pitfall(
        "Logits or probabilities",
        "Some tools look at the values and decide: torchmetrics applies a sigmoid to a batch as soon as one value "
        "lies outside [0, 1]. The same model can then be treated differently from batch to batch, and large logits "
        "all become 1: the AUC of logits 40 to 43 comes out as 0.5 instead of 0.75. assay never guesses. You specify "
        "y_prob=, logits= or y_score=, and ranking metrics use the raw scores. To get the torchmetrics number, apply "
        "the sigmoid yourself and pass y_prob=.",
    ),
    2: Pitfall(
        "The summary of COCO",
        "Three things about COCO's twelve numbers are surprising. The first, AP, always uses at most 100 detections per image and class: "
        "pycocotools reports -1 if 100 is not among maxDets. Detections of a class that no image contains cost nothing; assay "
        "excludes them "
        "too, and counts them. Small, medium and large refer to the annotated area, which for COCO's files is that of the "
        "segment, not of the box; detections have the area of their box or mask. torchmetrics uses recall levels in single precision "
        "and differs in the fifth digit. assay.coco(max_detections=100) is stats[0], to the last digits.",
    ),
    3: Pitfall(
        "Interpolation of average precision",
        "Ten predictions, true or false from the highest score down as 1 0 1 1 0 1 0 0 1 0, give 0.691 by the "
        "trapezoid, 0.728 by steps, 0.744 by the all-points rule of VOC, 0.747 by the 101 points of COCO and 0.768 "
        "by the 11 points of VOC 2007; in floats the level 0.6 is a rounding above a recall of 3/5, so that published code and "
        "average_precision_voc(points='eleven') return 0.760. Precision does not move linearly between two points of recall, so the "
        "trapezoid can be too high or too low (Davis and Goadrich 2006). For classifiers assay uses the steps, "
        "as scikit-learn's average_precision_score does; interpolated=True is the all-points rule; scikit-learn's "
        "auc() of a precision-recall curve is the trapezoid and deliberately has no equivalent here.",
    ),
    4: Pitfall(
        "Mean IoU: of the set or of the images",
        "VOC, Cityscapes and mmsegmentation add up one table for all images and form each class's ratio once. torchmetrics' "
        "segmentation metrics and monai's form ratios in every image and average those (torchmetrics' MeanIoU over all pairs of an "
        "image and a class alike, its functional form and monai image by image); an image in which "
        "a class covers ten pixels then weighs as much as one in which it covers all. On two images, where class 1 is 1 of 2 "
        "right in one and 90 of 100 in the other, IoU of class 1 is 0.892 for the set and 0.7 image by image. assay's default is "
        "level='set'; level='image' is the other. Classes without any pixel are excluded and counted, never a silent 0 or 1.",
    ),
    5: Pitfall(
        "Panoptic quality: void and crowd",
        "Kirillov et al. (2019, section 4.2) ignore what the ground truth leaves unlabelled, void and crowd, and nothing else: a "
        "predicted segment of which more than half lies there is not a false positive, and void pixels are removed from its union. "
        "torchmetrics also removes from the union of a pair the pixels of the true segment that the prediction left void, "
        "so that predicting nothing there raises the IoU. panopticapi keeps one crowd region per class and image, the last. "
        "assay uses all crowd regions, and only the void of the ground truth; with one crowd region per class its values equal "
        "panopticapi's.",
    ),
    6: Pitfall(
        "The 95th percentile of the Hausdorff distance",
        "Percentiles are taken of each direction and the larger counts (monai, surface-distance), of both directions pooled "
        "(medpy, which is never larger), or of surface elements weighted by their area (surface-distance). And where the "
        "prediction is empty, a NaN that a mean ignores rewards a model for having found nothing. assay uses the larger "
        "of the two directed percentiles, in units of spacing=; surface='surfels' weights by area. One side empty is an infinite "
        "distance and counted, unless missed='diagonal' or 'skip'. Both empty is undefined.",
    ),
    7: Pitfall(
        "Dice loss: four choices under one name",
        "The denominator sums probabilities or their squares; a constant is added above, below or both; sums run over "
        "an image or over the batch; and an absent class is excluded from the mean, counts as 1, or counts as 0 "
        "in the average. On one batch of two small images five defaults of libraries give 0.42 "
        "to 0.65. In assay each is a parameter: squared, smooth, over and classes, and average='micro' forms one ratio "
        "of all classes. The default is the plain formula over the batch, averaged over the classes that occur. monai: "
        "over='image', classes='all', smooth=1e-5. kornia: over='image', classes='all', average='micro', smooth=(0, "
        "1e-8). smp: reduction='sum' divided by the number of classes.",
    ),
    8: Pitfall(
        "Tversky: which of alpha and beta is which",
        "Salehi et al. (2017) weight false positives with alpha and false negatives with beta; texts and libraries also "
        "use it the other way round, so that a model meant to miss less misses more. And where counts are summed "
        "over all classes of a softmax before the ratio is formed, every false positive is another class's false "
        "negative: only alpha + beta matters then. assay's alpha is for false positives, beta for false negatives, and "
        "the ratio is formed for each class.",
    ),
    9: Pitfall(
        "Alpha of the focal loss",
        "In the paper alpha weights positives and 1 - alpha negatives. Tools use it as one factor for everything, as "
        "a list that starts with 1 - alpha, or leave it out; and with several classes some use a softmax and some "
        "one sigmoid per class, which are different losses. assay goes by the shapes: a target of the "
        "shape of the logits means two classes per element with alpha and 1 - alpha, as in torchvision; a target with one "
        'axis fewer means a softmax with one alpha per class, or none. normalize="positives" divides by the number of '
        "positives, as the paper does.",
    ),
    10: Pitfall(
        "Label smoothing",
        "A fraction epsilon is taken from the true class. One convention gives it to the C - 1 others; PyTorch spreads it over "
        "all C classes, including the true one. With two classes and epsilon 0.5 the first leaves 0.5 to the true class, the "
        'second 0.75. label_smoothing takes the first by default and the second with convention="uniform"; '
        "cross_entropy(label_smoothing=) has PyTorch's as its default, since it mirrors that function.",
    ),
    11: Pitfall(
        "Smooth L1 and Huber",
        "Huber with delta is delta times smooth L1 with beta = delta: both are half a square near zero, but smooth "
        "L1 divides it by beta, so that its slope for large errors is always 1, while Huber's is delta. Texts that leave out "
        "the 1/beta or the halves give curves that jump. assay has both under their own names, equal to torch's "
        "huber_loss and smooth_l1_loss.",
    ),
    12: Pitfall(
        "Balanced L1 beyond beta = 1",
        "The paper defines it for beta = 1. A common implementation scales only the logarithm by beta, and the "
        'slope then jumps at beta. assay scales so that the slope reaches gamma at beta and stays; form="mmdet" '
        "gives the other.",
    ),
    13: Pitfall(
        "Contrastive loss: squared hinge, and which mean",
        "Hadsell and others (2006) square the hinge of negative pairs, max(0, m - d)²; some use max(0, m - d) or "
        "max(0, m - d²) under the same name. Positive pairs 2 and 2.6 apart and negative ones 0.4, 3, 1.6 and 1 apart have "
        "the losses 4 + 6.76 + 0.36: over all six pairs 1.853, over the three with a loss 3.707. assay squares and "
        'divides by all pairs; form= and average= select the others. form="linear", average="active_by_kind", '
        "normalize=True equals pytorch-metric-learning, which adds the means of both kinds: 2.9 on these pairs.",
    ),
    14: Pitfall(
        "Circle loss: per anchor or pooled, weights detached or not",
        "The paper (Sun and others 2020) has one loss for each anchor; its widely copied code pools all pairs of a "
        "batch into one sum, which is larger and grows with the batch. The weights of the similarities are constants "
        "for the gradient; otherwise the slope at s = 0.5 and m = 0.25 is 1.0 instead of 0.75. assay uses "
        "anchors and constant weights, as pytorch-metric-learning does; pooled=True uses all pairs, each once.",
    ),
    15: Pitfall(
        "ArcFace: degrees or radians, easy margin, margin on all classes",
        "The margin is an angle: 0.5 in the paper and in insightface, 28.6 degrees in pytorch-metric-learning. 28.6 "
        "read as radians is more than four turns and makes training fail, so assay takes radians and refuses values above "
        "π. The margin applies to the true class only. Past π - m, where cos(θ + m) would rise again, the loss continues "
        "as cos θ - m sin m, as in both of those; easy_margin=True adds the angle only where the cosine is positive.",
    ),
    16: Pitfall(
        "BLEU without its signature",
        "A BLEU score depends on how texts are split into words, on smoothing, on the references, and on whether it runs from 0 to 1 or "
        "to 100. assay uses 0 to 100 and the tokenizer 13a, and its result carries a signature. It equals sacrebleu by default, "
        "except where neither texts nor references have n-grams of the highest order: sacrebleu then scores 0, even for identical texts, "
        "and assay leaves such orders out (effective_order=False is sacrebleu's rule). torchmetrics and torcheval split at spaces and "
        "do not smooth, so that a short sentence that scores 27.05 here scores 0 there. Numbers of lines that differ are refused; "
        "sacrebleu ignores the lines that are left over.",
    ),
    17: Pitfall(
        "ROUGE-L and Lsum, and whose ROUGE",
        "ROUGE-L takes a text as one sequence of words; Lsum joins the common subsequences of its sentences, and so depends on where they "
        "end: at line breaks, or with sentences='split' also after full stops. Lin (2004), rouge-score and the Perl script ROUGE-1.5.5 "
        "differ in details that change values: 'police kill the gunman' against 'police killed the gunman' has a ROUGE-W recall of 0.676 "
        "by the paper and 0.512 by the script. assay follows the paper; definition= names the others. rouge-score knows the letters a to z "
        "only, and its aggregator reports the median of a bootstrap with NumPy's global generator; assay reports the mean of the rows.",
    ),
    19: Pitfall(
        "Structural similarity: window, border and range",
        "Wang et al. (2004) use a Gaussian window of 11 x 11 with sigma 1.5, divide by the weight of the window, and average where "
        "it fits inside the picture. skimage's default is a uniform window of 7 x 7 with sample covariance; kornia and torchmetrics pad "
        "the border; some infer the range of values from the batch, so that the score of a picture depends on the others. On "
        "one noisy picture of 64 x 64 that is 0.591, 0.651, 0.602 with a border, and 0.581 with an inferred range. assay "
        "follows Wang; window='uniform', window_size=7, sample_covariance=True is skimage's default; data_range must be given for floats.",
    ),
    20: Pitfall(
        "PSNR: of each picture or of the pooled error",
        "Two pictures with mean squared errors of 0.01 and 0.0001 have 20 and 40 dB, 30 on average; the error pooled over both gives "
        "23.0. torchmetrics pools by default (dim=(1, 2, 3) does not). assay computes it per picture, then averages. A picture that equals "
        "its reference is infinitely good and makes the mean infinite; it is counted, not excluded or clipped.",
    ),
    21: Pitfall(
        "FID: size, resizing, weights and precision",
        "The distance between two samples of one distribution of 32 features is 5.8 from 100 rows each, 0.63 from 1000 and 0.06 from "
        "10000. It changes as much with the weights of the network and with how pictures are resized (torch-fidelity as TensorFlow 1, "
        "pytorch-fid bilinear, clean-fid bicubic with smoothing). In single precision with numbers near 1000 and a spread of 0.01, "
        "half of the distance is lost to rounding. assay computes in double precision, reports both sizes, and carries name, hash "
        "and resize "
        "mode of the extractor in the signature; states of different extractors do not add up. correction='richardson' removes "
        "most of the bias, and intervals are for the bias-corrected distance.",
    ),
    22: Pitfall(
        "nDCG: gain, ties and queries",
        "One name covers several numbers. Gains are the grades (trec_eval, scikit-learn) or 2^grade - 1. Equal scores are averaged "
        "over all orders by scikit-learn, broken by document id in descending order by trec_eval, and arbitrarily by ranx: "
        "one query with ties scored 0.917, 0.877 and 0.961. Queries that a run lacks are skipped by trec_eval 9, refused by "
        "trec_eval 10, and count as 0 in ir_measures. trec_eval 9 and pytrec_eval read scores in single precision, so that "
        "1.00000002 and 1.00000001 tie. AP@k is divided by all relevant documents (trec_eval), by at most k, or by those found "
        "(torchmetrics). In assay each is a parameter: gain=, ties=, missing=, denominator=, compat='trec_eval 9'; the number of "
        "tied and missing queries stands beside the value. The ideal ranking always holds all judged documents.",
    ),
    23: Pitfall(
        "MAPE where a target is zero",
        "A percentage of zero is undefined. scikit-learn divides by 2.2e-16 instead, so that one zero gives a "
        "value near 1e14; torchmetrics divides by 1.17e-6; permetrics returns 1. assay stops with an error by "
        'default. zeros="epsilon" with epsilon=2.220446049250313e-16 equals scikit-learn, with epsilon=1.17e-6 '
        'torchmetrics, and zeros="skip" excludes those rows and reports how many.',
    ),
    24: Pitfall(
        "Three scales of sMAPE",
        "Under one name there are 0 to 1, 0 to 2 and 0 to 200 %. assay divides the error by the mean of |y| and |ŷ|, "
        "so the range is 0 to 2 and 0/0 counts as 0 (as the M4 competition, which multiplies by 100). torchmetrics uses "
        "the same scale and divides by a small number where both are zero; permetrics gives percent of it, as "
        "percent=True; formulas without the factor 2 give half.",
    ),
    25: Pitfall(
        "When R² calls a target constant",
        "R² is undefined if the target does not vary. torchmetrics compares the sum of squares with an absolute "
        "1e-4, so that targets measured in thousandths count as constant and score 1.0 where the true value is negative; "
        "in float32 with a large mean its one-pass sum loses the digits that matter (0.97 for 0.75). assay centres "
        "first, works at any scale, and returns NaN only if the target is constant. scikit-learn agrees; its "
        "force_finite=True, the default, turns the undefined cases into 0 or 1.",
    ),
    26: Pitfall(
        "Log loss and Brier: clipping, class order, scale",
        "A probability of 0 for what happened makes the log loss infinite. scikit-learn clips at the smallest step "
        "of the dtype, so one such row costs 36 in float64 and 16 in float32; torch caps each row at 100; permetrics "
        'clips at 1e-10. assay does not clip and counts such rows; clip="eps" equals scikit-learn, clip=1e-10 '
        "permetrics. Columns belong to the classes in the order of classes=, else 0..K-1, never to the "
        "labels that happen to occur. The Brier score of one probability per row lies in 0..1; with one column per "
        "class it lies in 0..2, and halve=True gives 0..1.",
    ),
    27: Pitfall(
        "Which average",
        "With more than two classes tools choose for you, and differently: torchmetrics averages even accuracy over "
        "classes (macro), torcheval pools (micro), scikit-learn requires a choice for F1 but pools accuracy. Macro and micro can "
        "be far apart when classes are unequal, and macro changes with the list of classes that do not occur. "
        "assay's functions require average= when there are more than two classes, exclude classes for which a rate "
        "is undefined, and report how many; undefined=0 counts them as 0, as scikit-learn does.",
    ),
    28: Pitfall(
        "Areas from a grid of thresholds",
        "With thresholds=200 and the like, tools compute the area from a grid. Scores concentrated in a small part "
        "of [0, 1] fall between two grid points and the area tends to 0.5: scores within 0.002 of each other give "
        "0.51 for a true 0.67. assay uses every distinct score as a threshold, exactly, with one sort.",
    ),
    29: Pitfall(
        "Calibration error: of what, in which bins",
        "The confidence can be that of the predicted class (Guo et al. 2017) or the probability of the "
        "positive class; on one simulated binary model these are 0.021 and 0.070. Bins may be [a, b) or (a, b]. And "
        "on few rows the value is too large even for a perfect model (about 0.03 at 1000 rows). assay's default is "
        "15 bins (a, b] of the positive class of two, as the binary form of torchmetrics, and of the top label of more; "
        'debiased=True with norm="l2" removes the part that is noise.',
    ),
    31: Pitfall(
        "What a weighted mean divides by",
        "PyTorch's cross entropy with class weights divides by the sum of the weights of the rows, not by their "
        "number, and gives NaN if every row is ignored; its KL divergence with 'mean' divides by every element where "
        "'batchmean' divides by rows. assay's weighted means divide by the sum of the weights (weight=), in metrics and "
        "losses. Class weights of cross_entropy, label_smoothing and nll enter the divisor as PyTorch's do; those of "
        "binary_cross_entropy and the alpha of focal do not, as in PyTorch and torchvision. No rows or no weight at all: "
        "a metric is undefined or raises an error; a loss is 0 with a zero gradient, so that training continues, unless undefined= "
        "is 'nan', 'error' or another number.",
    ),
    32: Pitfall(
        "Means over batches",
        "The mean of the F1 scores of batches is not the F1 score: a ratio must be formed once, from the sums over "
        "all rows. A last batch that is smaller, or filled up with repeated rows by a distributed sampler, distorts "
        "the value further. assay's states hold sums and add up, so any split of the data gives the value of the "
        "whole.",
    ),
    33: Pitfall(
        "Error bars",
        "A spread over a few resamples inside each batch, or over folds as if they were independent, is not a "
        "confidence interval; and two models scored on the same rows must be compared on the same rows. assay "
        "resamples the independent unit (groups= names it) and keeps pairs together.",
    ),
    34: Pitfall(
        "Lovász-softmax: batch or image, absent classes",
        "The errors of the whole batch are sorted together, or those of each image and the losses averaged; and a class "
        "absent from the target, whose loss is then its largest probability, is excluded or counts. On the batch of two small "
        "images on which Dice spreads, the authors' code and smp give 0.548, with per_image=True 0.557, and kornia 0.564. assay "
        "uses the batch and the classes that occur, as the authors do; over='image' is per_image=True, and over='image', "
        "classes='all' is kornia.",
    ),
}
