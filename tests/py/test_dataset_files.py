"""Datasets of files; rows and their order are those of MindSpore 2.10."""
import struct

import numpy as np
import pytest

from msjit import dataset as ds


def idx(path, magic, shape, data):
    path.write_bytes(struct.pack(">I%dI" % len(shape), magic, *shape) + data)


@pytest.fixture
def mnist(tmp_path):
    for name, count in (("train", 5), ("t10k", 3)):
        idx(tmp_path / (name + "-images-idx3-ubyte"), 2051, (count, 28, 28), bytes(range(count)) * 784)
        idx(tmp_path / (name + "-labels-idx1-ubyte"), 2049, (count,), bytes(range(count)))
    return tmp_path


def column(data, name):
    return [row[name].tolist() for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


def test_mnist(mnist):
    data = ds.MnistDataset(str(mnist), shuffle=False)
    assert column(data, "label") == [0, 1, 2, 0, 1, 2, 3, 4] and data.get_dataset_size() == 8
    row = next(data.create_tuple_iterator(output_numpy=True))
    assert row[0].shape == (28, 28, 1) and row[0].dtype == np.uint8 and row[1].dtype == np.uint32
    assert [len(ds.FashionMnistDataset(str(mnist), usage)) for usage in ("train", "test")] == [5, 3]
    ds.config.set_seed(3)
    try:
        sampler = ds.PKSampler(2, shuffle=True)
        assert column(ds.MnistDataset(str(mnist), sampler=sampler), "label") == [3, 3, 4, 4, 0, 0, 2, 2, 1, 1]
    finally:
        ds.config.set_seed(ds.config.UNSEEDED)
    with pytest.raises(ValueError, match="usage, got 'x'"):
        ds.MnistDataset(str(mnist), "x")
    with pytest.raises(ValueError, match="expected a folder that is there"):
        ds.MnistDataset(str(mnist / "none"))


@pytest.mark.parametrize("data", [b"", b"\x00\x00\x08\x03", struct.pack(">IIII", 2051, 2**31, 2**31, 28) + b"12",
                                  struct.pack(">IIII", 2052, 1, 28, 28) + bytes(784)])
def test_broken_idx_files(mnist, data):
    (mnist / "train-images-idx3-ubyte").write_bytes(data)
    with pytest.raises(RuntimeError, match="MnistDataset"):
        len(ds.MnistDataset(str(mnist), "train"))


def test_cifar(tmp_path):
    for i in range(1, 6):
        (tmp_path / ("data_batch_%d.bin" % i)).write_bytes((bytes([i]) + bytes(range(256)) * 12) * 2)
    (tmp_path / "test_batch.bin").write_bytes(bytes([9]) + bytes(3072))
    (tmp_path / "train.bin").write_bytes((bytes([4, 40]) + bytes(3072)) * 3)
    data = ds.Cifar10Dataset(str(tmp_path), "train", shuffle=False)
    assert column(data, "label") == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5] and len(ds.Cifar10Dataset(str(tmp_path))) == 11
    image = next(data.create_tuple_iterator(output_numpy=True))[0]
    assert image.shape == (32, 32, 3) and image[0, 5].tolist() == [5, 5, 5]
    fine = ds.Cifar100Dataset(str(tmp_path), "train", shuffle=False)
    assert fine.get_col_names() == ["image", "coarse_label", "fine_label"] and column(fine, "fine_label") == [40] * 3
    (tmp_path / "test_batch.bin").write_bytes(bytes(100))
    with pytest.raises(RuntimeError, match="expected a multiple of 3073"):
        len(ds.Cifar10Dataset(str(tmp_path), "test"))


