"""MindRecord files: both directions, shards, pages, files that are none. PAGES is what MindSpore 2.10 wrote."""
import os
import sqlite3

import numpy as np
import pytest

from msjit import dataset as ds
from msjit.mindrecord import FileReader, FileWriter, MindPage
from msjit.mindrecord.common import exceptions
from msjit.mindrecord.packing import pack_array, pack_map, unpack_array

SCHEMA = {"label": {"type": "int32"}, "name": {"type": "string"}, "vec": {"type": "float32", "shape": [-1]}, "img": {"type": "bytes"}}
BLOBS = (b"\x1a\0\0\0\0\0\0\0" b"\0\0\0\0\0\0\0\x06BYTES0" b"\0\0\0\0\0\0\0\x04\0\0\0\0"
         b"\x1e\0\0\0\0\0\0\0" b"\0\0\0\0\0\0\0\x06BYTES1" b"\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\x80?")
NUMBERS = b"\x10\0\0\0\0\0\0\0\x82\xa5label\0\xa4name\xa2n0" b"\x10\0\0\0\0\0\0\0\x82\xa5label\x01\xa4name\xa2n1"


def rows(count):
    return [{"label": i, "name": "n%d" % i, "vec": np.arange(i + 1, dtype=np.float32), "img": b"BYTES%d" % i} for i in range(count)]


def write(path, content, schema=SCHEMA, **options):
    writer = FileWriter(str(path), **options)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(schema, "about")
    writer.write_raw_data(content)
    writer.commit()
    return str(path)


def test_bytes(tmp_path):
    path = write(tmp_path / "a", rows(2))
    data = (tmp_path / "a").read_bytes()
    assert data[1 << 14:][:len(BLOBS)] == BLOBS and data[(1 << 14) + (1 << 15):] == NUMBERS
    places = sqlite3.connect(path + ".db").execute("select * from INDEXES").fetchall()
    assert places == [(0, 1, 0, 24, 0, 0, 0, 34, 0, 0), (1, 1, 24, 48, 0, 0, 34, 72, 0, 1)]
    assert sorted(os.listdir(str(tmp_path))) == ["a", "a.db"]


@pytest.mark.parametrize("values, data", [
    ([1, -2], b"\0\0\0\x02\0\x01\xfe"), ([300, -1], b"\0\0\0\x02@,\x01\xff"), ([70000, 1], b"\0\0\0\x02\x80p\x11\x01\0\x01"),
    ([2**40, -1], b"\0\0\0\x02\xc0\0\0\0\0\0\x01\0\0\xff"), ([32767, -32768], b"\0\0\0\x02P\xff\x7f\0\x80"), ([], b"\0\0\0\0")])
def test_arrays_of_ints(values, data):
    array = np.array(values, np.int64)
    assert pack_array(array) == data and unpack_array(data, array.dtype, (-1,)).tolist() == values


def test_numbers_and_texts():
    values = [("f", 2.5), ("g", 0.1), ("k", -7), ("m", -70000), ("n", 300), ("o", 2**40), ("s", "x" * 40)]
    assert pack_map(values) == (b"\x87\xa1f\xca@ \0\0\xa1g\xcb?\xb9\x99\x99\x99\x99\x99\x9a\xa1k\xf9\xa1m\xd2\xff\xfe\xee\x90"
                                b"\xa1n\xcd\x01,\xa1o\xcf\0\0\x01\0\0\0\0\0\xa1s\xd9(" + b"x" * 40)


