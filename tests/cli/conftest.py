"""Files of predictions, one a task."""

import pytest
from cli_support import binary, multiclass, multilabel, regression


@pytest.fixture
def files(tmp_path):
    frames = {"binary": binary(), "multiclass": multiclass(), "multilabel": multilabel(), "regression": regression()}
    for name, frame in frames.items():
        frame.write_parquet(tmp_path / f"{name}.parquet")
    return tmp_path