def test_folder_of_images(tmp_path):
    for name in ("dog", "cat", "a"):
        (tmp_path / name).mkdir()
        for i in range(2):
            (tmp_path / name / ("%d.jpg" % i)).write_bytes(name.encode())
    (tmp_path / "cat" / "x.txt").write_bytes(b"no")
    data = ds.ImageFolderDataset(str(tmp_path), shuffle=False)
    assert column(data, "label") == [0, 0, 1, 1, 1, 2, 2] and data.num_classes() == 3
    assert data.get_class_indexing() == {"a": 0, "cat": 1, "dog": 2}
    assert column(data, "image")[0] == list(b"a")
    assert column(ds.ImageFolderDataset(str(tmp_path), extensions=[".txt"]), "label") == [1]
    assert column(ds.ImageFolderDataset(str(tmp_path), shuffle=False, num_parallel_workers=2), "label") == [0, 0, 1, 1, 1, 2, 2]


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "t1.txt").write_bytes(b"hello world\n\nsecond\n  third  \n")
    (tmp_path / "t2.txt").write_bytes(b"other\r\nfile")
    return [str(tmp_path / "t1.txt"), str(tmp_path / "t2.txt")]


def test_text_files(texts, monkeypatch):
    monkeypatch.setattr(ds.config, "get_num_parallel_workers", lambda: 2)
    data = ds.TextFileDataset(texts, shuffle=False)
    assert column(data, "text") == ["hello world", "other\r", "second", "file", "  third  "] and len(data) == 5
    shards = [column(ds.TextFileDataset(texts, shuffle=False, num_shards=2, shard_id=i), "text") for i in (0, 1)]
    assert shards == [["hello world", "second", "  third  "], ["other\r", "hello world", "file"]]
    assert column(ds.TextFileDataset(texts, shuffle=False, num_samples=2), "text") == ["hello world", "other\r"]
    assert sorted(column(ds.TextFileDataset(texts), "text")) == sorted(column(data, "text"))
    assert len(ds.TextFileDataset(texts[0].replace("t1", "t*"))) == 5
    with pytest.raises(ValueError, match="expected files that are there"):
        ds.TextFileDataset(texts[0] + "x")
    with pytest.raises(TypeError, match="shuffle, got 'x'"):
        ds.TextFileDataset(texts, shuffle="x")


