"""Datasets in the files of their authors: what each gives of a few files of that form; the numbers were compared with MindSpore's."""
import json
import struct

import numpy as np
import pytest

import msjit.dataset as ds

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def put(tmp_path):
    """put(path, content) writes a file. Content is a text or bytes. For None it is an image or a sound, as the ending of the name says."""
    def put(path, content=None):
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if content is None and path.endswith(".wav"):
            data = np.arange(8, dtype="<i2").tobytes()
            head = struct.pack("<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16)
            content = b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + head + b"data" + struct.pack("<I", len(data)) + data
        if content is None:
            Image.fromarray(np.full((4, 5, 3), 7, np.uint8)).save(str(target))
        elif isinstance(content, bytes):
            target.write_bytes(content)
        else:
            target.write_text(content, encoding="utf-8")
        return str(tmp_path / path.split("/")[0])
    return put


def rows(name, *args, **options):
    """All rows as lists, without the columns of images and sounds."""
    found = getattr(ds, name)(*args, **dict({"shuffle": False}, **options))
    kept = [c for c in found.get_col_names() if "image" not in c and c != "waveform"]
    return [[row[c].tolist() for c in kept] for row in found.create_dict_iterator(1, output_numpy=True)]


def types(name, *args, **options):
    return [t.name if t.kind not in "US" else "text" for t in getattr(ds, name)(*args, **options).output_types()]


def test_faces_and_classes(put):
    for number in (1, 2):
        put("celeba/00000%d.jpg" % number)
    top = put("celeba/list_attr_celeba.txt", "2\na b\n000001.jpg -1 1\n000002.jpg 1 1\n")
    put("celeba/list_eval_partition.txt", "000001.jpg 0\n000002.jpg 2\n")
    assert rows("CelebADataset", top) == [[[0, 1]], [[1, 1]]] and rows("CelebADataset", top, usage="test") == [[[1, 1]]]
    assert types("CelebADataset", top) == ["uint8", "uint32"]
    with pytest.raises(ValueError):
        ds.CelebADataset(top, usage="other")
    for path in ("c256/002.b/1.jpg", "c256/001.a/1.jpg", "omni/images_background/x/c1/1.png", "sst/train/negative/1.png", "sst/valid/positive/1.png",
                 "lsun/bedroom_train/1.jpg", "lsun/bedroom_val/1.jpg", "food/images/pie/1.jpg", "food/images/pie/2.jpg", "sun/a/abbey/1.jpg"):
        top = put(path)[:-len(path.split("/")[0])]
    assert rows("Caltech256Dataset", top + "c256") == [[0], [1]] and types("Caltech256Dataset", top + "c256") == ["uint8", "int32"]
    put("sst/valid/negative/empty", "")
    assert rows("OmniglotDataset", top + "omni") == [[0]] and rows("RenderedSST2Dataset", top + "sst", "val") == [[1]]
    put("sun/ClassName.txt", "/a/abbey\n"), put("food/meta/train.txt", "pie/2\n"), put("food/meta/test.txt", "pie/1\n")
    assert rows("SUN397Dataset", top + "sun") == [[0]] and rows("Food101Dataset", top + "food") == [["pie"], ["pie"]]
    assert rows("LSUNDataset", top + "lsun") == [[0], [1]] and rows("LSUNDataset", top + "lsun", "valid", "bedroom") == [[0]]
    with pytest.raises(RuntimeError):
        rows("Food101Dataset", top + "sun")


def test_lists_of_images(put):
    for path in ("lfw/lfw_funneled/Al/Al_0001.jpg", "lfw/lfw_funneled/Al/Al_0002.jpg", "lfw/lfw_funneled/Bo/Bo_0001.jpg", "sbu/sbu_images/m_1_2.jpg",
                 "flickr/k.jpg", "places/data_256_standard/a/x.jpg", "man/m.jpg", "div/DIV2K_train_HR/01.png", "div/DIV2K_train_LR_mild/01x4m.png",
                 "city/leftImg8bit/train/a/a_1_leftImg8bit.png"):
        top = put(path)[:-len(path.split("/")[0])]
    put("lfw/lfw-names.txt", "Al 2\nBo 1\n"), put("lfw/people.txt", "1\n2\nAl\t2\nBo\t1\n"), put("lfw/pairsDevTest.txt", "1\nAl\t1\t2\nAl\t1\tBo\t1\n")
    assert rows("LFWDataset", top + "lfw", usage="10fold") == [[0], [0], [1]]
    assert rows("LFWDataset", top + "lfw", "pairs", "test") == [[1], [0]]
    put("sbu/SBU_captioned_photo_dataset_urls.txt", "http://a.b/1/2.jpg\nhttp://a.b/3/4.jpg\n")
    put("sbu/SBU_captioned_photo_dataset_captions.txt", "one\ntwo\n")
    assert rows("SBUDataset", top + "sbu") == [["one"]]
    put("flickr.txt", "".join("k.jpg#%d\tcaption %d\n" % (i, i) for i in range(5)))
    assert rows("FlickrDataset", top + "flickr", top + "flickr.txt") == [[["caption %d" % i for i in range(5)]]]
    put("places/places365_train_standard.txt", "/a/x.jpg 3\n")
    assert rows("Places365Dataset", top + "places", decode=True) == [[3]]
    put("man.txt", json.dumps({"source": top + "man/m.jpg", "usage": "TRAIN", "annotation": [{"name": "dog"}]}))
    assert rows("ManifestDataset", top + "man.txt") == [[0]] and rows("ManifestDataset", top + "man.txt", class_indexing={"dog": 5}) == [[5]]
    assert len(rows("DIV2KDataset", top + "div", "train", "mild", 4)) == 1
    put("city/gtFine/train/a/a_1_gtFine_polygons.json", '{"n": [1, 2]}')
    assert rows("CityscapesDataset", top + "city", task="polygon") == [['{"n":[1,2]}']]
    for wrong in ('{"usage": "TRAIN"}', "[]", "{"):
        put("man.txt", wrong)
        with pytest.raises(RuntimeError):
            rows("ManifestDataset", top + "man.txt")


def test_coco(put):
    top = put("img/a.jpg"), put("img/b.jpg")
    boxes = [{"image_id": 1, "bbox": [1, 2, 3, 4], "category_id": 7, "iscrowd": 0, "segmentation": [[1, 2, 3], [4, 5]], "keypoints": [1, 2, 1],
              "num_keypoints": 1, "caption": "one", "segments_info": [{"bbox": [1, 1, 2, 2], "category_id": 7, "iscrowd": 0, "area": 4}]},
             {"image_id": 2, "bbox": [0, 0, 1.5, 1], "category_id": 8, "iscrowd": 1, "segmentation": {"counts": [5, 1], "size": [4, 5]},
              "keypoints": [3, 4, 1], "num_keypoints": 1, "caption": "two", "segments_info": []}]
    content = {"images": [{"id": 2, "file_name": "a.jpg"}, {"id": 1, "file_name": "b.jpg"}], "annotations": boxes,
               "categories": [{"id": 7, "name": "dog", "isthing": 1}]}
    file = put("det.json", json.dumps(content))
    assert rows("CocoDataset", top[0], file) == [[[[0, 0, 1.5, 1]], [[8]], [[1]]], [[[1, 2, 3, 4]], [[7]], [[0]]]]
    assert rows("CocoDataset", top[0], file, "Stuff")[1] == [[[1, 2, 3], [4, 5, -1]], [[0]]]
    assert rows("CocoDataset", top[0], file, "Keypoint")[0] == [[[3, 4, 1]], [[1]]]
    assert rows("CocoDataset", top[0], file, "Captioning") == [[[["two"]]], [[["one"]]]]
    assert ds.CocoDataset(top[0], file).get_class_indexing() == {"dog": [7]}
    assert ds.CocoDataset(top[0], file, "Panoptic").get_class_indexing() == {"dog": [7, 1]}
    named = ds.CocoDataset(top[0], file, shuffle=False, extra_metadata=True)
    assert named.get_col_names()[-1] == "_meta-filename" and len(next(iter(named))) == 4
    assert [row["name"].item() for row in named.rename("_meta-filename", "name").create_dict_iterator(1, True)] == ["a", "b"]
    with pytest.raises(NotImplementedError):
        ds.CocoDataset(top[0], file, "Stuff").get_class_indexing()
    put("det.json", "{}")
    with pytest.raises(RuntimeError):
        rows("CocoDataset", top[0], file)


def test_voc_kitti_faces(put):
    thing = "<object><name>%s</name><truncated>1</truncated><difficult>0</difficult><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>4</xmax>" \
            "<ymax>3</ymax></bndbox></object>"
    for name in ("p", "q"):
        top = put("voc/JPEGImages/%s.jpg" % name)
        put("voc/SegmentationClass/%s.png" % name), put("voc/Annotations/%s.xml" % name, "<annotation>%s%s</annotation>" % (thing % "dog", thing % "car"))
        put("voc/ImageSets/Main/train.txt", "q\np\n"), put("voc/ImageSets/Segmentation/train.txt", "p\n")
    assert len(rows("VOCDataset", top, decode=True)) == 1
    assert rows("VOCDataset", top, "Detection")[0] == [[[1, 2, 3, 1], [1, 2, 3, 1]], [[1], [0]], [[0], [0]], [[1], [1]]]
    assert rows("VOCDataset", top, "Detection", class_indexing={"car": 3})[0][1] == [[3]]
    with pytest.raises(ValueError):
        ds.VOCDataset(top, "Detection", "val")
    put("voc/Annotations/p.xml", "<!DOCTYPE x [<!ENTITY a 'b'>]><annotation></annotation>")
    with pytest.raises(RuntimeError):
        rows("VOCDataset", top, "Detection")
    top = put("kitti/data_object_image_2/training/image_2/0.png")
    put("kitti/data_object_label_2/training/label_2/0.txt", "Van 0.5 1 -1.5 1 2 3 4 5 6 7 8 9 10 0.25\nCar 0 2 1 1 2 3 4 5 6 7 8 9 10 0.5\n")
    assert rows("KITTIDataset", top)[0][:4] == [[[1], [0]], [[0.5], [0]], [[1], [2]], [[-1.5], [1]]]
    top = put("wider/WIDER_train/images/a/1.jpg")
    put("wider/wider_face_split/wider_face_train_bbx_gt.txt", "a/1.jpg\n1\n1 2 3 4 0 1 0 9 2 1\n")
    assert rows("WIDERFaceDataset", top, "train") == [[[[1, 2, 3, 4]], [[0]], [[1]], [[0]], [[2]], [[1]], [[9]]]]


def test_numbers(put):
    top = put("stl/train_X.bin", bytes(range(256)) * 108)
    put("stl/train_y.bin", bytes([3]))
    image, label = next(ds.STL10Dataset(top, "train").create_tuple_iterator(output_numpy=True))
    assert label == 2 and image.shape == (96, 96, 3) and image[1, 0, 0] == 1 and image[0, 1, 0] == 96
    top = put("qm/qmnist-train-images-idx3-ubyte", struct.pack(">IIII", 2051, 2, 28, 28) + bytes(2 * 784))
    put("qm/qmnist-train-labels-idx2-int", struct.pack(">III", 3074, 2, 8) + np.arange(16).astype(">u4").tobytes())
    assert rows("QMnistDataset", top, "train") == [[0], [8]] and rows("QMnistDataset", top, "train", False)[1] == [list(range(8, 16))]
    top = put("sem/semeion.data", " ".join(["1.0"] * 256 + ["0"] * 3 + ["1"] + ["0"] * 6) + "\n")
    assert rows("SemeionDataset", top) == [[3]]
    top = put("usps/usps", "10 " + " ".join("%d:%f" % (i + 1, -1) for i in range(256)) + " \n")
    assert rows("USPSDataset", top, "train") == [[9]]
    sheet = np.zeros((1024, 1024), np.uint8)
    sheet[:64, 64:128] = 5
    put("pt/liberty/info.txt", "0 0\n1 0\n"), put("pt/liberty/m50_100000_100000_0.txt", "0 4 0 1 4 0 0\n")
    top = put("pt/liberty/patches0000.bmp", b"")
    Image.fromarray(sheet).save(top + "/liberty/patches0000.bmp")
    patches = ds.PhotoTourDataset(top, "liberty", shuffle=False).create_tuple_iterator(output_numpy=True, num_epochs=1)
    assert [row[0].mean() for row in patches] == [0, 5] and rows("PhotoTourDataset", top, "liberty", "test") == [[1]]
    put("stl/train_y.bin", b"\1\2")
    with pytest.raises(RuntimeError):
        rows("STL10Dataset", top[:-2] + "stl", "train")


def test_mat_files(put):
    scipy_io = pytest.importorskip("scipy.io")
    for number in (1, 2):
        top = put("flowers/jpg/image_0000%d.jpg" % number)
    scipy_io.savemat(top + "/imagelabels.mat", {"labels": [[5, 6]]})
    scipy_io.savemat(top + "/setid.mat", {"trnid": [[2]], "valid": [[1]], "tstid": [[1]]})
    assert rows("Flowers102Dataset", top) == [[5], [4], [4]]
    scipy_io.savemat(top + "/train_32x32.mat", {"X": np.zeros((32, 32, 3, 2), np.uint8), "y": [[10], [3]]})
    assert rows("SVHNDataset", top, "train") == [[0], [3]]


def test_sounds(put):
    top = put("lj/wavs/L1.wav")
    put("lj/metadata.csv", "L1|a b|A \"B\n")
    assert rows("LJSpeechDataset", top) == [[16000, "a b", "A \"B"]]
    wave = next(ds.LJSpeechDataset(top).create_tuple_iterator(output_numpy=True))[0]
    assert wave.shape == (1, 8) and wave.dtype == np.float32 and wave[0, 2] == 2 / 32768
    top = put("sc/dog/ab_nohash_1.wav"), put("sc/cat/ab_nohash_0.wav"), put("sc/testing_list.txt", "dog/ab_nohash_1.wav\n"), \
        put("sc/validation_list.txt", "")
    assert rows("SpeechCommandsDataset", top[0], "train") == [[16000, "cat", "ab", 0]]
    assert rows("SpeechCommandsDataset", top[0], "test") == [[16000, "dog", "ab", 1]]
    assert rows("YesNoDataset", put("yn/1_0_1.wav")) == [[16000, [1, 0, 1]]]
    assert rows("GTZANDataset", put("gt/blues/blues.00000.wav")) == [[16000, "blues"]]
    top = put("cmu/cmu_us_aew_arctic/wav/arctic_a0001.wav")
    put("cmu/cmu_us_aew_arctic/etc/txt.done.data", '( arctic_a0001 "Author, etc" )\n')
    assert rows("CMUArcticDataset", top) == [[16000, "Author, etc", "a0001"]]
    top = put("lib/dev-clean/1/2/1_2_3_4.wav")
    put("lib/dev-clean/1/2/1_2.trans.tsv", "1_2_3_4\tOne\tTwo\n")
    assert rows("LibriTTSDataset", top) == [[16000, "One", "Two", 1, 2, "1_2_3_4"]]
    head = b"NIST_1A\n   1024\nsample_n_bytes -i 2\nsample_rate -i 100\nend_head\n"
    top = put("ted/dev/sph/Al.sph", head.ljust(1024) + np.arange(100, dtype="<i2").tobytes())
    put("ted/dev/stm/Al.stm", "Al 1 S 0.1 0.2 <o> hello world\n")
    assert rows("TedliumDataset", top, "release1", "dev") == [[100, "hello world", "Al", "S", "<o>"]]
    put("yn/1_0_1.wav", b"RIFFxxxxWAVE")
    with pytest.raises(RuntimeError):
        rows("YesNoDataset", top[:-3] + "yn")


def test_texts(put):
    top = put("clue/a.json", '{"sentence1": "a", "sentence2": "b", "label": "0"}\n')
    assert rows("CLUEDataset", top + "/a.json") == [["0", "a", "b"]]
    put("clue/a.json", '{"target": {"span2_index": 3, "span1_index": 5, "span1_text": "t", "span2_text": "u"}, "idx": 3, "text": "x"}\n')
    assert rows("CLUEDataset", top + "/a.json", "WSC", "test") == [[3, 5, "t", 3, "u", "x"]]
    with pytest.raises(RuntimeError):
        rows("CLUEDataset", top + "/a.json", "TNEWS")
    top = put("conll/train.txt", "A DT B-NP\nb NN I-NP\n\nC VB B-VP\n\n")
    assert rows("CoNLL2000Dataset", top, "train") == [[["A", "b"], ["DT", "NN"], ["B-NP", "I-NP"]], [["C"], ["VB"], ["B-VP"]]]
    top = put("ud/en-ud-tag.v2.dev.txt", "A\tDET\tDT\n")
    assert rows("UDPOSDataset", top, "valid") == [[["A"], ["DET"], ["DT"]]]
    answers = [{"text": "one", "answer_start": 4}]
    asked = [{"question": "q", "answers": answers}, {"question": "r", "answers": []}]
    top = put("squad/train-v2.0.json", json.dumps({"data": [{"paragraphs": [{"context": "c one", "qas": asked}]}]}))
    assert rows("SQuADDataset", top, "train") == [["c one", "q", ["one"], [4]], ["c one", "r", [""], [2 ** 32 - 1]]]
    top = put("sst/train.tsv", "sentence\tlabel\nhide new\t0\n")
    put("sst/test.tsv", "index\tsentence\n0\tuh\n")
    assert rows("SST2Dataset", top) == [["hide new", "0"]] and rows("SST2Dataset", top, "test") == [["uh"]]
    top = put("m30/training/train.en", "one\n"), put("m30/training/train.de", "eins\n")
    assert rows("Multi30kDataset", top[0], "train", ["de", "en"]) == [["eins", "one"]]
    for language in ("de", "en"):
        top = put("iw/texts/de/en/de-en/train.tags.de-en." + language, "<url>u</url>\nline %s\n" % language)
        put("iw/texts/de/en/de-en/IWSLT16.TED.tst2013.de-en.%s.xml" % language, '<doc>\n<seg id="1"> talk %s </seg>\n</doc>\n' % language)
    assert rows("IWSLT2016Dataset", top, "train") == [["line de", "line en"]] and rows("IWSLT2016Dataset", top, "valid") == [["talk de", "talk en"]]
    with pytest.raises(ValueError):
        ds.IWSLT2016Dataset(top, language_pair=("de", "fr"))


def _varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def _field(number, data):
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def record(features):
    """A record of a TFRecord file."""
    from msjit.dataset.tfrecord import masked_crc
    entries = b""
    for name, values in features.items():
        if isinstance(values[0], int):
            kind, data = 3, _field(1, b"".join(_varint(v) for v in values))
        elif isinstance(values[0], float):
            kind, data = 2, _field(1, struct.pack("<%df" % len(values), *values))
        else:
            kind, data = 1, b"".join(_field(1, v) for v in values)
        entries += _field(1, _field(1, name.encode()) + _field(2, _field(kind, data)))
    data = _field(1, entries)
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked_crc(head)) + data + struct.pack("<I", masked_crc(data))


