"""Checkpoint files: MindSpore's bytes, atomic saves, files that are no checkpoints."""
import json
import os

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, serialization

# What MindSpore 2.10 wrote for ITEMS and APPENDED.
BYTES = bytes.fromhex(
    "0a2c0a01611227080208031207466c6f617433321a18000000000000803f0000004000004040000080400000a0400a120a0173120d1205"
    "496e7433321a04030000000a170a016212120802120842466c6f617431361a04c03f00400a110a0174120c08021204426f6f6c1a020100"
    "0a140a0165120f08011207466c6f617431361a0200000a1a0a0565706f636812111205496e7436341a0803000000000000000a150a026c"
    "72120f1207466c6f617433321a040000003f0a110a04666c616712091204426f6f6c1a01010a240a03747874121d080012037374721a14"
    "68000000650000006c0000006c0000006f000000")
APPENDED = {"epoch": 3, "lr": 0.5, "flag": True, "txt": "hello"}


def items():
    return [{"name": "a", "data": Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))},
            {"name": "s", "data": Tensor(3, ms.int32)}, {"name": "b", "data": Tensor([1.5, 2], ms.bfloat16)},
            {"name": "t", "data": Tensor([True, False])}, {"name": "e", "data": Tensor(np.zeros(1, np.float16))}]


def write(path, data):
    path.write_bytes(data)
    return str(path)


def test_bytes_of_mindspore(tmp_path):
    path = str(tmp_path / "w.ckpt")
    ms.save_checkpoint(items(), path, append_dict=APPENDED)
    assert (tmp_path / "w.ckpt").read_bytes() == BYTES
    found = ms.load_checkpoint(path)
    assert list(found) == ["a", "s", "b", "t", "e", "epoch", "lr", "flag", "txt"]
    assert found["a"].tolist() == [[0, 1, 2], [3, 4, 5]] and found["b"].dtype == ms.bfloat16
    assert found["b"].astype(ms.float32).tolist() == [1.5, 2.0] and found["s"].shape == () and int(found["epoch"]) == 3
    assert found["txt"] == "hello" and found["t"].tolist() == [True, False] and isinstance(found["a"], Parameter)
    ms.save_checkpoint([{"name": "x", "data": Tensor(np.ones(3, np.float32))}], path, crc_check=True)
    data = (tmp_path / "w.ckpt").read_bytes()
    assert data.endswith(b"crc_num\x00\x00\x00\x00\x00\x00\x89\xd7=\x19")
    assert ms.load_checkpoint(path, crc_check=True)["x"].tolist() == [1, 1, 1]
    changed = write(tmp_path / "c.ckpt", data.replace(b"\x80?", b"\x81?", 1))
    ms.load_checkpoint(changed)
    with pytest.raises(ValueError, match="CRC-32"):
        ms.load_checkpoint(changed, crc_check=True)


@pytest.mark.parametrize("name", ["net", "net.ckpt", "net.safetensors"])
def test_a_network(tmp_path, name):
    if name.endswith("s"):
        pytest.importorskip("safetensors")
    net, other = nn.SequentialCell(nn.Dense(3, 2), nn.BatchNorm1d(2)), nn.SequentialCell(nn.Dense(3, 2), nn.BatchNorm1d(2))
    path = str(tmp_path / name)
    ms.save_checkpoint(net, path, append_dict={"epoch": 2, "note": "x"}, choice_func=lambda n: not n.endswith("beta"))
    path += "" if "." in name else ".ckpt"
    assert [f.name for f in tmp_path.iterdir()] == [os.path.basename(path)]
    loaded = ms.load_checkpoint(path)
    assert int(loaded["epoch"]) == 2 and loaded["note"] == "x"
    assert ms.load_param_into_net(other, loaded)[0] == ["1.beta"]
    assert np.array_equal(net[0].weight.asnumpy(), other[0].weight.asnumpy())
    future = ms.load_checkpoint_async(path, other)
    assert set(future.result()) == set(loaded) and not ms.async_ckpt_thread_status()


def test_choices_of_names(tmp_path):
    path = write(tmp_path / "w.ckpt", BYTES)
    assert list(ms.load_checkpoint(path, specify_prefix=["a", "e"])) == ["a", "e", "epoch"]
    assert "a" not in ms.load_checkpoint(path, filter_prefix="a")
    assert list(ms.load_checkpoint(path, choice_func=lambda n: n == "s")) == ["s"]
    with pytest.raises(ValueError, match="parameters, got none"):
        ms.load_checkpoint(path, filter_prefix=list("asbtelf"))


def test_large_tensors_are_slices(tmp_path, monkeypatch):
    monkeypatch.setattr(serialization.checkpoint_file, "SLICE", 10)
    path = str(tmp_path / "w.ckpt")
    ms.save_checkpoint(items(), path)
    found = ms.load_checkpoint(path)
    assert os.path.getsize(path) > 170 and found["a"].tolist() == [[0, 1, 2], [3, 4, 5]] and len(found) == 5
    data = (tmp_path / "w.ckpt").read_bytes()
    with pytest.raises(ValueError, match="tensor 'a' is not complete"):
        ms.load_checkpoint(write(tmp_path / "t.ckpt", data[:2 + data[1]]))


