"""sync_wait and sync_update: the values are those that MindSpore 2.10 gives."""
import threading

import numpy as np
import pytest

from msjit import dataset as ds


class Policy:
    def __init__(self):
        self.loss, self.seen = 0, []

    def update(self, data):
        self.loss = data["loss"]
        self.seen.append(self.loss)


def rows():
    for i in range(6):
        yield (np.array(i),)


def pipeline(batch=1, workers=None):
    policy = Policy()
    data = ds.GeneratorDataset(rows, ["input"], shuffle=False).sync_wait("policy", callback=policy.update)
    data = data.map(lambda x: x + 100 * policy.loss, ["input"], num_parallel_workers=workers)
    return policy, data if batch == 1 else data.batch(batch)


def read(policy, data, epochs=1):
    found, iterator = [], data.create_dict_iterator(num_epochs=epochs, output_numpy=True)
    for _ in range(epochs):
        for row in iterator:
            found.append(row["input"].tolist())
            data.sync_update("policy", data={"loss": len(found)})
    return found


@pytest.mark.parametrize("workers", [None, 3])
def test_rows_see_what_came_before(workers):
    policy, data = pipeline(workers=workers)
    assert read(policy, data) == [0, 101, 202, 303, 404, 505] and policy.seen == [1, 2, 3, 4, 5, 6]
    policy, data = pipeline(2, workers)
    assert read(policy, data) == [[0, 1], [102, 103], [204, 205]] and policy.seen == [1, 2, 3]
    policy, data = pipeline(workers=workers)
    assert read(policy, data, 2) == [0, 101, 202, 303, 404, 505, 600, 701, 802, 903, 1004, 1105]


def test_sizes_and_more_than_one_batch():
    data = ds.GeneratorDataset(rows, ["input"], shuffle=False).sync_wait("a")
    assert data.get_dataset_size() == 6 and data.repeat(2).get_dataset_size() == 12
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    next(iterator)
    data.sync_update("a", num_batch=10)
    assert [int(x) for x, in iterator] == [1, 2, 3, 4, 5]


def test_two_conditions():
    first, second = Policy(), Policy()
    data = ds.GeneratorDataset(rows, ["x"], shuffle=False).sync_wait("a", callback=first.update).sync_wait("b", 2, second.update)
    found = []
    for x, in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        found.append(int(x))
        data.sync_update("a", data={"loss": 1})
        data.sync_update("b")
    assert found == list(range(6)) and first.seen == [1] * 6 and not second.seen


def test_another_thread_updates():
    data = ds.GeneratorDataset(rows, ["x"], shuffle=False).sync_wait("a")
    done = threading.Event()

    def release():
        while not done.wait(0.01):
            data.sync_update("a")

    thread = threading.Thread(target=release)
    thread.start()
    try:
        assert [int(x) for x, in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == list(range(6))
    finally:
        done.set()
        thread.join()


@pytest.mark.costly
def test_a_read_does_not_wait_for_ever():
    before = ds.config.get_callback_timeout()
    ds.config.set_callback_timeout(1)
    try:
        data = ds.GeneratorDataset(rows, ["x"], shuffle=False).sync_wait("a")
        iterator = data.create_tuple_iterator(num_epochs=1)
        next(iterator)
        with pytest.raises(RuntimeError, match="sync_update"):
            next(iterator)
    finally:
        ds.config.set_callback_timeout(before)


@pytest.mark.parametrize("call, error", [
    (lambda d: d.sync_wait("a").sync_wait("a"), RuntimeError), (lambda d: d.sync_wait("a").sync_update("b"), RuntimeError),
    (lambda d: d.sync_update("a"), RuntimeError), (lambda d: d.sync_wait("a", 0), ValueError), (lambda d: d.sync_wait(3), TypeError),
    (lambda d: d.sync_wait("a", 1, 3), TypeError), (lambda d: d.sync_wait("a").shuffle(2), RuntimeError),
    (lambda d: d.sync_wait("a").sync_update("a", -1), RuntimeError), (lambda d: d.sync_wait("a").sync_update("a", True), RuntimeError)])
def test_errors(call, error):
    with pytest.raises(error):
        call(ds.GeneratorDataset(rows, ["x"], shuffle=False))