@pytest.mark.parametrize("count, shards", [(3, 1), (5, 2), (3000, 1)])
def test_round_trip(tmp_path, count, shards):
    content = rows(min(count, 50)) * (count // min(count, 50))
    write(tmp_path / "a", content, shard_num=shards)
    path = str(tmp_path / ("a" if shards == 1 else "a0"))
    reader = FileReader(path)
    found = list(reader.get_next())
    assert reader.len() == len(found) == count and reader.schema()["vec"] == {"type": "float32", "shape": [-1]}
    for row, expected in zip(found, content):
        assert {k: v for k, v in row.items() if k != "vec"} == {k: v for k, v in expected.items() if k != "vec"}
        assert row["vec"].tolist() == expected["vec"].tolist()
    data = ds.MindDataset(path, shuffle=False)
    assert data.get_col_names() == ["img", "label", "name", "vec"] and len(data) == count
    row = list(data.create_tuple_iterator(output_numpy=True))[-1]
    assert row[0].tolist() == [content[-1]["img"]] and row[1].dtype == np.int32 and row[2] == content[-1]["name"]
    assert len(list(ds.MindDataset(path, ["label"], num_shards=2, shard_id=0))) == -(-count // 2)


def test_files_that_are_none(tmp_path):
    path = write(tmp_path / "a", rows(3))
    good = (tmp_path / "a").read_bytes()
    head = int.from_bytes(good[:8], "little")
    bad = [b"", b"junk", good[:100], b"\xff" * 16, good[:8] + b"[" * head + good[8 + head:], good[:-10],
           good.replace(b'"page_size": 114', b'"page_size": 999'), good.replace(b'"page_id": 1', b'"page_id": 9'),
           good.replace(b"\x1a\0\0\0\0\0\0\0\0", b"\xff\xff\0\0\0\0\0\0\0"), good.replace(b'"type": "int32"', b'"type": "blob3"')]
    for data in bad:
        (tmp_path / "b").write_bytes(data)
        with pytest.raises(RuntimeError, match="expected a MindRecord file"):
            FileReader(str(tmp_path / "b"))
    (tmp_path / "b").write_bytes(good.replace(b"\x82\xa5label", b"\xc1\xa5label"))
    with pytest.raises(RuntimeError, match="expected a whole one"):
        list(ds.MindDataset(str(tmp_path / "b")))
    with pytest.raises(RuntimeError, match="that is there already"):
        FileWriter(path)
    absent = str(tmp_path / "absent")
    for make, error in ((FileReader, RuntimeError), (ds.MindDataset, ValueError), (lambda p: ds.MindDataset([path, p]), ValueError)):
        with pytest.raises(error, match="expected one that is there"):
            make(absent)


@pytest.mark.parametrize("schema, row", [
    (SCHEMA, {"label": 1}), (SCHEMA, dict(rows(1)[0], label=2**40)), (SCHEMA, dict(rows(1)[0], label="x")),
    (SCHEMA, dict(rows(1)[0], vec=np.zeros(2))), (SCHEMA, dict(rows(1)[0], img="text")), ({"x": {"type": "uint8"}}, {"x": 1}),
    ({}, {}), ({"x": {"type": "bytes", "shape": [1]}}, {}), (SCHEMA, dict(rows(1)[0], img=bytes(1 << 16)))])
def test_what_cannot_be_written(tmp_path, schema, row):
    with pytest.raises((RuntimeError, ValueError), match="FileWriter"):
        write(tmp_path / "a", [row], schema)


@pytest.mark.parametrize("shards", [1, 3])
def test_append(tmp_path, shards):
    content = rows(6)
    first = write(tmp_path / "a", content[:4], shard_num=shards) + ("" if shards == 1 else "0")
    before = open(first, "rb").read()
    for part in (content[4:5], content[5:]):
        writer = FileWriter.open_for_append(first)
        writer.write_raw_data(part)
        assert len(list(FileReader(first).get_next())) < 6
        writer.commit()
    found = sorted(FileReader(first).get_next(), key=lambda row: row["label"])
    assert [(r["label"], r["name"], r["img"], r["vec"].tolist()) for r in found] == [
        (r["label"], r["name"], r["img"], r["vec"].tolist()) for r in content]
    assert open(first, "rb").read() != before and not list(tmp_path.glob("*.tmp*"))
    places = sqlite3.connect(first + ".db").execute("SELECT ROW_ID, PAGE_ID_RAW, PAGE_ID_BLOB, ROW_GROUP_ID FROM INDEXES ORDER BY ROW_ID").fetchall()
    assert [row for row, _, _, _ in places] == list(range(len(places))) and (shards > 1 or places[4:] == [(4, 3, 2, 1), (5, 5, 4, 2)])
    with pytest.raises(exceptions.MRMAddSchemaError):
        FileWriter.open_for_append(first).add_schema(SCHEMA)
    with pytest.raises(RuntimeError):
        FileWriter.open_for_append(str(tmp_path / "none"))


def test_classes_of_errors(tmp_path):
    path = write(tmp_path / "a", rows(2))
    writer = FileWriter(str(tmp_path / "b"))
    for error, calls in (
            (exceptions.ParamValueError, [lambda: FileWriter(1), lambda: FileWriter("a*"), lambda: FileWriter("q", "a"), lambda: FileWriter("q", 1, 1),
                                          lambda: FileReader(path, 0)]),
            (exceptions.ParamTypeError, [lambda: FileReader(path, columns="name"), lambda: writer.add_index(1), lambda: writer.add_index([1]),
                                         lambda: writer.write_raw_data(1)]),
            (exceptions.MRMInvalidSchemaError, [lambda: writer.add_schema(1), lambda: writer.add_schema({"a": {"type": "int8"}})]),
            (TypeError, [lambda: writer.set_header_size("a"), lambda: writer.add_schema(SCHEMA, 1)]),
            (RuntimeError, [lambda: writer.set_page_size(1), lambda: writer.add_index(["z"])])):
        for call in calls:
            with pytest.raises(error):
                call()
    writer.add_schema(SCHEMA)
    with pytest.raises(exceptions.MRMDefineIndexError):
        writer.add_index(["vec"])
    reader = FileReader(path, columns=["name"])
    reader.close()
    assert not list(reader.get_next()) and reader.schema() == SCHEMA


def test_pages(tmp_path):
    writer = FileWriter(str(tmp_path / "a"), 2)
    writer.add_schema({"x": {"type": "int32"}, "kind": {"type": "string"}})
    writer.add_index(["kind"])
    writer.write_raw_data([{"x": i, "kind": "ab"[i % 2]} for i in range(6)])
    writer.commit()
    page = MindPage(str(tmp_path / "a0"))
    assert page.candidate_fields == ["kind"] and page.category_field is None
    with pytest.raises(RuntimeError):
        page.read_category_info()
    page.category_field = "kind"
    assert page.read_category_info() == '{"categories":[{"count":3,"id":0,"name":"a"},{"count":3,"id":1,"name":"b"}],"key":"kind_0"}'
    assert [r["x"] for r in page.read_at_page_by_name("b", 0, 2)] == [1, 3] and [r["x"] for r in page.read_at_page_by_id(1, 1, 2)] == [5]
    for call, error in ((lambda: page.read_at_page_by_id(-1, 0, 1), exceptions.ParamValueError), (lambda: page.read_at_page_by_id(2, 0, 1), RuntimeError),
                        (lambda: page.read_at_page_by_name("z", 0, 1), RuntimeError), (lambda: page.read_at_page_by_id(0, 9, 1), RuntimeError),
                        (lambda: setattr(page, "category_field", "x"), exceptions.MRMDefineCategoryError)):
        with pytest.raises(error):
            call()


def test_padded_rows_and_shuffles(tmp_path):
    first = write(tmp_path / "a", rows(6), shard_num=3) + "0"

    def read(**options):
        data = ds.MindDataset(first, ["label", "name"], **options)
        return [int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    padding = {"padded_sample": {"label": 99, "name": "pad", "vec": 0}, "num_padded": 2}
    assert read(shuffle=False, **padding) == [0, 1, 2, 3, 4, 5, 99, 99]
    assert read(shuffle=False, num_shards=2, shard_id=1, **padding) == [1, 3, 5, 99]
    ds.config.set_seed(2)
    try:
        for _ in range(3):
            files, inside = read(shuffle=ds.Shuffle.FILES, **padding), read(shuffle=ds.Shuffle.INFILE)
            assert files[1::2] == [i + 1 if i < 99 else i for i in files[::2]] and files[6:] == [99, 99]
            assert [i // 2 for i in inside] == [0, 0, 1, 1, 2, 2]
        assert sorted(read(shuffle=ds.Shuffle.ADAPTIVE)) == list(range(6))
    finally:
        ds.config.set_seed(ds.config.UNSEEDED)
    for options, error in (({"padded_sample": {}}, RuntimeError), ({"num_padded": 1}, RuntimeError), ({"padded_sample": 1, "num_padded": 1}, TypeError),
                           ({"padded_sample": {"label": 1}, "num_padded": 1}, ValueError), ({"shuffle": 1}, TypeError)):
        with pytest.raises(error):
            read(**options)


def test_rows_of_arrays_alone(tmp_path):
    """A schema without numbers and texts has no index, as in MindSpore's files, and gets no field of its own."""
    path = str(tmp_path / "arrays.mindrecord")
    writer = FileWriter(path)
    writer.add_schema({"a": {"type": "int64", "shape": [-1]}, "b": {"type": "bytes"}})
    rows = [{"a": np.arange(i + 1), "b": b"%d" % i} for i in range(3)]
    writer.write_raw_data(rows[:2])
    writer.commit()
    more = FileWriter.open_for_append(path)
    more.write_raw_data(rows[2:])
    more.commit()
    found = list(FileReader(path).get_next())
    assert [sorted(row) for row in found] == [["a", "b"]] * 3
    assert all((row["a"] == made["a"]).all() and row["b"] == made["b"] for row, made in zip(found, rows))
    assert MindPage(path).candidate_fields == []
