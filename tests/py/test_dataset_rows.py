"""Rows of datasets by number, and what their samplers may be."""
import numpy as np
import pytest

from msjit import dataset as ds


def refused(error, *calls):
    for call in calls:
        with pytest.raises(error):
            call()


def test_rows_by_number():
    data = ds.GeneratorDataset([10, 11, 12], ["x"], sampler=[2, 0])
    assert [data[0], data[np.int64(1)]] == [12, 10]
    shuffled = ds.NumpySlicesDataset([1, 2, 3, 4], ["x"])
    assert sorted(shuffled[i][0] for i in range(4)) == [1, 2, 3, 4]
    data.use_sampler(ds.SequentialSampler())
    assert data[1] == 11
    refused(TypeError, lambda: data["a"], lambda: data[True], lambda: data[0:1])
    refused(RuntimeError, lambda: data[3], lambda: data[-1], lambda: ds.GeneratorDataset(iter([1]), ["x"])[0])


def test_samplers():
    data = ds.NumpySlicesDataset([1, 2], ["x"])
    both = data + data
    refused(TypeError, lambda: ds.RandomSampler(shuffle=True), lambda: data.use_sampler(None), lambda: data.add_sampler(1))
    refused(ValueError, lambda: both.use_sampler(ds.RandomSampler(True)), lambda: both.use_sampler(ds.DistributedSampler(2, 0, False, 1)))
    refused(NotImplementedError, lambda: ds.RandomSampler(shuffle=ds.Shuffle.FILES))


def test_lines_by_number(tmp_path):
    (tmp_path / "l.txt").write_text("a\nb\n")
    reader = ds.utils.LineReader(str(tmp_path / "l.txt"))
    assert len(reader) == 2 and reader[1] == "a"
    refused(ValueError, lambda: reader[0], lambda: reader[3])
