"""Rows of datasets by number, what their samplers may be, and dicts in them."""
import numpy as np
import pytest

from msjit import Tensor
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


def test_values_in_dicts():
    """Iterators convert the values in a dict to arrays or Tensors, and texts to arrays. Values that neither can hold stay as they are."""
    kept = object()

    def rows():
        yield {"n": 1, "x": (2.5, [np.float32(3), True]), "t": "ab", "k": kept, "b": b"q", "d": {"big": 2 ** 70}},

    def kind(value):
        if isinstance(value, (tuple, list)):
            return type(value)(kind(item) for item in value)
        dtype = str(value.dtype) if isinstance(value, (Tensor, np.ndarray)) else None
        return (type(value), dtype) if dtype else value

    for as_numpy, made in ((True, lambda name: (np.ndarray, name)), (False, lambda name: (Tensor, name.capitalize()))):
        (row,), = ds.GeneratorDataset(rows, ["c"]).create_tuple_iterator(None, 1, as_numpy)
        assert kind(row["n"]) == made("int64") and kind(row["x"]) == (made("float64"), [made("float32"), made("bool")])
        assert kind(row["t"]) == (np.ndarray, "<U2") and (row["k"], row["b"], row["d"]) == (kept, b"q", {"big": 2 ** 70})

    objects = ds.GeneratorDataset(lambda: iter([({"o": np.array([None])},)]), ["c"])
    with pytest.raises(TypeError, match=r"\[iterator\] an array in a dict"):
        list(objects)


def test_dicts_of_batches_by_a_function():
    """A dict that per_batch_map returns is a column of the batch. If it returns dicts of single rows, or does not touch that column, they
    become one dict of lists."""
    def rows():
        for i in range(4):
            yield i, {"k": i, "n": {"z": -i}}

    def read(function, columns):
        found = ds.GeneratorDataset(rows, ["a", "b"], shuffle=False).batch(2, per_batch_map=function, input_columns=columns)
        return [str({name: str(row[name]) for name in sorted(row)}) for row in found.create_dict_iterator(1, True)][1:]

    listed = str({"k": [np.array(2), np.array(3)], "n": [{"z": np.array(-2)}, {"z": np.array(-3)}]})
    assert read(lambda b, info: b, ["b"]) == read(lambda a, info: (a,), ["a"]) == [str({"a": "[2 3]", "b": listed})]
    assert read(lambda b, info: {"q": len(b)}, ["b"]) == [str({"a": "[2 3]", "b": str({"q": np.array(2)})})]
    with pytest.raises(RuntimeError, match="got int, expected a list of arrays or a dict"):
        read(lambda b, info: 5, ["b"])
