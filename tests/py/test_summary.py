"""Files of summaries: their bytes are MindSpore's; what SummaryCollector collects; errors."""
import os
import struct

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, train
from msjit.checkpoint_file import _Bytes
from msjit.dataset import NumpySlicesDataset
from msjit.train import event_file


def test_checksums():
    """Of lengths and of a first event, as MindSpore 2.10 wrote them."""
    assert event_file.checksum(struct.pack("<Q", 28)).hex() == "c8c1951d"
    assert event_file.checksum(struct.pack("<Q", 26)).hex() == "129bd82d"
    assert event_file.checksum(event_file.version_event(1795560869.7513716)).hex() == "2174325b"
    assert event_file.checksum(event_file.summary_event(1795560869.7342894, 2, [event_file.scalar("loss", 0.25)])).hex() == "45b16889"


def fields(data):
    return list(_Bytes(memoryview(data)).fields())


def events(path):
    """(step, [(tag, kind, payload)]) of each event; the first one is checked."""
    with open(path, "rb") as file:
        data = file.read()
    found, at = [], 0
    while at < len(data):
        length, = struct.unpack("<Q", data[at:at + 8])
        payload = data[at + 12:at + 12 + length]
        assert data[at:at + 16 + length] == event_file.record(payload)
        found.append(fields(payload))
        at += 16 + length
    assert bytes(found[0][1][1]) == b"MindSpore.Event:1"
    rows = []
    for event in found[1:]:
        values = [fields(value) for _, value in fields(event[2][1])]
        rows.append((event[1][1], [(bytes(v[0][1]).decode(), v[1][0], v[1][1]) for v in values]))
    return rows


def test_record(tmp_path):
    pytest.importorskip("PIL")
    with train.SummaryRecord(str(tmp_path / "deep")) as record:
        record.add_value("scalar", "loss", Tensor(0.5))
        record.add_value("scalar", "other", Tensor([2.0]))
        assert record.record(1) is True
        record.add_value("histogram", "w", Tensor([1.0, 2.0, float("nan"), float("inf")]))
        record.add_value("image", "i", Tensor(np.random.rand(1, 3, 4, 5).astype(np.float32)))
        record.set_mode("eval")
        assert record.record(7) and record.record(8, plugin_filter=lambda kind: False)
        path = record.log_dir
    first, second = events(path)
    assert first[0] == 1 and [(tag, kind) for tag, kind, _ in first[1]] == [("loss", 3), ("other", 3)]
    assert second[0] == 7 and [(tag, kind) for tag, kind, _ in second[1]] == [("w", 9), ("i", 4)]
    numbers = fields(second[1][0][2])
    buckets = [fields(value) for number, value in numbers if number == 1]
    assert sum(bucket[2][1] for bucket in buckets) == 2 and dict(numbers[len(buckets):])[8] == 4
    image = dict(fields(second[1][1][2]))
    assert (image[1], image[2], image[3]) == (4, 5, 3) and bytes(image[4])[:4] == b"\x89PNG"
    other = train.SummaryRecord(str(tmp_path / "deep"), max_file_size=10)
    assert other.log_dir != path
    other.add_value("scalar", "a", Tensor(1.0))
    assert other.record(1) is False
    other.close(), other.close()
    with pytest.raises(RuntimeError, match="got a closed one"):
        other.record(2)


def test_collector(tmp_path):
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Dense(4, 2))
    rows = NumpySlicesDataset((np.ones((12, 3), np.float32), np.ones((12, 2), np.float32)), ["x", "y"], shuffle=False).batch(2)
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"mae"})
    model.train(2, rows, [train.SummaryCollector(str(tmp_path / "a"), 5)])
    found = events(str(tmp_path / "a" / os.listdir(str(tmp_path / "a"))[0]))
    assert [step for step, _ in found] == [1, 6, 11]
    tags = [tag for tag, _, _ in found[0][1]]
    assert tags[0] == "loss/auto" and "learning_rate/auto" in tags and "0.weight/auto" in tags and len(tags) == 6
    model.train(1, rows, [train.SummaryCollector(str(tmp_path / "b"), 1, keep_default_action=False,
                                                 collect_specified_data={"histogram_regular": "1"})])
    found = events(str(tmp_path / "b" / os.listdir(str(tmp_path / "b"))[0]))
    assert len(found) == 6 and [tag for tag, _, _ in found[0][1]] == ["1.weight/auto", "1.bias/auto"]
    model.eval(rows, [train.SummaryCollector(str(tmp_path / "c"))])
    assert [[tag for tag, _, _ in values] for _, values in events(str(tmp_path / "c" / os.listdir(str(tmp_path / "c"))[0]))] == [["mae/auto"]]


@pytest.mark.parametrize("call, error", [
    (lambda r, p: r.add_value("x", "a", Tensor(1.0)), ValueError), (lambda r, p: r.add_value("scalar", "", Tensor(1.0)), ValueError),
    (lambda r, p: r.add_value("scalar", "a", 1.0), TypeError), (lambda r, p: r.add_value("scalar", "a", Tensor([1.0, 2.0])), ValueError),
    (lambda r, p: r.add_value("image", "a", Tensor([1.0])), ValueError), (lambda r, p: r.add_value("tensor", "a", Tensor(1.0)), NotImplementedError),
    (lambda r, p: r.record("a"), TypeError), (lambda r, p: r.set_mode("x"), ValueError), (lambda r, p: train.SummaryRecord(3), TypeError),
    (lambda r, p: train.SummaryRecord(p, "a/b"), ValueError), (lambda r, p: train.SummaryRecord(p, network=3), TypeError),
    (lambda r, p: train.SummaryCollector(3), TypeError), (lambda r, p: train.SummaryCollector(p, 0), ValueError),
    (lambda r, p: train.SummaryCollector(p, collect_specified_data={"x": 1}), ValueError)])
def test_errors(tmp_path, call, error):
    with train.SummaryRecord(str(tmp_path)) as record:
        with pytest.raises(error, match=r"^\[Summary\w+\] "):
            call(record, str(tmp_path))