def test_tfrecord(put):
    from msjit.dataset.tfrecord import masked_crc
    assert masked_crc(b"123456789") == ((0xE3069283 >> 15 | 0xE3069283 << 17) + 0xA282EAD8) & 0xFFFFFFFF
    for file in (0, 1):
        content = [record({"ids": [i + 10 * file, -i], "w": [i + 0.5], "name": [b"n%d" % i, b"x"]}) for i in range(3)]
        top = put("tf/r%d" % file, b"".join(content))
    one, both = [top + "/r0"], [top + "/r0", top + "/r1"]
    assert rows("TFRecordDataset", one)[1] == [[1, -1], [110, 49, 120, 32], [1.5]]
    schema = {"ids": {"type": "int32", "shape": [2]}, "name": {"type": "string", "rank": 1}, "w": {"type": "float32", "shape": []}}
    put("tf/s.json", json.dumps({"datasetType": "TF", "columns": schema}))
    assert rows("TFRecordDataset", one, top + "/s.json")[2] == [[2, -2], ["n2", "x"], 2.5]
    assert types("TFRecordDataset", one, top + "/s.json") == ["int32", "text", "float32"]
    assert rows("TFRecordDataset", both, columns_list=["w", "ids"])[0] == [[0.5], [0, 0]]
    assert [r[0][0] for r in rows("TFRecordDataset", both, columns_list=["ids"], num_shards=2, shard_id=1)] == [10, 11, 12]
    assert len(rows("TFRecordDataset", both, num_shards=4, shard_id=1, shard_equal_rows=True)) == 2
    assert len(rows("TFRecordDataset", both, num_samples=4)) == 4
    with pytest.raises(RuntimeError):
        rows("TFRecordDataset", one, columns_list=["none"])
    whole = open(one[0], "rb").read()
    for wrong in (b"no such file", whole[:-3], whole[:20]):
        put("tf/r0", wrong)
        with pytest.raises(RuntimeError):
            rows("TFRecordDataset", one)


