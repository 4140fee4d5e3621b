"""One of two processes of `test_torch_gather`: measures its share of seven rows and says what all of them gave, as JSON."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any, cast

import torch as _torch

import assay
import assay.torch

torch = cast(Any, _torch)
Y, P = torch.tensor([0, 1, 1, 0, 1, 0, 1]), torch.tensor([0, 1, 0, 0, 1, 1, 0])
S = torch.linspace(0.1, 0.9, 7, dtype=torch.float64)


class Rows(torch.utils.data.Dataset):
    """Seven rows, each with its number."""

    def __len__(self) -> int:
        return 7

    def __getitem__(self, at: int) -> Any:
        return at, Y[at], P[at], S[at]


def refused(metric: Any) -> str:
    """What `gather` says."""
    try:
        metric.gather()
    except assay.StateError as error:
        return str(error)
    return ""


def main() -> dict[str, Any]:
    """All measurements of one process."""
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    sampler = torch.utils.data.DistributedSampler(Rows(), shuffle=False)
    both, plain = assay.torch.MetricCollection(["accuracy", "roc_auc"]), assay.torch.Metric("accuracy")
    for ids, y, p, s in torch.utils.data.DataLoader(Rows(), batch_size=3, sampler=sampler):
        both.update(y_true=y, y_pred=p, y_score=s, ids=ids)
        plain.update(y_true=y, y_pred=p)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        total = both.gather()
    lonely = assay.torch.Metric("accuracy")
    if rank == 1:
        lonely.update(y_true=[0, 1], y_pred=[0, 0], ids=[0, 1])
    odd = assay.torch.Metric("accuracy")
    odd.update(y_true=[0], y_pred=[0], ids=[0] if rank else None)
    return {
        **{name: float(value) for name, value in total.compute().items()},
        "n": total.n,
        "repeated": total.repeated,
        "own": both.n,
        "said": [str(one.message) for one in said],
        "plain": plain.gather().n,
        "state": assay.torch.gather(plain.state).n,
        "lonely": float(lonely.gather().compute()),
        "refused": [refused(assay.torch.Metric("mse" if rank else "mae")), refused(odd)],
    }


if __name__ == "__main__":
    found = main()
    torch.distributed.destroy_process_group()
    sys.stdout.write(json.dumps(found))
