"""Make the samples of `assay demo`: out-of-fold predictions of two models per task on scikit-learn's bundled data.

Needs scikit-learn (an extra of the package, not needed to run the demo). The seeds are fixed; run it from anywhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

TARGET = Path(__file__).parent.parent / "src" / "assay" / "samples"
SEED = 7
DIGITS = {
    "even": {0, 2, 4, 6, 8}, "prime": {2, 3, 5, 7}, "above_4": {5, 6, 7, 8, 9}, "has_loop": {0, 6, 8, 9},
}  # fmt: skip


def logistic() -> Any:
    """The linear classifier."""
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))


def forest() -> Any:
    """The forest."""
    return RandomForestClassifier(n_estimators=200, random_state=SEED, n_jobs=-1)


def regression() -> pl.DataFrame:
    """Disease progression of 442 diabetes patients, with their sex."""
    data = load_diabetes(scaled=False)
    folds = KFold(10, shuffle=True, random_state=SEED)
    trees = RandomForestRegressor(n_estimators=200, random_state=SEED, n_jobs=-1)
    linear = make_pipeline(StandardScaler(), Ridge(alpha=1.0))
    sex = np.where(data.data[:, 1] == data.data[:, 1].min(), "1", "2")  # the source codes them 1 and 2 and says no more
    return pl.DataFrame(
        {
            "y": data.target.astype(np.float32),
            "ridge": cross_val_predict(linear, data.data, data.target, cv=folds).astype(np.float32),
            "forest": cross_val_predict(trees, data.data, data.target, cv=folds).astype(np.float32),
            "sex": sex,
        }
    )


def binary() -> pl.DataFrame:
    """Malignant or benign: 569 tumours, with their size in thirds."""
    data = load_breast_cancer()
    malignant = 1 - data.target
    folds = StratifiedKFold(10, shuffle=True, random_state=SEED)
    size = np.digitize(data.data[:, 0], np.quantile(data.data[:, 0], [1 / 3, 2 / 3]))
    return pl.DataFrame(
        {
            "y": np.array(["benign", "malignant"])[malignant],
            **{
                name: cross_val_predict(model, data.data, malignant, cv=folds, method="predict_proba")[:, 1].astype(
                    np.float32
                )
                for name, model in (("logistic", logistic()), ("forest", forest()))
            },
            "size": np.array(["small", "medium", "large"])[size],
        }
    )


def multiclass() -> pl.DataFrame:
    """Three cultivars of wine, 178 bottles, with a half of the range of alcohol."""
    data = load_wine()
    names = np.array(["barolo", "grignolino", "barbera"])
    folds = StratifiedKFold(10, shuffle=True, random_state=SEED)
    columns: dict[str, Any] = {"y": names[data.target]}
    # Four features only, so that the task is not solved by either model.
    chosen = data.data[:, [0, 1, 2, 4]]
    for model, learner in (("logistic", logistic()), ("forest", forest())):
        p = cross_val_predict(learner, chosen, data.target, cv=folds, method="predict_proba")
        columns |= {f"{model}_{name}": p[:, k].astype(np.float32) for k, name in enumerate(names)}
    columns["alcohol"] = np.where(data.data[:, 0] > np.median(data.data[:, 0]), "high", "low")
    return pl.DataFrame(columns)


def multilabel() -> pl.DataFrame:
    """Properties of 1797 handwritten digits, with the ink used in thirds."""
    data = load_digits()
    truth = np.column_stack([np.isin(data.target, list(members)) for members in DIGITS.values()]).astype(int)
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    splits = list(folds.split(data.data, data.target))
    columns: dict[str, Any] = {f"y_{name}": truth[:, k].astype(np.int8) for k, name in enumerate(DIGITS)}
    for model, learner in (("logistic", logistic()), ("forest", forest())):
        found = cross_val_predict(MultiOutputClassifier(learner), data.data, truth, cv=splits, method="predict_proba")
        columns |= {f"{model}_{name}": found[k][:, 1].astype(np.float32) for k, name in enumerate(DIGITS)}
    ink = data.data.sum(axis=1)
    columns["ink"] = np.array(["little", "medium", "much"])[np.digitize(ink, np.quantile(ink, [1 / 3, 2 / 3]))]
    return pl.DataFrame(columns)


def main() -> None:
    """Write all samples."""
    TARGET.mkdir(exist_ok=True)
    for make in (regression, binary, multiclass, multilabel):
        frame = make()
        path = TARGET / f"{make.__name__}.parquet"
        frame.write_parquet(path, compression="zstd", compression_level=19, statistics=False)
        print(f"{path.name}: {frame.height} rows, {path.stat().st_size / 1000:.1f} kB")


if __name__ == "__main__":
    main()
