"""Checkpoints of networks divided over processes: strategy files, slices, other divisions. Layouts and numbers were compared with
MindSpore's own functions once; here the parts are cut by hand."""
import json
import os

import numpy as np
import pytest

import msjit as ms
from msjit import parallel
from msjit.parallel.slices import Division

WHOLE = {"w": np.arange(16 * 8, dtype=np.float32).reshape(16, 8), "b": np.arange(16, dtype=np.float32)}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def block(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def protobuf(layouts, stage=0):
    """A strategy file; layouts are {name: (devices, tensor map, step, size)}."""
    data = b"\x08\x01" + block(2, block(1, b"Default/op") + block(2, b"\x08" + varint(stage)))
    for name, (devices, places, step, size) in layouts.items():
        nested = any(isinstance(p, list) for p in places)
        maps = [p if isinstance(p, list) else [p] for p in places] if nested else [places]
        about = block(1, b"".join(b"\x08" + varint(d) for d in devices))
        about += b"".join(block(2, b"".join(b"\x08" + varint(p) for p in m)) for m in maps)
        about += block(3, b"") + block(4, b"") + b"\x28\x00\x30" + varint(step) + b"\x38" + varint(size)
        data += block(3, block(1, name.encode()) + block(2, about))
    return data


def write(path, layouts, stage=0):
    if str(path).endswith(".json"):
        items = {name: {"dev_matrix": d, "tensor_map": p, "field": 0, "opt_weight_shard_step": s, "opt_weight_shard_size": n,
                        "param_split_shape": [], "indices_offset": []} for name, (d, p, s, n) in layouts.items()}
        path.write_text(json.dumps({"current_stage": 1, "parallel_strategy_item": {"op": {"stage": stage}}, "parallel_layout_item": items}))
    else:
        path.write_bytes(protobuf(layouts, stage))
    return str(path)


@pytest.fixture
def whole(tmp_path):
    (tmp_path / "whole/rank_0").mkdir(parents=True)
    ms.save_checkpoint(dict({n: ms.Tensor(a) for n, a in WHOLE.items()}, lr=ms.Tensor(0.5)), str(tmp_path / "whole/rank_0/x.ckpt"))
    return str(tmp_path / "whole")


def loaded(folder, rank):
    files = os.listdir(os.path.join(folder, "rank_%d" % rank))
    assert len(files) == 1
    return {n: p.asnumpy() for n, p in ms.load_checkpoint(os.path.join(folder, "rank_%d" % rank, files[0])).items()}


DIVISIONS = {
    "tiles": {"w": ([2, 2], [1, 0], 0, 0), "b": ([2, 2], [0], 0, 0)},
    "other order": {"w": ([2, 4], [0, 1], 0, 0), "b": ([2, 4], [1], 1, 4)},
    "optimizer": {"w": ([4, 2], [-1, 0], 2, 4), "b": ([4, 2], [-1], 1, 8)},
    "two axes on one": {"w": ([2, 2, 2], [[2, 0], [-1]], 0, 0), "b": ([2, 2, 2], [1], 0, 0)},
}


@pytest.mark.parametrize("suffix", [".ckpt", ".json"])
def test_parts_are_those_of_the_layout(tmp_path, whole, suffix):
    name = write(tmp_path / ("s" + suffix), DIVISIONS["tiles"])
    ms.transform_checkpoints(whole, str(tmp_path / "out"), "p", None, name)
    for rank in range(4):
        part = loaded(str(tmp_path / "out"), rank)
        row, column = divmod(rank, 2)
        assert np.array_equal(part["w"], WHOLE["w"][row * 8:row * 8 + 8, column * 4:column * 4 + 4])
        assert np.array_equal(part["b"], WHOLE["b"][column * 8:column * 8 + 8])
        assert part["lr"] == 0.5
    assert sorted(os.listdir(str(tmp_path / "out/rank_2"))) == ["p2.ckpt"]


def test_the_optimizer_divides_once_more(tmp_path, whole):
    ms.transform_checkpoints(whole, str(tmp_path / "out"), "p", None, write(tmp_path / "s.ckpt", DIVISIONS["optimizer"]))
    for rank in range(8):
        part, (share, column) = loaded(str(tmp_path / "out"), rank), divmod(rank, 2)
        assert np.array_equal(part["w"], WHOLE["w"][share * 4:share * 4 + 4, column * 4:column * 4 + 4])
        assert np.array_equal(part["b"], WHOLE["b"][rank * 2:rank * 2 + 2])


@pytest.mark.parametrize("source", DIVISIONS)
@pytest.mark.parametrize("target", DIVISIONS)
def test_any_division_is_made_of_any_other(tmp_path, whole, source, target):
    first, second = write(tmp_path / "a.ckpt", DIVISIONS[source]), write(tmp_path / "b.ckpt", DIVISIONS[target])
    ms.transform_checkpoints(whole, str(tmp_path / "there"), "p", None, first)
    ms.transform_checkpoints(str(tmp_path / "there"), str(tmp_path / "over"), "p", first, second)
    ms.transform_checkpoints(str(tmp_path / "over"), str(tmp_path / "back"), "p", second, None)
    for name, array in loaded(str(tmp_path / "back"), 0).items():
        assert np.array_equal(array, WHOLE.get(name, np.float32(0.5)))


def test_ranks_that_are_needed_are_enough(tmp_path, whole):
    first, second = write(tmp_path / "a.ckpt", DIVISIONS["tiles"]), write(tmp_path / "b.ckpt", DIVISIONS["optimizer"])
    ms.transform_checkpoints(whole, str(tmp_path / "there"), "p", None, first)
    assert parallel.rank_list_for_transform(0, None, second) == [0]
    assert parallel.rank_list_for_transform(0, first, None) == [3, 2, 1, 0]
    for rank in range(8):
        needed = ms.rank_list_for_transform(rank, first, second)
        files = {r: str(tmp_path / ("there/rank_%d/p%d.ckpt" % (r, r))) for r in needed}
        out = str(tmp_path / ("one/rank_%d/x.ckpt" % rank))
        ms.transform_checkpoint_by_rank(rank, files, out, first, second)
        assert loaded(str(tmp_path / "one"), rank)["w"].shape == (4, 4)
        with pytest.raises(ValueError, match="checkpoint of rank"):
            ms.transform_checkpoint_by_rank(rank, {9: files[needed[0]]} if needed[0] % 4 != 1 else {2: files[needed[0]]}, out, first, second)


@pytest.mark.parametrize("suffix", [".ckpt", ".json"])
def test_stages_of_a_pipeline(tmp_path, whole, suffix):
    (tmp_path / "stages").mkdir()
    write(tmp_path / ("stages/s0" + suffix), {"w": ([2], [0, -1], 0, 0)}, 0)
    write(tmp_path / ("stages/s1" + suffix), {"b": ([2], [0], 0, 0)}, 1)
    merged = str(tmp_path / ("new/merged" + suffix))
    ms.merge_pipeline_strategys(str(tmp_path / "stages"), merged)
    found = ms.build_searched_strategy(merged)
    assert sorted(found) == ["0-w", "1-b"] and found["0-w"].dev_matrix[0].dim == [2] and found["0-w"].tensor_map[0].dim == [0, -1]
    ms.transform_checkpoints(whole, str(tmp_path / "out"), "p", None, merged)
    assert [sorted(loaded(str(tmp_path / "out"), rank)) for rank in range(4)] == [["lr", "w"], ["lr", "w"], ["b", "lr"], ["b", "lr"]]
    assert ms.rank_list_for_transform(0, merged) == [3, 2, 1, 0]
    ms.transform_checkpoints(str(tmp_path / "out"), str(tmp_path / "back"), "p", merged)
    back = loaded(str(tmp_path / "back"), 0)
    assert np.array_equal(back["w"], WHOLE["w"]) and np.array_equal(back["b"], WHOLE["b"])


def test_slices_are_merged(tmp_path):
    parts = [ms.Parameter(ms.Tensor(np.full((2, 3), rank, np.float32)), "w", requires_grad=False) for rank in range(4)]
    assert ms.merge_sliced_parameter(parts).shape == (8, 3)
    strategy = ms.build_searched_strategy(write(tmp_path / "s.ckpt", DIVISIONS["tiles"]))
    merged = ms.merge_sliced_parameter(parts, strategy)
    assert merged.name == "w" and not merged.requires_grad
    assert merged.asnumpy().tolist() == [[0] * 3 + [1] * 3] * 2 + [[2] * 3 + [3] * 3] * 2
    strategy["w"].dev_matrix[0].dim, strategy["w"].tensor_map[0].dim = [2], [0, -1]
    strategy["w"].param_split_shape[0].dim = [1, 2]
    uneven = [ms.Parameter(ms.Tensor(np.full((size, 3), size, np.float32)), "w") for size in (1, 2)]
    assert ms.merge_sliced_parameter(uneven, strategy).asnumpy()[:, 0].tolist() == [1, 2, 2]


class Net(ms.nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor(np.zeros((16, 8), np.float32)), name="w")
        self.b = ms.Parameter(ms.Tensor(np.zeros(16, np.float32)), name="b")


def test_a_divided_training_is_loaded(tmp_path, whole):
    name = write(tmp_path / "s.ckpt", DIVISIONS["optimizer"])
    ms.transform_checkpoints(whole, str(tmp_path / "out"), "p", None, name)
    files, net = [str(tmp_path / ("out/rank_%d/p%d.ckpt" % (r, r))) for r in range(8)], Net()
    assert ms.load_distributed_checkpoint(net, files, train_strategy_filename=name) is True
    assert np.array_equal(net.w.asnumpy(), WHOLE["w"]) and np.array_equal(net.b.asnumpy(), WHOLE["b"])
    with pytest.raises(ValueError, match=r"checkpoint_filenames, got 7, expected 8"):
        ms.load_distributed_checkpoint(net, files[1:], train_strategy_filename=name)


def test_one_folder_of_safetensors(tmp_path, whole):
    name = write(tmp_path / "s.ckpt", DIVISIONS["tiles"])
    ms.transform_checkpoints(whole, str(tmp_path / "out"), "p", None, name, output_format="safetensors")
    one = str(tmp_path / "one")
    ms.unified_safetensors(str(tmp_path / "out"), name, one)
    assert sorted(os.listdir(one)) == ["hyper_param.safetensors", "param_name_map.json", "part0.safetensors"]
    content = json.loads((tmp_path / "one/param_name_map.json").read_text())
    assert content == {"metadata": {"total_size": 576}, "weight_map": {"w": "part0.safetensors", "b": "part0.safetensors"}}
    net = Net()
    assert ms.load_distributed_checkpoint(net, format="safetensors", unified_safetensors_dir=one) == ([], ["lr"])
    assert np.array_equal(net.w.asnumpy(), WHOLE["w"])
    ms.load_distributed_checkpoint(None, format="safetensors", unified_safetensors_dir=one, predict_strategy=name,
                                   dst_safetensors_dir=str(tmp_path / "again"))
    for rank in range(4):
        assert np.array_equal(loaded(str(tmp_path / "again"), rank)["w"], loaded(str(tmp_path / "out"), rank)["w"])


def test_bad_input(tmp_path, whole):
    (tmp_path / "bad.ckpt").write_bytes(b"\x1a\xff\xff\x03abc")
    (tmp_path / "bad.json").write_text("{")
    for bad, error in ((3, TypeError), ("nowhere", ValueError), (str(tmp_path / "bad.ckpt"), ValueError), (str(tmp_path / "bad.json"), ValueError)):
        with pytest.raises(error, match=r"\[build_searched_strategy\] strategy file, got"):
            ms.build_searched_strategy(bad)
    odd = write(tmp_path / "odd.ckpt", {"w": ([3], [0, -1], 0, 0)})
    with pytest.raises(ValueError, match=r"axis 0 of 16 elements, got 3 parts, expected a divisor"):
        ms.transform_checkpoints(whole, str(tmp_path / "x"), "p", None, odd)
    for devices in ([0], [1 << 40], [1 << 15, 1 << 15]):
        forged = write(tmp_path / "forged.ckpt", {"w": (devices, [0, -1], 0, 0)})
        with pytest.raises(ValueError, match="matrix of devices of w"):
            ms.rank_list_for_transform(0, forged)
    with pytest.raises(ValueError, match="tensor map of w"):
        ms.rank_list_for_transform(0, write(tmp_path / "forged.ckpt", {"w": ([2], [5, -1], 0, 0)}))
    with pytest.raises(NotADirectoryError, match="src_checkpoints_dir"):
        ms.transform_checkpoints(str(tmp_path / "no"), str(tmp_path / "x"), "p")
    with pytest.raises(TypeError, match="rank_id, got str, expected int"):
        ms.rank_list_for_transform("0")
    with pytest.raises(KeyError, match="got none of w"):
        ms.merge_sliced_parameter([ms.Parameter(ms.Tensor([1.0]), "w")], {"v": None})
    with pytest.raises(ValueError, match="opt_weight_shard_size, got 3"):
        Division([4], [[]], 3)
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match="src_dir|files in"):
        ms.unified_safetensors(str(tmp_path / "none"), None, str(tmp_path / "y"))
