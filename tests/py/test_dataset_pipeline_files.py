"""serialize, deserialize, show, compare. The form is MindSpore 2.10's, which reads and writes the same."""
import json
import logging

import numpy as np
import pytest

import msjit as ms
import msjit.dataset as ds
from msjit.dataset import transforms as T
from msjit.dataset import vision as V


@pytest.fixture
def folder(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for name in "ab":
        (tmp_path / name).mkdir()
        for i in range(3):
            image.fromarray((np.arange(8 * 8 * 3).reshape(8, 8, 3) + 40 * i).astype(np.uint8)).save(str(tmp_path / name / ("%d.png" % i)))
    return str(tmp_path)


def pipeline(folder):
    data = ds.ImageFolderDataset(folder, shuffle=True, extensions=[".png"], class_indexing={"a": 3, "b": 4})
    data = data.map([V.Decode(), V.Resize((4, 5), V.Inter.NEAREST), V.RandomHorizontalFlip(0.25), V.Normalize([1.0, 2.0, 3.0], [1.0, 1.0, 2.0]),
                     V.HWC2CHW()], "image")
    data = data.map(T.TypeCast(ms.int32), "label").rename(["image"], ["img"]).project(["img", "label"])
    return data.shuffle(4).repeat(2).skip(1).take(7).batch(2, True)


def rows(dataset):
    return [[column.tolist() for column in row] for row in dataset.create_tuple_iterator(output_numpy=True, num_epochs=1)]


def test_what_is_read_gives_the_same_rows(folder, tmp_path):
    ds.config.set_seed(5)
    data, path = pipeline(folder), str(tmp_path / "pipeline.json")
    found = ds.serialize(data, path)
    with open(path) as file:
        assert json.load(file) == found
    assert rows(ds.deserialize(json_filepath=path)) == rows(ds.deserialize(input_dict=found)) == rows(data)
    assert ds.compare(data, ds.deserialize(found)) and not ds.compare(data, data.take(1))


def test_the_form(folder):
    node = ds.serialize(pipeline(folder))
    names = []
    while node["children"]:
        names.append(node["op_type"])
        node = node["children"][0]
    assert names == ["Batch", "Take", "Skip", "Repeat", "Shuffle", "Project", "Rename", "Map", "Map"]
    assert node["op_type"] == "ImageFolderDataset" and node["class_indexing"] == {"a": 3, "b": 4} and node["extensions"] == [".png"]
    assert node["sampler"] == {"sampler_name": "RandomSampler", "num_samples": 0, "replacement": False, "reshuffle_each_epoch": True, "shuffle_mode": 2}
    resize = ds.serialize(ds.ImageFolderDataset(folder).map(V.Resize(4, V.Inter.CUBIC)))["operations"][0]
    assert resize == {"tensor_op_name": "Resize", "tensor_op_params": {"device_target": "CPU", "interpolation": 2, "size": [4]}}


OPERATIONS = [
    V.Resize(4), V.CenterCrop(3), V.RandomVerticalFlip(0.3), V.RandomCrop((4, 4), (1, 2, 3, 4), True, 7, V.Border.REFLECT), V.Rescale(2.0, 1.0),
    V.RandomResizedCrop((4, 4), (0.5, 1.0), (0.7, 1.2), V.Inter.BICUBIC, 5), V.RandomRotation(30.0), V.Rotate(20.0, center=(2, 2)),
    V.RandomColorAdjust(0.5, (0.2, 1.0), 0.1, 0.2), V.Pad(2), V.HorizontalFlip(), V.VerticalFlip(), V.Invert(), V.Equalize(), V.CutOut(3, 2),
    V.AutoContrast(5.0, [3]), V.ToTensor(), T.Duplicate()]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: type(operation).__name__)
def test_transforms(folder, operation):
    data = ds.ImageFolderDataset(folder, shuffle=False, decode=True)
    columns = ["image", "other"] if isinstance(operation, T.Duplicate) else ["image"]
    data = data.map(operation, "image", columns)
    ds.config.set_seed(9)
    back = ds.deserialize(ds.serialize(data))
    assert ds.serialize(back) == ds.serialize(data) and rows(back) == rows(data)


@pytest.mark.parametrize("sampler", [
    ds.SequentialSampler(1, 3), ds.RandomSampler(True, 4), ds.DistributedSampler(2, 1, False), ds.SubsetSampler([4, 1]),
    ds.SubsetRandomSampler([4, 1, 2]), ds.WeightedRandomSampler([0.1, 0.5, 0.2, 0.3, 0.1, 0.4], 3), ds.PKSampler(2)], ids=lambda s: type(s).__name__)
def test_samplers(folder, sampler):
    ds.config.set_seed(9)
    data = ds.ImageFolderDataset(folder, sampler=sampler)
    assert rows(ds.deserialize(ds.serialize(data))) == rows(data)


def test_files_of_lines(tmp_path):
    (tmp_path / "t.txt").write_text("x\ny\nz\n")
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    text, table = str(tmp_path / "t.txt"), str(tmp_path / "t.csv")
    several = [ds.TextFileDataset(text, shuffle=False), ds.TextFileDataset([text, text], num_samples=2, num_shards=2, shard_id=1, shuffle=False),
               ds.CSVDataset(table, column_defaults=[1, "s"], shuffle=False), ds.CSVDataset(table, column_names=["p", "q"], shuffle=False),
               ds.TextFileDataset(text, shuffle=False) + ds.TextFileDataset(text, shuffle=False),
               ds.zip((ds.TextFileDataset(text, shuffle=False), ds.TextFileDataset(text, shuffle=False).rename("text", "b")))]
    for data in several:
        assert rows(ds.deserialize(ds.serialize(data))) == rows(data)


def test_what_has_no_form(folder):
    data = ds.ImageFolderDataset(folder)
    for made, what in ((data.map(lambda x: x), "transform function"), (data.filter(lambda x, y: True), "step or dataset Filter"),
                       (data.batch(2, per_batch_map=lambda a, b, info: (a, b)), "batch by a function")):
        with pytest.raises(NotImplementedError, match=r"\[serialize\] %s" % what):
            ds.serialize(made)
    with pytest.raises(ValueError, match="one that two steps read"):
        ds.serialize(ds.zip((data, data.rename(["image", "label"], ["c", "d"]))))
    numbers = ds.serialize(ds.NumpySlicesDataset([1, 2], ["a"]))
    assert numbers["op_type"] == "GeneratorDataset"
    with pytest.raises(NotImplementedError, match="data of a GeneratorDataset"):
        ds.deserialize(numbers)
    for bad, error in (({"op_type": "Batch"}, (ValueError, AttributeError)), ({}, ValueError), ([], ValueError), ({"op_type": "X"}, NotImplementedError)):
        with pytest.raises(error):
            ds.deserialize(bad)
    with pytest.raises(ValueError, match="expected one of them"):
        ds.deserialize()
    with pytest.raises(TypeError, match="got int, expected Dataset"):
        ds.serialize(3)


def test_show_logs_it(folder, caplog):
    with caplog.at_level(logging.INFO):
        assert ds.show(ds.ImageFolderDataset(folder)) is None
