"""dataset.dataloader: batches by number and by iteration, samplers (orders are NumPy's, as in MindSpore), worker processes, errors."""
from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor
from msjit.dataset.dataloader import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    TensorDataset,
    default_collate,
    default_convert,
    get_worker_info,
)

Pair = namedtuple("Pair", "a b")


class Squares(Dataset):
    def __init__(self, count=10):
        self.count = count

    def __getitem__(self, index):
        if index == 99:
            raise KeyError("no such square")
        return np.float32(index * index), index

    def __len__(self):
        return self.count


class Shared(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(7) if info is None else range(info.id, 7, info.num_workers))

    def __len__(self):
        return 7


def plain(value):
    if isinstance(value, Tensor):
        return value.asnumpy().tolist()
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def test_collate():
    assert plain(default_collate([Tensor([1, 2]), Tensor([3, 4])])) == [[1, 2], [3, 4]]
    for batch, dtype in (([1, 2], ms.int64), ([1.5, 2], ms.float64), ([True, False], ms.bool_), ([np.float32(1), np.float32(2)], ms.float32),
                         ([np.ones(2, np.int8)] * 2, ms.int8)):
        assert default_collate(batch).dtype == dtype
    pair = default_collate([Pair(1, "x"), Pair(2, "y")])
    assert isinstance(pair, Pair) and plain(pair.a) == [1, 2] and list(pair.b) == ["x", "y"]
    assert plain(default_collate([OrderedDict(a=1), OrderedDict(a=2)])["a"]) == [1, 2]
    assert plain(default_collate([(1, [2.0]), (3, [4.0])])) == [[1, 3], [[2.0, 4.0]]]
    with pytest.raises(RuntimeError, match="as many in each"):
        default_collate([(1,), (2, 3)])
    for batch in ([None], [np.array(["a"])], [object()]):
        with pytest.raises(TypeError):
            default_collate(batch)
    found = default_convert({"a": np.arange(2), "b": (1, "t"), "c": Pair(np.int32(3), None)})
    assert plain(found["a"]) == [0, 1] and found["b"] == [1, "t"] and found["c"].a.dtype == ms.int32
    assert default_convert(np.array(["t"])).tolist() == ["t"]


def test_batches_by_number():
    assert [plain(b) for b in DataLoader(Squares(5), 2)] == [[[0, 1], [0, 1]], [[4, 9], [2, 3]], [[16], [4]]]
    for size, drop, count in ((4, False, 3), (4, True, 2), (5, True, 2), (None, False, 10)):
        loader = DataLoader(Squares(), size, drop_last=drop)
        assert len(loader) == count == len(list(loader))
    assert plain(list(DataLoader(Squares(), None, sampler=[3]))) == [[9.0, 3]]
    assert [plain(b)[1] for b in DataLoader(Squares(), 2, sampler=[5, 1, 2])] == [[5, 1], [2]]
    assert [plain(b)[1] for b in DataLoader(Squares(), batch_sampler=[[7], [8, 9]])] == [[7], [8, 9]]
    assert [b for b in DataLoader([1, 2, 3], 2, collate_fn=sum)] == [3, 3]
    order = np.random.default_rng(3).permutation(10).tolist()
    found = [plain(b)[1] for b in DataLoader(Squares(), 4, shuffle=True, generator=np.random.default_rng(3))]
    assert found == [order[:4], order[4:8], order[8:]]


def test_batches_by_iteration():
    assert [plain(b) for b in DataLoader(Shared(), 3)] == [[0, 1, 2], [3, 4, 5], [6]]
    assert [plain(b) for b in DataLoader(Shared(), 3, drop_last=True)] == [[0, 1, 2], [3, 4, 5]]
    assert list(DataLoader(Shared(), None)) == list(range(7))
    assert len(DataLoader(Shared(), 3)) == 3 and len(DataLoader(Shared(), 3, drop_last=True)) == 2


def test_rows_of_tensors():
    rows = TensorDataset(Tensor([1, 2]), Tensor([[1.0], [2.0]]))
    assert len(rows) == 2 and plain(list(rows)) == [[1, [1.0]], [2, [2.0]]]
    assert [plain(b) for b in DataLoader(rows, 2)] == [[[1, 2], [[1.0], [2.0]]]]
    with pytest.raises(ValueError, match="first sizes"):
        TensorDataset(Tensor([1]), Tensor([1, 2]))


