"""Settings, schemas, samplers of several datasets, callbacks and hooks of map, LineReader."""
import json

import numpy as np
import pytest

import msjit as ms
from msjit import dataset as ds
from msjit.dataset import config, debug


def numbers(data):
    return [int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize("name", ("numa_enable", "enable_autotune", "auto_offload", "dynamic_shape"))
def test_flags_that_change_nothing(name):
    put, get = getattr(config, "set_" + name), getattr(config, "get_" + name)
    put(True)
    assert get() is True and numbers(ds.NumpySlicesDataset([1, 2], shuffle=False)) == [1, 2]
    put(False)
    assert get() is False
    with pytest.raises(TypeError, match=r"^\[config\] "):
        put(1)


def test_video_backend():
    config.set_video_backend("CPU")
    assert config.get_video_backend() == "CPU"
    for bad, error in (("GPU", ValueError), (3, TypeError)):
        with pytest.raises(error, match="backend"):
            config.set_video_backend(bad)


def schema():
    made = ds.Schema()
    made.add_column("image", ms.uint8, [2, 3])
    made.add_column("label", "int64", [])
    return made


def test_schema(tmp_path):
    columns = [{"name": "image", "rank": 2, "shape": [2, 3], "type": "uint8"}, {"name": "label", "rank": 0, "shape": [], "type": "int64"}]
    assert json.loads(schema().to_json()) == {"columns": columns} and str(schema()) == schema().to_json()
    assert json.loads(ds.Schema().to_json()) == {"columns": None}
    listed, named = ds.Schema(), ds.Schema()
    listed.parse_columns([{"name": "a", "type": "int8", "shape": [3]}, {"name": "b", "type": "bool"}])
    named.parse_columns({"a": {"type": "int8", "shape": [3]}, "b": {"type": "bool"}})
    assert listed.to_json() == named.to_json() and [c["rank"] for c in listed.columns] == [1, 0]
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"datasetType": "TF", "numRows": 3, "columns": {"a": {"type": "int8", "shape": [2]}}}))
    assert json.loads(ds.Schema(str(path)).to_json())["numRows"] == 3
    assert len(ds.RandomDataset(schema=str(path))) == 3


@pytest.mark.parametrize("call, error", [
    (lambda s: s.add_column(3, "int8"), TypeError), (lambda s: s.add_column("a", "foo"), TypeError), (lambda s: s.add_column("a", np.int8), TypeError),
    (lambda s: s.add_column("a", "int8", (1,)), TypeError), (lambda s: s.parse_columns(3), RuntimeError),
    (lambda s: s.parse_columns([{"type": "int8"}]), RuntimeError), (lambda s: s.parse_columns({"a": {"type": "foo"}}), RuntimeError),
    (lambda s: s.from_json({}), RuntimeError), (lambda s: s.from_json({"columns": {"a": {"type": "int8"}}, "x": 1}), RuntimeError),
    (lambda s: ds.Schema("no such file"), ValueError), (lambda s: ds.Schema(3), TypeError),
    (lambda s: ds.RandomDataset(4, schema(), ["zz"]), RuntimeError)])
