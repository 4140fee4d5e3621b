"""`assay estimate`: learners by address, columns, schemes, files written, and the library's own numbers."""

import csv
import json
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from cli_support import call, refused

import assay

pytest.importorskip("sklearn")
MODELS = """
import warnings
import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

linear = LogisticRegression()
ridge = Ridge()
search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 9]}, cv=3)
table = make_pipeline(make_column_transformer((OneHotEncoder(), ["city"]), remainder="passthrough"), LogisticRegression())


class Tree(DecisionTreeClassifier):
    pass


class Needs:
    def __init__(self, size):
        self.size = size


def make(depth=3):
    return DecisionTreeClassifier(max_depth=depth)


def train(X, y):
    weights = np.linalg.lstsq(X, y, rcond=None)[0]
    return lambda new: new @ weights


def fit(X, y):
    return y.mean()


def predict(model, X):
    return np.full(len(X), model)


pair = (fit, predict)
mapping = {"fit": LogisticRegression().fit, "predict": lambda m, X: m.predict(X), "predict_proba": lambda m, X: m.predict_proba(X)}


def noisy(X, y):
    print("so much to say")
    warnings.warn("be careful")
    return train(X, y)


def fails_at_times(X, y, seed):
    if seed % 2:
        raise ValueError("an unlucky seed")
    return train(X, y)


def always_fails(X, y):
    raise ValueError("no luck")


number = 3
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An own name for the module: it stays imported while the tests run."""
    place = tmp_path_factory.mktemp("learners")
    (place / "my_models.py").write_text(MODELS)
    rng = np.random.default_rng(5)
    X = rng.normal(size=(90, 3))
    y = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    pl.DataFrame(
        {
            "a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "ill": y, "word": np.where(y, "ill", "well"),
            "value": X @ [1, 2, 0] + rng.normal(size=90),
            "city": rng.choice(["Bern", "Rome"], 90), "patient": np.arange(90) // 3,
        }
    ).write_csv(place / "data.csv")  # fmt: skip
    return place


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


ARGUMENTS = ("data.csv", "--features", "a,b,c", "--resampling", "cv:5x2")
BINARY = (*ARGUMENTS, "--truth", "ill", "--metrics", "accuracy,log_loss")


def values(run):
    """The value of every metric of a CSV result."""
    assert run.code == 0, run
    return {row["metric"]: float(row["value"]) for row in csv.DictReader(run.out.splitlines())}


def test_the_numbers_are_those_of_the_library(capsys, here):
    from sklearn.linear_model import LogisticRegression

    table = pl.read_csv("data.csv")
    X, y = table.select("a", "b", "c").to_numpy(), table["ill"].to_numpy()
    wanted = assay.estimate(LogisticRegression(), X, y, "cv:5x2", ["accuracy", "log_loss"])
    found = json.loads(call(capsys, "estimate", "my_models:linear", *BINARY, "--json").out)
    for name in ("accuracy", "log_loss"):
        score = found["scores"][name]["score"]
        assert (score["value"], score["low"], score["high"]) == pytest.approx(
            (float(wanted[name]), wanted[name].low, wanted[name].high)
        )
    assert found["learner"] == "linear"
    assert found["about"] == wanted.about


@pytest.mark.parametrize(
    "address",
    [
        "my_models:linear", "my_models.py:linear", "./my_models.py:linear", "sklearn.linear_model:LogisticRegression",
        "my_models:mapping",
    ],
)  # fmt: skip
def test_addresses_of_one_learner_agree(capsys, here, address):
    found = values(call(capsys, "estimate", address, *BINARY, "-f", "csv"))
    assert found["accuracy"] == pytest.approx(
        values(call(capsys, "estimate", "my_models:linear", *BINARY, "-f", "csv"))["accuracy"]
    )


@pytest.mark.parametrize("name", ["Tree", "make", "search"])
def test_classes_are_instantiated_and_factories_called(capsys, here, name):
    assert (
        0.4
        < values(call(capsys, "estimate", f"my_models:{name}", *BINARY, "-m", "accuracy", "-f", "csv"))["accuracy"]
        < 1
    )


def test_functions_that_train_are_not_called_bare(capsys, here):
    common = (*ARGUMENTS, "--truth", "value", "-m", "mse", "-f", "csv")
    least_squares = values(call(capsys, "estimate", "my_models:train", *common))["mse"]
    mean = values(call(capsys, "estimate", "my_models:pair", *common))["mse"]
    assert least_squares < 2 < mean  # noise of variance 1, and a target of variance 6