def test_csv_files(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text('a,b,c\n1,2.5,x\n3,,"y,z"\n')
    data = ds.CSVDataset(str(path), shuffle=False)
    assert data.get_col_names() == ["a", "b", "c"] and column(data, "c") == ["x", "y,z"] and column(data, "a") == ["1", "3"]
    typed = ds.CSVDataset(str(path), column_defaults=[0, 7.0, ""], shuffle=False)
    assert column(typed, "b") == [2.5, 7.0] and [str(t) for t in typed.output_types()[:2]] == ["int32", "float32"]
    named = ds.CSVDataset(str(path), column_names=["p", "q", "r"], shuffle=False)
    assert column(named, "p") == ["a", "1", "3"]
    with pytest.raises(RuntimeError, match="fields, got 3 in line 1"):
        column(ds.CSVDataset(str(path), column_names=["p"], shuffle=False), "p")
    with pytest.raises(RuntimeError, match="field, got 'x' in line 2"):
        column(ds.CSVDataset(str(path), column_defaults=[0, 0.0, 0], shuffle=False), "c")


def read_texts(data):
    return [tuple(str(value) for value in row) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize("cls, columns", [
    (ds.AGNewsDataset, ["index", "title", "description"]), (ds.AmazonReviewDataset, ["label", "title", "content"]),
    (ds.DBpediaDataset, ["class", "title", "content"]), (ds.SogouNewsDataset, ["index", "title", "content"])])
def test_tables_of_texts(tmp_path, cls, columns):
    (tmp_path / "train.csv").write_text('"3","Title one","Body, with comma"\n"1","T2","B2 ""q"""\n')
    (tmp_path / "test.csv").write_text('"2","tt","bb"\n')
    data = cls(str(tmp_path), "train", shuffle=False)
    assert data.get_col_names() == columns
    assert read_texts(data) == [("3", "Title one", "Body, with comma"), ("1", "T2", 'B2 "q"')]
    assert cls(str(tmp_path), shuffle=False).get_dataset_size() == 3
    with pytest.raises(ValueError, match="usage, got 'valid'"):
        cls(str(tmp_path), "valid")
    (tmp_path / "test.csv").unlink()
    with pytest.raises(RuntimeError, match="without test.csv"):
        cls(str(tmp_path), "all")


def test_corpora(tmp_path):
    for part in ("train", "test", "valid"):
        (tmp_path / ("wiki.%s.tokens" % part)).write_text(" \n = Title = \n \n line %s \n" % part)
        (tmp_path / ("ptb.%s.txt" % part)).write_text(" a b \n\n c d \n")
    (tmp_path / "enwik9").write_text("<x>\n\n line\n")
    folder = str(tmp_path)
    assert read_texts(ds.WikiTextDataset(folder, "test", shuffle=False)) == [(" ",), (" = Title = ",), (" ",), (" line test ",)]
    assert read_texts(ds.PennTreebankDataset(folder, "train", shuffle=False)) == [(" a b ",), (" c d ",)]
    assert read_texts(ds.EnWik9Dataset(folder, shuffle=False)) == [("<x>",), ("",), (" line",)]
    assert ds.WikiTextDataset(folder).get_dataset_size() == 12
    for part in ("train", "test"):
        for name in ("pos", "neg"):
            (tmp_path / part / name).mkdir(parents=True)
            (tmp_path / part / name / "0_1.txt").write_text("text %s %s" % (part, name))
    assert read_texts(ds.IMDBDataset(folder, "train", shuffle=False)) == [("text train pos", "1"), ("text train neg", "0")]
    assert ds.IMDBDataset(folder, shuffle=False).get_dataset_size() == 4 and ds.IMDBDataset(folder).num_classes() == 2
    with pytest.raises(RuntimeError, match="without the folder train/pos"):
        ds.IMDBDataset(str(tmp_path / "train")).get_dataset_size()


def test_kinds_of_mnist(tmp_path):
    import struct
    pixels = (np.arange(3 * 784) % 255).astype(np.uint8)

    def write(prefix, labels):
        count = len(labels)
        head = struct.pack(">IIII", 2051, count, 28, 28)
        (tmp_path / (prefix + "-images-idx3-ubyte")).write_bytes(head + pixels[:count * 784].tobytes())
        (tmp_path / (prefix + "-labels-idx1-ubyte")).write_bytes(struct.pack(">II", 2049, count) + bytes(labels))
    for prefix, labels in (("train", [1, 2, 3]), ("t10k", [4, 5]), ("emnist-letters-train", [1, 2, 26]), ("emnist-letters-test", [3])):
        write(prefix, labels)

    def labels(data):
        return [int(row[1]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    folder = str(tmp_path)
    assert labels(ds.KMnistDataset(folder, "train", shuffle=False)) == [1, 2, 3]
    assert labels(ds.EMnistDataset(folder, "letters", "all", shuffle=False)) == [3, 1, 2, 26]
    with pytest.raises(ValueError, match="name, got 'greek'"):
        ds.EMnistDataset(folder, "greek")


def test_fake_images():
    def rows(**keywords):
        data = ds.FakeImageDataset(5, (4, 6, 3), 7, shuffle=False, **keywords)
        return [(image.tolist(), int(label)) for image, label in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    first = rows()
    assert first == rows(num_parallel_workers=2) and first != rows(base_seed=1) and len(first) == 5
    assert all(label < 7 and np.shape(image) == (4, 6, 3) for image, label in first)
    for bad in (dict(num_images=0), dict(image_size=(3, 4)), dict(base_seed=-1)):
        with pytest.raises(ValueError, match=r"^\[FakeImageDataset\] "):
            ds.FakeImageDataset(**bad)


@pytest.mark.parametrize("call", [lambda: ds.OBSMindDataset("x"), lambda: ds.vision.DecodeVideo(), lambda: ds.text.JiebaTokenizer("a", "b"),
                                  lambda: ds.DatasetCache(1, 0),
                                  lambda: ds.audio.Vad(8000)])
def test_what_is_not_offered_says_so(call):
    with pytest.raises(NotImplementedError, match=r"^\[\w+\] [\w.]+ is not offered: "):
        call()