def test_bad_schemas(call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call(ds.Schema())


def test_random_rows():
    data = ds.RandomDataset(5, schema(), num_samples=4)
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert len(data) == len(rows) == 4
    assert all(r["image"].shape == (2, 3) and r["image"].dtype == np.uint8 and r["label"].dtype == np.int64 for r in rows)
    assert ds.RandomDataset(5, schema(), ["label"]).get_col_names() == ["label"]
    assert len(list(ds.RandomDataset(3).create_tuple_iterator(num_epochs=1, output_numpy=True))) == 3
    typed = ds.GeneratorDataset([(np.zeros((2, 3), np.uint8), np.int64(1))], schema=schema())
    assert typed.get_col_names() == ["image", "label"] and typed.output_types() == [np.uint8, np.int64]
    with pytest.raises(RuntimeError, match="dtype of column 'image'"):
        list(ds.GeneratorDataset([(np.zeros(2), np.int64(1))], schema=schema()))


def test_rows_of_several_shapes():
    data = ds.NumpySlicesDataset([[1], [1, 2], [1, 2, 3], [4]], "x", shuffle=False)
    found = [row[0].tolist() for row in data.padded_batch(2, True, pad_info={}).create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert found == [[[1, 0], [1, 2]], [[1, 2, 3], [4, 0, 0]]]


def test_samplers():
    class Chosen:
        def __iter__(self):
            return iter([3, 1])
    data = [10, 11, 12, 13]
    assert numbers(ds.NumpySlicesDataset(data, sampler=ds.IterSampler(Chosen()))) == [13, 11]
    assert numbers(ds.NumpySlicesDataset(data, sampler=ds.IterSampler([2, 0], 1))) == [12]

    def joined():
        return ds.NumpySlicesDataset([1, 2, 3, 4], shuffle=False) + ds.NumpySlicesDataset([5, 6, 7], shuffle=False)
    for shard, expected in enumerate(([1, 4, 7], [2, 5], [3, 6])):
        both = joined()
        both.use_sampler(ds.DistributedSampler(3, shard, False))
        assert numbers(both) == expected and len(both) == len(expected)
    both = joined()
    both.use_sampler(ds.RandomSampler(num_samples=5))
    assert len(set(numbers(both))) == 5 == len(both)
    for bad, error in ((ds.SequentialSampler(), TypeError), (ds.DistributedSampler(2, 0), ValueError)):
        with pytest.raises(error, match=r"^\[concat\] "):
            both.use_sampler(bad)


class Notes(ds.DSCallback):
    def __init__(self, step_size=1):
        super().__init__(step_size)
        self.seen = []

    def _note(self, name, context):
        self.seen.append((name, context.cur_epoch_num, context.cur_step_num, context.cur_step_num_in_epoch))

    def ds_begin(self, context):
        self._note("begin", context)

    def ds_epoch_begin(self, context):
        self._note("epoch", context)

    def ds_epoch_end(self, context):
        self._note("end", context)

    def ds_step_begin(self, context):
        self._note("step", context)


def read(data, epochs=1):
    rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[int(row[0]) for row in rows] for _ in range(epochs)]


def test_callbacks():
    notes = Notes(2)
    assert read(ds.NumpySlicesDataset([1, 2, 3], shuffle=False).map(lambda x: x + 1, callbacks=notes), 2) == [[2, 3, 4]] * 2
    assert notes.seen == [("begin", 0, 0, 0), ("epoch", 1, 0, 0), ("step", 1, 1, 1), ("step", 1, 3, 3), ("end", 1, 3, 3),
                          ("epoch", 2, 3, 0), ("step", 2, 4, 1), ("step", 2, 6, 3), ("end", 2, 6, 3)]
    notes = Notes()
    read(ds.NumpySlicesDataset([1], shuffle=False).map(lambda x: x, callbacks=[notes]).repeat(2), 2)
    assert [n for n in notes.seen if n[0] != "step"] == [("begin", 0, 0, 0), ("epoch", 1, 0, 0), ("end", 1, 2, 2), ("epoch", 2, 2, 0), ("end", 2, 4, 2)]
    with pytest.raises(ValueError, match="step_size"):
        ds.DSCallback(0)


def test_hooks(capsys):
    class Sizes(debug.DebugHook):
        def compute(self, *args):
            sizes.append(len(args[0]))
    sizes, data = [], ds.NumpySlicesDataset([[1, 2]], "x", shuffle=False)

    def double(x):
        return 2 * x
    try:
        config.set_debug_mode(True, [debug.PrintDataHook(), Sizes()])
        assert [r[0].tolist() for r in data.map([double, ds.transforms.TypeCast(ms.int8)]).create_tuple_iterator(num_epochs=1)] == [[2, 4]]
        out = capsys.readouterr().out
        config.set_debug_mode(True)
        list(data.map([double]))
    finally:
        config.set_debug_mode(False)
    text = "[Dataset debugger] Print the [%s] of the operation [%s]."
    assert out.splitlines()[:3] == [text % ("INPUT", "double"), "Column 0. The data is [[1 2]].", text % ("INPUT", "double")]
    assert out.count(text % ("OUTPUT", "TypeCast")) == 2 and sizes == [1, 1, 1]
    assert "Column 0. The dtype is [int64]. The shape is [(2,)]." in capsys.readouterr().out
    assert [r[0].tolist() for r in data.map([double, debug.PrintDataHook()]).create_tuple_iterator(num_epochs=1, output_numpy=True)] == [[2, 4]]
    assert capsys.readouterr().out == "Column 0. The data is [[2 4]].\n"
    for bad in (3, [3]):
        with pytest.raises(TypeError, match=r"^\[config\] "):
            config.set_debug_mode(False, bad)


def test_lines_by_number(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes("ab\r\ncd\n\nef".encode())
    reader = ds.LineReader(str(path))
    assert reader.len() == 4 and [reader.readline(i) for i in (4, 1, 3, 2)] == ["ef", "ab", "", "cd"]
    reader.close()
    assert reader.readline(1) == "ab"
    reader.close()
    for bad, error in ((0, ValueError), (5, ValueError), ("a", TypeError)):
        with pytest.raises(error, match=r"^\[LineReader\] "):
            reader.readline(bad)
    with pytest.raises(RuntimeError):
        ds.LineReader("no such file")


def _refused(error, *calls):
    for call in calls:
        with pytest.raises(error):
            call()


def test_options_are_checked():
    data = ds.NumpySlicesDataset(([1, 2], [3, 4]), ["a", "b"], shuffle=False)
    same = abs
    _refused(TypeError, lambda: data.batch(2, max_rowsize="a"), lambda: data.batch(2, python_multiprocessing=1),
             lambda: data.map(same, ["a"], max_rowsize="a"), lambda: data.map(same, ["a"], offload=1), lambda: data.split([1, 1], 1),
             lambda: data.create_tuple_iterator(output_numpy=1), lambda: data.create_dict_iterator(do_copy=1), lambda: data.output_shapes(1),
             lambda: ds.GeneratorDataset([1], ["a"], shuffle=1), lambda: ds.GeneratorDataset([1], ["a"], python_multiprocessing=1),
             lambda: ds.GeneratorDataset([1], ["a"], max_rowsize=[1]), lambda: ds.GeneratorDataset([1], ["a"], column_types=1),
             lambda: ds.PaddedDataset(1), lambda: data.padded_batch(2, pad_info={"a": ("x", 0)}),
             lambda: data.bucket_batch_by_length(["a"], [2.5], [1, 1]), lambda: data.bucket_batch_by_length(["a"], [2], [1, 1], 1),
             lambda: data.bucket_batch_by_length(["a"], [2], [1, 1], None, None, 1))
    _refused(ValueError, lambda: data.map(same, []), lambda: data.filter(same, []), lambda: data.project([]), lambda: ds.NumpySlicesDataset([]),
             lambda: data.create_dict_iterator(num_epochs=-2), lambda: data.bucket_batch_by_length(["a"], [], [1]),
             lambda: data.padded_batch(2, pad_info={"a": ([0], 0)}))


def test_buckets_without_pad_info_are_padded():
    data = ds.GeneratorDataset([(np.arange(n), np.array(n)) for n in (3, 1, 2)], ["x", "n"], shuffle=False)
    rows = list(data.bucket_batch_by_length(["x"], [2], [1, 2]).create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert [row[0].tolist() for row in rows] == [[[0]], [[0, 1, 2], [0, 1, 0]]] and rows[1][1].tolist() == [3, 2]


def test_save(tmp_path):
    path, n = str(tmp_path / "x.mindrecord"), 5
    data = ds.GeneratorDataset([(np.array(i), np.arange(i + 1, dtype=np.float32), np.array("t%d" % i), np.ones((i + 1, 2), np.int16), np.array(b"ab"),
                                 np.array(True)) for i in range(n)], list("abcdef"), shuffle=False)
    data.save(path)
    assert ms.mindrecord.FileReader(path).schema() == {
        "a": {"type": "int64"}, "b": {"shape": [-1], "type": "float32"}, "c": {"type": "string"}, "d": {"shape": [-1, 2], "type": "int32"},
        "e": {"type": "bytes"}, "f": {"type": "int32"}}
    rows = list(ds.MindDataset(path, shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True))
    assert [(int(r["a"]), r["b"].tolist(), str(r["c"]), r["d"].shape) for r in rows] == [
        (i, list(range(i + 1)), "t%d" % i, (i + 1, 2)) for i in range(n)]
    data.project(["a"]).repeat(2).batch(2).save(str(tmp_path / "s"), 2)
    assert sorted(p.name for p in tmp_path.glob("s*")) == ["s0", "s0.db", "s1", "s1.db"]
    assert ms.mindrecord.FileReader(str(tmp_path / "s0")).len() == 5
    ds.MindDataset(path, shuffle=False).project(["e", "c"]).save(str(tmp_path / "again"))  # bytes are read with a size of one
    assert [(bytes(r["e"][0]), str(r["c"])) for r in ds.MindDataset(str(tmp_path / "again"), shuffle=False).create_dict_iterator(1, True)] == [
        (b"ab", "t%d" % i) for i in range(n)]
    _refused(TypeError, lambda: data.save(1), lambda: data.save("q", "a"))
    _refused(ValueError, lambda: data.save("q", 0), lambda: data.save("q", 1, "tfrecord"))
    _refused(RuntimeError, lambda: data.save(path), lambda: data.take(1).skip(1).save(str(tmp_path / "z")),
             lambda: ds.NumpySlicesDataset([["a", "b"]], ["t"]).save(str(tmp_path / "z")))


def test_build_vocab():
    data = ds.NumpySlicesDataset(["a", "b", "a"], ["t"])
    assert data.build_vocab("t", None, 1, ["<p>"], True).vocab() == {"<p>": 0, "a": 1} and data.reset() is None