def test_all_other_numbers_are_features_by_default(capsys, here):
    pl.read_csv("data.csv").drop("word", "city", "value").write_csv("numbers.csv")
    by_default = call(capsys, "estimate", "my_models:linear", "numbers.csv", "--truth", "ill", "--groups", "patient",
                      "-r", "cv:5", "-m", "accuracy", "--json")  # fmt: skip
    named = call(capsys, "estimate", "my_models:linear", "numbers.csv", "--truth", "ill", "-g", "patient", "-x", "a,b,c",
                 "-r", "cv:5", "-m", "accuracy", "--json")  # fmt: skip
    assert json.loads(by_default.out)["scores"] == json.loads(named.out)["scores"]
    assert json.loads(named.out)["method"] == "cluster_t"


def test_text_columns_are_refused_unless_the_learner_takes_frames(capsys, here):
    told = ("data.csv", "--truth", "ill", "-x", "a,city", "-r", "cv:5", "-m", "accuracy", "-f", "csv")
    refused(call(capsys, "estimate", "my_models:linear", *told))
    frames = [
        values(call(capsys, "estimate", "my_models:table", *told, "--frame", kind)) for kind in ("pandas", "polars")
    ]
    assert frames[0] == frames[1]


def test_files_are_written(capsys, here, tmp_path):
    paths = [tmp_path / name for name in ("p.parquet", "s.csv", "f.svg", "table.md")]
    run = call(
        capsys,
        "estimate",
        "my_models:linear",
        *BINARY,
        "--predictions",
        paths[0],
        "--splits",
        paths[1],
        "--figure",
        paths[2],
        "-o",
        paths[3],
    )
    assert (run.code, run.out) == (0, "")
    answers = pl.read_parquet(paths[0])
    assert answers.height == 2 * 90
    assert answers["y_true"].to_list() == pl.read_csv("data.csv")["ill"].gather(answers["row"]).to_list()
    splits = pl.read_csv(paths[1])
    assert splits.height == 10 * 2
    assert "| accuracy" in paths[3].read_text()
    space = "{http://www.w3.org/2000/svg}"
    chart = ElementTree.parse(paths[2]).getroot()
    assert len(chart.findall(f"{space}circle")) == 10 * 2 * 2  # train and test of two metrics
    assert {"accuracy", "log_loss"} <= {text.text for text in chart.findall(f"{space}text")}


def test_predictions_can_be_scored_again(capsys, here, tmp_path):
    """Columns of probabilities carry the names of their classes, those of several targets the names of these."""
    table = pl.read_csv("data.csv").with_columns(
        third=pl.when(pl.col("a") > 0.5).then(pl.lit("cat")).when(pl.col("b") > 0).then(pl.lit("dog")).otherwise(pl.lit("ant")),
        t_one=(pl.col("a") > 0).cast(int), t_two=(pl.col("b") > 0).cast(int),
    )  # fmt: skip
    table.write_csv(tmp_path / "many.csv")
    for truth, columns in (("third", ("--truth", "y_true")), ("t_one,t_two", ("--truth", "y_true_*"))):
        told = (tmp_path / "many.csv", "-x", "a,b,c", "--truth", truth, "-r", "cv:5", "-m", "accuracy", "--json")
        found = call(capsys, "estimate", "my_models:make", *told, "--predictions", tmp_path / "p.csv")
        again = call(capsys, "score", tmp_path / "p.csv", *columns, "--prob", "y_prob_*", "-m", "accuracy", "--json")
        pooled = json.loads(found.out)["scores"]["accuracy"]["pooled"]
        assert json.loads(again.out)["scores"]["accuracy"]["value"] == pytest.approx(pooled)


def test_dots_stand_where_the_values_are(capsys, here, tmp_path):
    call(
        capsys,
        "estimate",
        "my_models:linear",
        *BINARY,
        "-m",
        "roc_auc",
        "--splits",
        tmp_path / "s.csv",
        "--figure",
        tmp_path / "f.svg",
    )
    values = pl.read_csv(tmp_path / "s.csv").filter(pl.col("metric") == "roc_auc")["test"].to_numpy()
    dots = [
        c for c in ElementTree.parse(tmp_path / "f.svg").getroot() if c.tag.endswith("circle") and c.get("class") == "s"
    ]
    places = np.array([float(c.get("cx")) for c in dots[-len(values) :]])
    assert np.corrcoef(places, values)[0, 1] > 0.9999


