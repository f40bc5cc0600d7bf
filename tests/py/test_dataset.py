"""Datasets: sources, samplers, steps, workers. Orders for a seed, and other numbers, are those of MindSpore 2.10."""
import multiprocessing
import os
import signal
import time

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor
from msjit import dataset as ds


@pytest.fixture(autouse=True)
def seeded():
    ds.config.set_seed(1)
    yield
    ds.config.set_seed(ds.config.UNSEEDED)


class Numbers:
    """Random access to 0 .. count - 1."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return (np.int64(index),)


def epochs(data, count=1):
    """First column of each row, epoch by epoch."""
    iterator = data.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[row[0].tolist() for row in iterator] for _ in range(count)]


def numbers(count, **keywords):
    return ds.GeneratorDataset(Numbers(count), ["x"], **keywords)


def plain(count=5):
    """Columns a, of one or two values, and b."""
    return ds.GeneratorDataset([(np.array([i] * (i % 2 + 1)), np.array(i)) for i in range(count)], ["a", "b"], shuffle=False)


def dicts(data, count=1):
    iterator = data.create_dict_iterator(num_epochs=count, output_numpy=True)
    found = [[{k: v.tolist() for k, v in row.items()} for row in iterator] for _ in range(count)]
    return found[0] if count == 1 else found


@pytest.mark.parametrize("keywords, expected", [
    ({}, [[9, 0, 2, 5, 7, 4, 6, 3, 1, 8], [4, 9, 5, 0, 1, 7, 6, 2, 3, 8], [0, 9, 3, 7, 5, 6, 8, 2, 4, 1]]),
    ({"num_shards": 3, "shard_id": 0}, [[5, 1, 6, 9], [1, 4, 9, 8]]),
    ({"num_shards": 3, "shard_id": 1}, [[0, 8, 2, 5], [0, 3, 2, 1]]),
    ({"num_shards": 3, "shard_id": 2, "shuffle": False}, [[2, 5, 8, 1]] * 2),
    ({"num_samples": 4}, [[4, 9, 7, 9], [4, 1, 0, 9]]),
    ({"sampler": ds.DistributedSampler(3, 1, False, offset=1)}, [[0, 3, 6, 9]] * 2),
    ({"sampler": ds.RandomSampler(True, 12)}, [[4, 9, 7, 9, 0, 1, 3, 9, 1, 2], [4, 1, 0, 9, 5, 9, 4, 4, 4, 3]]),
    ({"sampler": ds.RandomSampler(False, 5)}, [[9, 0, 2, 5, 7], [4, 9, 5, 0, 1]]),
    ({"sampler": ds.SubsetRandomSampler([1, 3, 5, 7, 9])}, [[3, 1, 5, 7, 9], [1, 3, 5, 7, 9]]),
    ({"sampler": ds.WeightedRandomSampler([1] * 5 + [3] * 5, 8)}, [[9, 9, 2, 9, 4, 5, 5, 7]] * 2),
    ({"sampler": ds.WeightedRandomSampler([1] * 5 + [3] * 5, 8, False)}, [[2, 6, 5, 4, 7, 9, 8, 1]] * 2),
    ({"sampler": ds.SequentialSampler(3, 4)}, [[3, 4, 5, 6]] * 2), ({"sampler": [1, 2, 3]}, [[1, 2, 3]] * 2)])
def test_orders_of_samplers(keywords, expected):
    data = numbers(10, **keywords)
    assert epochs(data, len(expected)) == expected
    assert data.get_dataset_size() == len(expected[0])


def test_orders_of_steps():
    in_order = numbers(10, shuffle=False)
    assert epochs(in_order.shuffle(4), 2) == [[0, 2, 4, 5, 3, 1, 7, 9, 6, 8], [0, 4, 1, 6, 3, 5, 8, 7, 9, 2]]
    assert epochs(in_order.shuffle(20), 2) == [[8, 6, 2, 5, 0, 4, 9, 3, 7, 1], [6, 5, 8, 3, 2, 9, 1, 0, 4, 7]]
    assert epochs(numbers(6, shuffle=False).shuffle(6).repeat(2), 2) == [
        [2, 5, 4, 0, 3, 1, 2, 0, 4, 1, 3, 5], [5, 2, 0, 3, 1, 4, 5, 0, 3, 1, 4, 2]]
    assert [epochs(part)[0] for part in in_order.split([0.5, 0.5])] == [[9, 0, 2, 5, 7], [4, 6, 3, 1, 8]]
    ds.config.set_seed(7)
    assert [epochs(part)[0] for part in numbers(8).split([5, 3])] == [[6, 0, 3, 1, 7], [5, 4, 2]]
    mapped = numbers(8, shuffle=False).map(lambda x: x).split([5, 3])
    assert [epochs(part)[0] for part in mapped] == [[7, 4, 0, 1, 6], [5, 3, 2]]
    assert epochs(numbers(4).repeat(3), 2) == [[2, 0, 3, 1, 1, 0, 2, 3, 3, 2, 1, 0], [1, 2, 3, 0, 0, 1, 2, 3, 1, 3, 0, 2]]
    assert epochs(numbers(8).take(3), 2) == [[2, 7, 6], [4, 3, 2]]


def test_seeds():
    ms.set_seed(3)
    assert ds.config.get_seed() == 3
    ds.config.set_seed(4)
    assert (ds.config.get_seed(), ms.get_seed()) == (4, 3)
    assert epochs(numbers(50)) == epochs(numbers(50))
    ds.config.set_seed(ds.config.UNSEEDED)
    assert epochs(numbers(50)) != epochs(numbers(50))


def test_samplers_of_programs():
    class Backwards(ds.Sampler):
        def __iter__(self):
            return iter(range(3, 0, -1))

    class Rows:
        """A class without __iter__: iter() asks for rows until IndexError, and __len__ ends it earlier."""

        def __init__(self, size):
            self.size = size

        def __getitem__(self, index):
            return [4, 2, 2, 0][index]

        def __len__(self):
            return self.size

    assert epochs(numbers(5, sampler=Backwards()), 2) == [[3, 2, 1]] * 2
    assert epochs(numbers(5, sampler=Rows(4)), 2) == [[4, 2, 2, 0]] * 2
    assert epochs(numbers(5, sampler=Rows(3))) == [[4, 2, 2]]
    child = ds.SequentialSampler(1, 3)
    child.add_child(ds.SubsetSampler([1, 3, 5, 7, 9]))
    assert epochs(numbers(10, sampler=child)) == [[3, 5, 7]]
    with pytest.raises(RuntimeError, match="row number, got 9, expected 0 to 4"):
        epochs(numbers(5, sampler=[9]))


def test_sizes_of_parts():
    found = [[p.get_dataset_size() for p in numbers(n).split(s)]
             for n, s in ((7, [.5, .5]), (10, [.33, .33, .34]), (10, [.25, .25, .5]), (5, [.5, .5]))]
    assert found == [[3, 4], [4, 3, 3], [3, 2, 5], [3, 2]]
    with pytest.raises(RuntimeError, match="sum of sizes, got 11, expected 10"):
        numbers(10).split([7, 4])


def test_sources():
    def generator():
        for i in range(5):
            yield np.array(i), "t%d" % i

    data = ds.GeneratorDataset(generator, ["x", "t"], num_samples=3)
    assert dicts(data, 2) == [[{"x": i, "t": "t%d" % i} for i in range(3)]] * 2
    assert ds.GeneratorDataset(generator, ["x", "t"]).get_dataset_size() == 5
    values = [1, 1.5, True, np.float16(1), [1, 2], Tensor(np.float32([1, 2])), np.uint16(3), np.uint32(4)]
    dtypes = ["int64", "float64", "bool", "float16", "int64", "float32", "uint16", "uint32"]
    row = next(ds.GeneratorDataset([tuple(values)], list("abcdefgh"), shuffle=False).create_tuple_iterator())
    data = ds.GeneratorDataset([tuple(values)], list("abcdefgh"), shuffle=False)
    assert [str(t) for t in data.output_types()] == dtypes
    assert [t.dtype for t in row[-2:]] == [ms.uint16, ms.uint32] and row[5].dtype == ms.float32
    assert data.output_shapes() == [[], [], [], [], [2], [2], [], []]
    assert dicts(ds.NumpySlicesDataset({"a": [1, 2], "b": [3., 4.]}, shuffle=False)) == [
        {"a": 1, "b": 3.0}, {"a": 2, "b": 4.0}]
    assert dicts(ds.NumpySlicesDataset(([1, 2], ["p", "qq"]), shuffle=False))[1] == {"column_0": 2, "column_1": "qq"}
    batches = ds.GeneratorDataset(Numbers(6), ["x"], batch_sampler=[[0, 1], [2, 3, 4]])
    assert epochs(batches) == [[[0, 1], [2, 3, 4]]] and len(batches) == 2
    counted = ds.GeneratorDataset(Numbers(6), ["x"], batch_sampler=[[0, 1], [2]], collate_fn=lambda rows: (len(rows),))
    assert epochs(counted) == [[2, 1]]
    assert dicts(ds.GeneratorDataset([({"k": 1},)], ["d"], shuffle=False).map(lambda d: d["k"] + 1)) == [{"d": 2}]


WORKERS = [{}, {"num_parallel_workers": 3}, {"num_parallel_workers": 2, "python_multiprocessing": True}]


def test_map():
    double = plain(2).map(lambda x: (x, x * 2), ["b"], ["c", "d"])
    assert dicts(double) == [{"c": 0, "d": 0, "a": [0]}, {"c": 1, "d": 2, "a": [1, 1]}]
    assert double.get_col_names() == ["c", "d", "a"]
    assert plain().map(lambda a, b: (a, b), ["b", "a"], ["c", "d"]).get_col_names() == ["d", "c"]
    assert dicts(plain(2).map(lambda x: x + 1)) == [{"a": [1], "b": 0}, {"a": [2, 2], "b": 1}]
    assert dicts(plain(2).map([lambda x: x + 1, lambda x: [x, x]], "b"))[1] == {"a": [1, 1], "b": [2, 2]}
    for function, message in ((lambda x: None, "got None"), (lambda x: (x, x), "columns, got 2 .* expected 1"),
                              (lambda x: object(), "got object of Python objects")):
        with pytest.raises(RuntimeError, match=message):
            dicts(plain().map(function, "b"))
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.SKIP)
    try:
        for workers in WORKERS:
            assert [r["b"] for r in dicts(plain().map(lambda b: 6 // int(b), "b", **workers))] == [6, 3, 2, 1]
    finally:
        ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.RETURN)


def test_batch():
    data = plain().project("b")
    assert dicts(data.batch(2)) == [{"b": [0, 1]}, {"b": [2, 3]}, {"b": [4]}]
    assert len(data.batch(2, True)) == 2 and len(data.batch(2)) == 3 and data.batch(2).get_batch_size() == 2
    assert [len(r["b"]) for r in dicts(plain(10).project("b").batch(lambda info: info.get_batch_num() + 1))] == [1, 2, 3, 4]

    def change(a, b, info):
        return [x[:1] for x in a], [x + info.get_batch_num() + 10 * info.get_epoch_num() for x in b]

    changed = plain().batch(2, per_batch_map=change, input_columns=["a", "b"])
    assert [[r["b"] for r in rows] for rows in dicts(changed, 2)] == [[[0, 1], [3, 4], [6]], [[10, 11], [13, 14], [16]]]
    assert plain().batch(2, per_batch_map=change, output_columns=["c", "d"]).get_col_names() == ["c", "d"]
    three = plain().padded_batch(2, pad_info={"a": ([3], 9)})
    assert [r["a"] for r in dicts(three)] == [[[0, 9, 9], [1, 1, 9]], [[2, 9, 9], [3, 3, 9]], [[4, 9, 9]]]
    assert dicts(plain().padded_batch(2, pad_info={}))[0]["a"] == [[0, 0], [1, 1]]
    with pytest.raises(RuntimeError, match=r"shapes of column 'a', got \[\(1,\), \(2,\)\]"):
        dicts(plain().batch(2))
    lengths = ds.GeneratorDataset([(np.arange(n),) for n in (1, 5, 2, 6, 3)], ["x"], shuffle=False)
    grouped = lengths.bucket_batch_by_length(["x"], [4], [2, 2], pad_info={"x": ([None], -1)})
    assert [r["x"] for r in dicts(grouped)] == [
        [[0, -1], [0, 1]], [[0, 1, 2, 3, 4, -1], [0, 1, 2, 3, 4, 5]], [[0, 1, 2]]]


def test_other_steps():
    b = plain().project("b")
    assert dicts(b.filter(lambda b: b > 2, "b")) == [{"b": 3}, {"b": 4}] and len(b.filter(lambda b: b > 2)) == 2
    assert dicts(b.take(2).concat(b.skip(4))) == dicts(b.take(2) + b.skip(4)) == [{"b": 0}, {"b": 1}, {"b": 4}]
    made = b.take(3).flat_map(lambda x: ds.NumpySlicesDataset([int(x)] * 2, ["q"], shuffle=False))
    assert dicts(made) == [{"q": i // 2} for i in range(6)] and made.get_col_names() == ["q"]
    assert dicts(ds.zip((b, plain(2).rename(["a", "b"], ["c", "d"]))))[1] == {"b": 1, "c": [1, 1], "d": 1}
    assert dicts(b.apply(lambda d: d.take(1))) == [{"b": 0}]
    assert (len(b.repeat(3)), len(b.repeat()), len(b.skip(20)), b.repeat(3).get_repeat_count()) == (15, 5, 0, 3)
    assert [r["b"] for r, _ in zip(b.repeat().create_dict_iterator(output_numpy=True), range(7))] == [0, 1, 2, 3, 4, 0, 1]
    assert b.output_shapes() == [[]] and plain().output_shapes(estimate=True) == [[None], []]


def test_iterators():
    iterator = plain(3).create_tuple_iterator(columns=["b"], num_epochs=2)
    assert [int(row[0]) for row in iterator] == [0, 1, 2]
    assert int(next(iterator)[0]) == 0 and [int(row[0]) for row in iterator] == [1, 2]
    with pytest.raises(RuntimeError, match="after the last of 2"):
        next(iterator)
    assert [type(row[0]) for row in plain(1)] == [Tensor]


@pytest.mark.parametrize("make, error, message", [
    (lambda: numbers(3, num_shards=2), ValueError, "both or neither"),
    (lambda: numbers(3, num_shards=2, shard_id=2), ValueError, "shard_id, got 2, expected 0 to 1"),
    (lambda: numbers(3, sampler=[1], shuffle=True), ValueError, "expected these left out"),
    (lambda: ds.GeneratorDataset([1]), ValueError, "column_names, got None"),
    (lambda: ds.GeneratorDataset(iter([1]), "x", num_shards=2, shard_id=0), ValueError, "num_shards"),
    (lambda: ds.GeneratorDataset(3, "x"), TypeError, "source, got int"),
    (lambda: plain().map(3), ValueError, "operations, got 3"), (lambda: plain().map(abs, "q"), ValueError, "no column 'q'"),
    (lambda: plain().map(abs, "a", foo=1), TypeError, "foo"), (lambda: plain().map(abs, callbacks=1), TypeError, "callbacks"),
    (lambda: plain().batch(0), ValueError, "batch_size, got 0"), (lambda: plain().batch(True), TypeError, "got bool"),
    (lambda: plain().take(0), ValueError, "count"), (lambda: plain().skip(-1), ValueError, "count"),
    (lambda: plain().repeat(0), ValueError, "count"), (lambda: plain().shuffle(1), ValueError, "buffer_size"),
    (lambda: plain().project("z"), RuntimeError, "no column 'z'"), (lambda: plain().rename("z", "y"), RuntimeError, "'z'"),
    (lambda: ds.zip((plain(), plain())), RuntimeError, "each name once"), (lambda: plain().zip(3), TypeError, "got int"),
    (lambda: plain().apply(lambda d: 1), TypeError, "got int"), (lambda: ds.NumpySlicesDataset(([1], [1, 2])), ValueError, "lengths"),
    (lambda: ds.RandomSampler(1), TypeError, "replacement"), (lambda: ds.SequentialSampler(0, -1), ValueError, "num_samples"),
    (lambda: ds.SubsetSampler([1.5]), TypeError, "got float"), (lambda: ds.config.set_seed(-1), ValueError, "seed"),
    (lambda: ds.config.set_prefetch_size(0), ValueError, "prefetch"), (lambda: ds.config.set_enable_autotune(True, "f"), NotImplementedError, "filepath_prefix"),
    (lambda: ds.TFRecordDataset("x"), ValueError, "files that are there"),
    (lambda: plain().create_tuple_iterator(num_epochs=0), RuntimeError, "num_epochs")])
def test_bad_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()


def slowly(x):
    time.sleep(0.002 * (int(x) % 3))
    return x * 2, np.int64(os.getpid())


@pytest.mark.parametrize("workers", WORKERS)
def test_workers_keep_the_order(workers):
    data = numbers(40, shuffle=False).map(slowly, "x", ["x", "p"], **workers)
    rows = [dicts(data, 2)][0]
    assert [[r["x"] for r in epoch] for epoch in rows] == [list(range(0, 80, 2))] * 2
    elsewhere = "python_multiprocessing" in workers
    assert all((r["p"] != os.getpid()) == elsewhere for r in rows[0])
    source = numbers(20, shuffle=False, **dict(workers, python_multiprocessing="python_multiprocessing" in workers))
    assert epochs(source, 2) == [list(range(20))] * 2
    batches = numbers(6, shuffle=False).batch(2, per_batch_map=lambda x, info: (x, [info.get_batch_num()]), output_columns=["x", "n"],
                                             **workers)
    assert [r["n"] for r in dicts(batches)] == [[0], [1], [2]]


def fails(x):
    if x == 5:
        raise KeyError("five")
    return x


@pytest.mark.parametrize("workers", WORKERS)
def test_errors_of_functions(workers):
    data = numbers(40, shuffle=False).map(fails, "x", **workers)
    with pytest.raises(RuntimeError, match="(?s)a function of the pipeline raised, got KeyError: 'five'.*in fails"):
        epochs(data)


def dies(x):
    if x == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def test_a_process_that_dies_is_reported():
    data = numbers(40, shuffle=False).map(dies, "x", num_parallel_workers=2, python_multiprocessing=True)
    with pytest.raises(RuntimeError, match="a worker process, got its end"):
        epochs(data)


def test_an_iterator_that_is_left_ends_its_workers():
    iterator = numbers(1000).map(slowly, "x", ["x", "p"], num_parallel_workers=2,
                                 python_multiprocessing=True).create_tuple_iterator(output_numpy=True)
    worker = int(next(iterator)[1])
    del iterator
    for _ in range(200):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("the worker still runs")


def test_random_draws_do_not_depend_on_workers():
    choose = ds.transforms.RandomChoice([lambda x, k=k: x * 100 + k for k in range(50)])
    found = [epochs(numbers(30, shuffle=False).map(choose, "x", **workers), 2) for workers in WORKERS]
    assert found[0] == found[1] == found[2] and found[0][0] != found[0][1]
    ds.config.set_seed(2)
    assert epochs(numbers(30, shuffle=False).map(choose, "x"), 2) != found[0]


def multiplies(x):
    square = Tensor(np.full((300, 300), int(x), np.float32))
    return (square @ square).sum().astype(ms.float64)


def test_tensors_in_worker_processes():
    multiplies(1)  # the threads of the library run in this process then
    data = numbers(4, shuffle=False).map(multiplies, "x", num_parallel_workers=2, python_multiprocessing=True)
    assert epochs(data) == [[x * x * 300.0**3 for x in range(4)]]


@pytest.mark.costly
def test_spawned_processes():
    ds.config.set_multiprocessing_start_method("spawn")
    try:
        data = numbers(6, shuffle=False).map(abs, "x", num_parallel_workers=2, python_multiprocessing=True)
        assert epochs(data, 2) == [list(range(6))] * 2
    finally:
        ds.config.set_multiprocessing_start_method("fork")


class Rows:
    """Rows of which reading one does something else."""

    def __init__(self, event):
        self.event = event

    def __len__(self):
        return 40

    def __getitem__(self, index):
        return self.event(np.float32(index))


def left(x):
    if x == 17:
        os._exit(3)
    return x


def killed(x):
    if x == 17:
        os.kill(os.getpid(), 9)
    return x


@pytest.mark.costly
@pytest.mark.parametrize("event", [left, killed])
@pytest.mark.parametrize("make", [
    lambda event: ds.GeneratorDataset(Rows(event), ["x"], num_parallel_workers=2, python_multiprocessing=True),
    lambda event: ds.GeneratorDataset(Rows(float), ["x"]).batch(
        4, num_parallel_workers=2, python_multiprocessing=True, per_batch_map=lambda x, info: ([event(v) for v in x],)),
    lambda event: ds.GeneratorDataset(Rows(float), ["x"]).map(event, num_parallel_workers=2, python_multiprocessing=True)])
def test_workers_that_die_are_reported_by_every_step(make, event):
    with pytest.raises(RuntimeError, match="a worker process, got its end"):
        list(make(event).create_tuple_iterator(num_epochs=1, output_numpy=True))
    limit = time.time() + 10
    while multiprocessing.active_children() and time.time() < limit:
        time.sleep(0.02)
    assert not multiprocessing.active_children()