def test_a_save_that_fails_leaves_the_file(tmp_path, monkeypatch):
    path = str(tmp_path / "w.ckpt")
    ms.save_checkpoint(items(), path)
    before = (tmp_path / "w.ckpt").read_bytes()

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(serialization.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        ms.save_checkpoint({"other": Tensor([1.0])}, path)
    assert (tmp_path / "w.ckpt").read_bytes() == before and [f.name for f in tmp_path.iterdir()] == ["w.ckpt"]


def message(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def tensor(dims=b"", kind=b"Float32", content=b"", name=b"x"):
    return message(1, message(1, name) + message(2, dims + message(2, kind) + message(3, content)))


HUGE = b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f"


@pytest.mark.parametrize("data", [
    b"junk", b"\x0a", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\x0a\x02\x0a\x7f", b"\x80" * 40, BYTES[:-5], BYTES[:20],
    tensor(HUGE), tensor(HUGE + HUGE, content=b"1234"), tensor(b"\x08\x00" + HUGE), tensor(b"\x08\x02", content=b"123"),
    tensor(b"\x08\x02", content=b"1" * 16), tensor(kind=b"Object", content=b"1234"), tensor(kind=b"\xff", content=b"1234"),
    tensor(name=b"\xff\xfe", content=b"1234"), tensor(kind=b"str", content=b"123"), tensor(kind=b"Bool", content=b"\x07"),
    tensor(b"\x08\x01" * 65, content=b"1234"), message(1, message(1, b"x")), message(1, b"\x0b"), message(1, b"\x08\x01"),
    tensor(content=b"1234") * 2, b"", b"\x80\x04\x95pickle"])
def test_files_that_are_no_checkpoints(tmp_path, data):
    with pytest.raises(ValueError, match="load_checkpoint"):
        ms.load_checkpoint(write(tmp_path / "bad.ckpt", data))


def test_any_cut_or_changed_byte_gives_an_error_or_values(tmp_path):
    random = np.random.RandomState(0)
    for i in range(len(BYTES)):
        for data in (BYTES[:i], BYTES[:i] + bytes([random.randint(256)]) + BYTES[i + 1:]):
            try:
                ms.load_checkpoint(write(tmp_path / "x.ckpt", data))
            except ValueError:
                pass


def test_into_a_network():
    def net():
        return nn.Dense(2, 3)

    def weight(dtype, *shape):
        return {"weight": Parameter(Tensor(np.ones(shape), dtype), name="weight")}
    assert ms.load_param_into_net(net(), dict(weight(ms.float16, 3, 2), other=Parameter(Tensor([1.0])))) == (["bias"], ["other"])
    for found, strict, message in ((weight(ms.float32, 3, 3), False, "shape"), (weight(ms.int32, 3, 2), False, "dtype"),
                                   (weight(ms.float16, 3, 2), True, "dtype")):
        with pytest.raises(RuntimeError, match=message):
            ms.load_param_into_net(net(), found, strict)
    prefixed = {"net." + k: v for k, v in weight(ms.float32, 3, 2).items()}
    dense = net()
    assert ms.load_param_into_net(dense, prefixed) == (["bias"], ["net.weight"]) and dense.weight.asnumpy().min() == 1
    for bad in ([1], {"weight": 3}, {3: Tensor([1.0])}):
        with pytest.raises(TypeError):
            ms.load_param_into_net(net(), bad)


def test_prefixes_of_parts_of_a_network_are_found():
    net = nn.CellDict({"a": nn.Dense(2, 3, weight_init="zeros", bias_init="zeros"), "b": nn.Dense(3, 2, weight_init="zeros", bias_init="zeros")})
    shapes = {"old.a.weight": (3, 2), "head.b.weight": (2, 3), "head.b.bias": (2,)}
    given = {name: Parameter(Tensor(np.ones(shape, np.float32)), name=name) for name, shape in shapes.items()}
    assert ms.load_param_into_net(net, given) == (["a.bias"], list(given))
    assert [float(p.sum()) for p in net.get_parameters()] == [6, 0, 6, 2]
    assert ms.load_param_into_net(net, {"unknown": given["old.a.weight"]})[0] == ["a.weight", "a.bias", "b.weight", "b.bias"]
    with pytest.raises(RuntimeError):
        ms.load_param_into_net(nn.Dense(2, 3), {"old.weight": given["head.b.weight"]})


@pytest.mark.parametrize("make, error", [
    (lambda: ms.save_checkpoint(3, "x"), TypeError), (lambda: ms.save_checkpoint([3], "x"), TypeError),
    (lambda: ms.save_checkpoint([], 3), TypeError), (lambda: ms.save_checkpoint([], "x", append_dict={"x": [1]}), TypeError),
    (lambda: ms.save_checkpoint([], "x", format="y"), ValueError), (lambda: ms.save_checkpoint([], "x", enc_key=b"k"), NotImplementedError),
    (lambda: ms.save_checkpoint([], "x", async_save="y"), TypeError), (lambda: ms.load_checkpoint(3), TypeError),
    (lambda: ms.load_checkpoint("no such file"), ValueError), (lambda: ms.load_checkpoint("x", filter_prefix=3), TypeError),
    (lambda: ms.load_checkpoint("x", remove_redundancy=True), NotImplementedError),
    (lambda: ms.ckpt_to_safetensors("no such file"), ValueError)])
def test_bad_arguments(make, error):
    with pytest.raises(error):
        make()


def test_conversions(tmp_path):
    pytest.importorskip("safetensors")
    ms.save_checkpoint(items(), str(tmp_path / "w"), append_dict=APPENDED)
    ms.ckpt_to_safetensors(str(tmp_path / "w.ckpt"), str(tmp_path / "st"))
    ms.safetensors_to_ckpt(str(tmp_path / "st"), str(tmp_path / "back"))
    first, last = ms.load_checkpoint(str(tmp_path / "w.ckpt")), ms.load_checkpoint(str(tmp_path / "back" / "w.ckpt"))
    assert set(first) == set(last) and all(first[k].dtype == last[k].dtype for k in first if k != "txt")


FULL = """
import resource, signal, sys
import numpy as np
import msjit as ms
path, kind = sys.argv[1:]
small, large = {"w": ms.Tensor(np.ones(4, np.float32))}, {"w": ms.Tensor(np.ones(1 << 20, np.float32))}
ms.save_checkpoint(small, path, format=kind)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
try:
    ms.save_checkpoint(large, path, format=kind)
except Exception as error:
    print(type(error).__name__)
print(ms.load_checkpoint(path, format=kind)["w"].shape)
"""


@pytest.mark.parametrize("kind", ["ckpt", "safetensors"])
def test_a_save_that_finds_no_room_leaves_the_file(tmp_path, kind):
    """The size of a file is limited: what a full disk does, by another error number."""
    import subprocess
    import sys
    if kind == "safetensors":
        pytest.importorskip("safetensors")
    path = str(tmp_path / ("a." + kind))
    got = subprocess.run([sys.executable, "-c", FULL, path, kind], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         universal_newlines=True)
    lines = got.stdout.split("\n")
    assert lines[1] == "(4,)" and lines[0] in ("OSError", "SafetensorError"), got.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["a." + kind]


def test_a_process_that_is_killed_while_saving_leaves_the_file(tmp_path):
    import signal
    import subprocess
    import sys
    import time
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint({"w": Tensor(np.ones(4, np.float32))}, str(path))
    code = ("import sys, numpy as np, msjit as ms\nvalues = {'w': ms.Tensor(np.ones(1 << 22, np.float32))}\nprint('ready', flush=True)\n"
            "while True:\n    ms.save_checkpoint(values, sys.argv[1])")
    child = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    try:
        assert child.stdout.readline() == b"ready\n"
        time.sleep(0.15)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    assert tuple(ms.load_checkpoint(str(path))["w"].shape) in ((4,), (1 << 22,))


def safetensors_bytes(tensors):
    """A file as other programs write it: {name: (dtype, shape, bytes)}."""
    head, body = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, shape, data) in tensors.items():
        head[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + body


def test_safetensors_of_bfloat16(tmp_path):
    pytest.importorskip("safetensors")
    bits = np.array([0x3FC0, 0xC010, 0x7F80], np.uint16)  # 1.5, -2.25, inf
    path = str(tmp_path / "model.safetensors")
    with open(path, "wb") as file:
        file.write(safetensors_bytes({"f": ("F32", [2], np.float32([1, 2]).tobytes()), "w": ("BF16", [3, 1], bits.tobytes())}))
    found = ms.load_checkpoint(path, format="safetensors")
    assert found["w"].dtype == ms.bfloat16 and found["w"].astype(ms.float32).asnumpy().tolist() == [[1.5], [-2.25], [float("inf")]]
    assert found["f"].asnumpy().tolist() == [1, 2]
    again = str(tmp_path / "again.safetensors")
    ms.save_checkpoint(found, again, format="safetensors")
    with open(again, "rb") as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    head = json.loads(data[8:8 + size].decode())
    assert size % 8 == 0 and head["w"] == {"dtype": "BF16", "shape": [3, 1], "data_offsets": [8, 14]} and data[8 + size + 8:] == bits.tobytes()
    assert head["f"]["data_offsets"] == [0, 8]
    with open(path, "wb") as file:
        file.write(safetensors_bytes({"w": ("F8_E4M3", [3], b"abc")}))
    with pytest.raises(ValueError, match="dtype of w, got F8_E4M3, expected one of BF16"):
        ms.load_checkpoint(path, format="safetensors")


def test_safetensors_as_msjit_wrote_them_once(tmp_path):
    numpy_files = pytest.importorskip("safetensors.numpy")
    path = str(tmp_path / "old.safetensors")
    numpy_files.save_file({"b": np.float32([1.5]), "c": np.float32([[1, 2]])}, path, {"format": "msjit", "dtype:b": "bfloat16", "dtype:c": "complex64"})
    found = ms.load_checkpoint(path, format="safetensors")
    assert found["b"].dtype == ms.bfloat16 and found["c"].asnumpy().tolist() == [1 + 2j]