def test_a_store_goes_on_and_refuses_another_run(capsys, here, tmp_path):
    told = (*ARGUMENTS, "--truth", "value", "--store", tmp_path / "run", "-f", "csv")
    first = values(call(capsys, "estimate", "my_models:ridge", *told, "-m", "mse", "--keep-train"))
    stamps = {file: file.stat().st_mtime_ns for file in (tmp_path / "run").glob("*.npz")}
    assert len(stamps) == 10
    again = call(capsys, "estimate", "my_models:ridge", *told, "-m", "mse,mae", "--keep-train")
    assert values(again)["mse"] == first["mse"]
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "run").glob("*.npz")} == stamps
    assert "unknown" not in again.err
    refused(call(capsys, "estimate", "my_models:train", *told, "-m", "mse", "--keep-train"))


def test_later_metrics_say_that_training_values_are_unknown(capsys, here, tmp_path):
    told = (*ARGUMENTS, "--truth", "value", "--store", tmp_path / "run", "-f", "csv")
    call(capsys, "estimate", "my_models:ridge", *told, "-m", "mse")
    assert "training values of mae are unknown" in call(capsys, "estimate", "my_models:ridge", *told, "-m", "mae").err


def test_selection_shows_its_optimism(capsys, here):
    told = ("data.csv", "-x", "a,b,c", "--truth", "ill", "-m", "accuracy", "-r", "cv:5", "--json")
    grid = json.loads(call(capsys, "estimate", "my_models:Tree", *told, "--grid", "max_depth=1,9,None").out)
    search = json.loads(call(capsys, "estimate", "my_models:search", *told, "--nested").out)
    for found in (grid, search):
        assert len(found["chosen"]) == 5
        flat, nested = found["flat"]["accuracy"], found["scores"]["accuracy"]["score"]["value"]
        assert found["optimism"]["accuracy"] == pytest.approx(flat - nested)


def test_the_guideline_alone_trains_nothing(capsys, here):
    run = call(capsys, "estimate", "my_models:always_fails", "data.csv", "--truth", "value", "-x", "a", "--guideline")
    assert run.code == 0
    assert run.out.startswith("--resampling cv:10x5 --method corrected_t\n- ")
    data = json.loads(
        call(
            capsys,
            "estimate",
            "my_models:linear",
            "data.csv",
            "--truth",
            "ill",
            "-x",
            "a",
            "--guideline",
            "--json",
            "--budget",
            "10",
            "--seed",
            "4",
        ).out
    )
    assert data["resampling"] == "cv:10x1,stratify,seed=4"
    assert (
        assay.resampling.scheme_of(data["resampling"])
        == assay.guideline(90, classes=[45, 45], budget=10, seed=4).scheme
    )


def test_what_learners_print_and_warn_stays_out_of_the_result(capsys, here):
    run = call(capsys, "estimate", "my_models:noisy", *ARGUMENTS, "--truth", "value", "-m", "mse", "--json")
    assert json.loads(run.out)["scores"]["mse"]
    assert run.err.count("so much to say") == 10
    assert "warned 10 times: UserWarning: be careful" in run.err


def test_failed_fits_are_told_and_leave_no_estimate(capsys, here):
    run = call(capsys, "estimate", "my_models:fails_at_times", *ARGUMENTS, "--truth", "value", "-m", "mse", "--json")
    assert run.code == 1
    found = json.loads(run.out)
    assert found["scores"]["mse"]["score"]["value"] is None
    assert 0 < len(found["failures"]) < 10
    assert f"{len(found['failures'])} of 10 fits failed" in run.err
    refused(call(capsys, "estimate", "my_models:always_fails", *ARGUMENTS, "--truth", "value"))


def test_limits(capsys, here):
    kept = call(
        capsys, "estimate", "my_models:linear", *BINARY, "--fail-under", "accuracy=0.3", "--fail-under", "log_loss=9"
    )
    assert kept.code == 0
    missed = call(capsys, "estimate", "my_models:linear", *BINARY, "--fail-under", "roc_auc=0.999")
    assert missed.code == 1
    assert "below the limit 0.999" in missed.err


def test_the_best_known_value_gives_the_underfitting(capsys, here):
    found = json.loads(call(capsys, "estimate", "my_models:linear", *BINARY, "--best", "accuracy=0.9", "--json").out)[
        "scores"
    ]
    assert found["accuracy"]["underfitting"] == pytest.approx(0.9 - found["accuracy"]["score"]["value"])
    assert found["log_loss"]["underfitting"] is None


def test_processes_give_the_same(capsys, here):
    one, two = (values(call(capsys, "estimate", "my_models:linear", *BINARY, "-f", "csv", "--jobs", n)) for n in (1, 2))
    assert one == two