def test_converters(put):
    import gzip
    import pickle

    from msjit import mindrecord as mr
    batch = {b"data": np.zeros((2, 3072), np.uint8), b"labels": [3, 4], b"fine_labels": [5, 6], b"coarse_labels": [7, 8]}
    for name in ["data_batch_%d" % i for i in range(1, 6)] + ["test_batch", "train", "test"]:
        top = put("c/" + name, pickle.dumps(batch, 2))
    def read(path, *fields):
        return [[row[field] for field in fields] for row in mr.FileReader(path).get_next()]
    mr.Cifar10ToMR(top, top + "10").transform()
    assert len(read(top + "10", "id")) == 10 and read(top + "10_test", "id", "label") == [[0, 3], [1, 4]]
    mr.Cifar100ToMR(top, top + "100").transform(["fine_label"])
    assert read(top + "100", "fine_label", "coarse_label") == [[5, 7], [6, 8]] and read(top + "100", "data")[0][0][:2] == b"\xff\xd8"
    put("c/train", b"cos\nsystem\n(S'true'\ntR.")  # would run a program
    with pytest.raises(RuntimeError):
        mr.Cifar100ToMR(top, top + "x").transform()
    for name in ("train", "t10k"):
        put("m/%s-images-idx3-ubyte.gz" % name, gzip.compress(struct.pack(">IIII", 2051, 2, 28, 28) + bytes(1568)))
        top = put("m/%s-labels-idx1-ubyte.gz" % name, gzip.compress(struct.pack(">II", 2049, 2) + b"\1\2"))
    mr.MnistToMR(top, top + "mr").run()
    assert read(top + "mr_train.mindrecord", "label") == [[1], [2]]
    top = put("i/n1/a.JPEG", b"jpeg")
    mr.ImageNetToMR(put("map.txt", "n1 4\n"), top, top + "mr").transform()
    assert read(top + "mr", "label", "image") == [[4, b"jpeg"]]
    file = put("a.csv", "name,age,h\nBo,3,1.5\nAl,4,2\n")
    mr.CsvToMR(file, file + "mr").transform()
    assert read(file + "mr", "name", "age", "h") == [["Bo", 3, 1.5], ["Al", 4, 2]]
    with pytest.raises(RuntimeError):
        mr.CsvToMR(file, file + "x", ["none"]).transform()

    class Feature:
        def __init__(self, shape, dtype):
            self.shape, self.dtype = shape, dtype
    file = put("r", record({"ids": [1, -2], "w": [0.5], "name": [b"n"], "raw": [b"\xff"]}))
    about = {"ids": Feature([2], "int64"), "w": Feature([], "float32"), "name": Feature([], "string"), "raw": Feature([], "string")}
    mr.TFRecordToMR(file, file + "mr", about, ["raw"]).transform()
    assert read(file + "mr", "w", "name", "raw") == [[0.5, "n", b"\xff"]] and read(file + "mr", "ids")[0][0].tolist() == [1, -2]