def test_samplers():
    draws = np.random.default_rng
    assert list(SequentialSampler("abc")) == [0, 1, 2]
    assert list(RandomSampler(range(10), True, 5, draws(3))) == draws(3).integers(0, 10, 5).tolist()
    twice = draws(3)
    assert list(RandomSampler(range(4), False, 6, draws(3))) == twice.permutation(4).tolist() + twice.permutation(4).tolist()[:2]
    np.random.seed(0)
    seed = np.random.randint(0, 2 ** 63 - 1, dtype=np.int64)
    ms.set_seed(0)
    assert list(RandomSampler(range(10))) == draws(seed).permutation(10).tolist()
    assert list(BatchSampler([1, 2, 3], 2, True)) == [[1, 2]] and len(BatchSampler([1, 2, 3], 2, False)) == 2
    parts = [DistributedSampler(range(10), 3, rank, False) for rank in range(3)]
    assert [list(part) for part in parts] == [[0, 3, 6, 9], [1, 4, 7, 0], [2, 5, 8, 1]] and len(parts[0]) == 4
    assert [list(DistributedSampler(range(10), 3, rank, False, drop_last=True)) for rank in range(3)] == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    shuffled = DistributedSampler(range(9), 3, 1, seed=5)
    shuffled.set_epoch(2)
    assert list(shuffled) == draws(7).permutation(9)[1::3].tolist() and DistributedSampler(range(3)).rank == 0


@pytest.mark.parametrize("persistent", (False, True))
def test_workers(persistent):
    loader = DataLoader(Squares(), 3, num_workers=2, persistent_workers=persistent)
    for _ in range(2):
        assert [plain(b)[1] for b in loader] == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
    next(iter(loader))  # one that is left early
    assert [plain(b)[1] for b in loader][-1] == [9]
    shared = DataLoader(Shared(), 2, num_workers=2, persistent_workers=persistent)
    for _ in range(2):
        assert sorted(sum((plain(b) for b in shared), [])) == list(range(7))
    free = DataLoader(Squares(), 3, num_workers=2, in_order=False)
    assert sorted(sum((plain(b)[1] for b in free), [])) == list(range(10))


def refuse(number):
    raise OSError("worker %d will not" % number)


def test_errors_of_workers():
    with pytest.raises(RuntimeError, match="got KeyError.*(\n.*)*no such square"):
        list(DataLoader(Squares(), 2, sampler=[1, 99], num_workers=1))
    with pytest.raises(RuntimeError, match="got OSError"):
        list(DataLoader(Squares(), 2, num_workers=1, worker_init_fn=refuse))
    with pytest.raises(KeyError):
        list(DataLoader(Squares(), 2, sampler=[99]))


@pytest.mark.parametrize("options, error", [
    (dict(batch_size=0), ValueError), (dict(batch_size="a"), TypeError), (dict(num_workers=-1), ValueError), (dict(timeout=-1), ValueError),
    (dict(prefetch_factor=2), ValueError), (dict(persistent_workers=True), ValueError), (dict(shuffle=True, sampler=[1]), ValueError),
    (dict(batch_size=2, batch_sampler=[[1]]), ValueError), (dict(shuffle=1), TypeError), (dict(multiprocessing_context="fork"), ValueError)])
def test_bad_arguments(options, error):
    with pytest.raises(error):
        DataLoader(Squares(), **options)


def test_other_bad_arguments():
    for make, error in ((lambda: DataLoader(3), NotImplementedError), (lambda: DataLoader(Shared(), shuffle=True), ValueError),
                        (lambda: DataLoader(Shared(), sampler=[1]), ValueError), (lambda: RandomSampler([1], num_samples=0), ValueError),
                        (lambda: BatchSampler([1], 1, 0), TypeError), (lambda: DistributedSampler([1], 2, 2), ValueError),
                        (lambda: Dataset()[0], NotImplementedError), (lambda: iter(IterableDataset()), NotImplementedError)):
        with pytest.raises(error):
            make()
    assert get_worker_info() is None
