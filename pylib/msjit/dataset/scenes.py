"""Datasets of images with boxes, outlines, captions or other images: COCO, VOC, KITTI, WIDER FACE, Cityscapes, DIV2K, SBD."""
import json
import os
import xml.etree.ElementTree

import numpy as np

from .images import usage_of
from .listed import Listed, below, folders, matlab, one_of, text
from .workers import RowError

_COCO = {"Detection": ("bbox", "category_id", "iscrowd"), "Stuff": ("segmentation", "iscrowd"), "Keypoint": ("keypoints", "num_keypoints"),
         "Panoptic": ("bbox", "category_id", "iscrowd", "area"), "Captioning": ("captions",)}


def _metadata(wanted, columns):
    if not isinstance(wanted, bool):
        raise TypeError("[dataset] extra_metadata, got %s, expected a bool" % type(wanted).__name__)
    return columns + ("_meta-filename",) if wanted else columns


class CocoDataset(Listed):
    """Reads COCO from a folder of images and a JSON file: column image, and more columns by task.

    Detection: bbox, category_id, iscrowd. Stuff: segmentation, iscrowd. Keypoint: keypoints, num_keypoints. Panoptic: bbox,
    category_id, iscrowd, area. Captioning: captions.
    """

    def __init__(self, dataset_dir, annotation_file, task="Detection", num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode=False, sampler=None, num_shards=None, shard_id=None, cache=None, extra_metadata=False, decrypt=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        if not isinstance(annotation_file, str):
            raise TypeError("[CocoDataset] annotation_file, got %s, expected a str" % type(annotation_file).__name__)
        if not os.path.isfile(annotation_file):
            raise ValueError("[CocoDataset] annotation_file, got %s, expected a file that is there" % (annotation_file,))
        if decrypt is not None:
            raise NotImplementedError("[CocoDataset] keyword decrypt, got %r, expected it left out" % (decrypt,))
        self._annotations = os.path.abspath(annotation_file)
        self._task = one_of(task, "task", tuple(_COCO), self._where)
        self._columns = _metadata(extra_metadata, ("image",) + _COCO[self._task])
        self._content = None

    def _json(self):
        if self._content is None:
            try:
                with open(self._annotations, encoding="utf-8") as file:
                    self._content = json.load(file)
                self._content["images"], self._content["annotations"]
            except (ValueError, KeyError, TypeError) as error:
                raise RuntimeError("[CocoDataset] annotation_file, got %s (%r), expected JSON with 'images' and 'annotations'"
                                   % (self._annotations, error)) from None
        return self._content

    def get_class_indexing(self):
        """Returns a dict from category name to [number]; for the task 'Panoptic' to [number, whether it is a thing].

        As in MindSpore, raises NotImplementedError for tasks other than 'Detection' and 'Panoptic'.
        """
        if self._task not in ("Detection", "Panoptic"):
            raise NotImplementedError("[CocoDataset] task, got %r, expected 'Detection' or 'Panoptic'" % (self._task,))
        found = {}
        for category in self._json().get("categories", ()):
            found[category["name"]] = [category["id"]] + ([category["isthing"]] if self._task == "Panoptic" else [])
        return found

    def _list(self):
        names, groups = {image["id"]: image["file_name"] for image in self._json()["images"]}, {}
        for item in self._json()["annotations"]:
            groups.setdefault(item["image_id"], []).append(item)
        for number in groups:
            if number not in names:
                raise RuntimeError("[CocoDataset] image_id of an annotation, got %r, expected the id of one of the images" % (number,))
        for number in names:
            if number in groups:
                yield names[number], groups[number]

    def _labels(self):
        raise RuntimeError("[PKSampler] source, got CocoDataset, expected a dataset of labelled images")

    def _made(self, item):
        name, found = item
        if self._task == "Panoptic":
            found = [segment for one in found for segment in one["segments_info"]]
        try:
            values = getattr(self, "_" + self._task.lower())(found)
        except (KeyError, TypeError, ValueError) as error:
            raise RowError("[CocoDataset] annotations of %s, got %r, expected those of the task %s" % (name, error, self._task)) from None
        values["image"] = self._image(os.path.join(self._dir, name))
        values["_meta-filename"] = text(os.path.splitext(name)[0])
        return [values[column] for column in self._columns]

    @staticmethod
    def _column(found, name, dtype, default=None):
        return np.array([[one[name] if default is None else one.get(name, default)] for one in found], dtype)

    def _detection(self, found):
        return {"bbox": np.array([one["bbox"] for one in found], np.float32), "category_id": self._column(found, "category_id", np.uint32),
                "iscrowd": self._column(found, "iscrowd", np.uint32, 0)}

    def _panoptic(self, found):
        return dict(self._detection(found), area=self._column(found, "area", np.uint32))

    def _stuff(self, found):
        outlines = []
        for one in found:
            outline = one["segmentation"]
            if isinstance(outline, dict):  # counts of a crowd
                outlines.append([float(n) for n in outline["counts"]])
            else:
                outlines += [[float(n) for n in part] for part in outline]
        width = max(len(part) for part in outlines)
        padded = [part + [-1.0] * (width - len(part)) for part in outlines]
        return {"segmentation": np.array(padded, np.float32), "iscrowd": self._column(found, "iscrowd", np.uint32, 0)}

    def _keypoint(self, found):
        return {"keypoints": np.array([one["keypoints"] for one in found], np.float32),
                "num_keypoints": self._column(found, "num_keypoints", np.uint32)}

    def _captioning(self, found):
        return {"captions": np.array([[one["caption"]] for one in found])}


class VOCDataset(Listed):
    """Reads PASCAL VOC: columns image and target (Segmentation), or image, bbox, label, difficult and truncate
    (Detection).

    For Detection the columns after image have a row for each object.
    """

    def __init__(self, dataset_dir, task="Segmentation", usage="train", class_indexing=None, num_samples=None, num_parallel_workers=None,
                 shuffle=None, decode=False, sampler=None, num_shards=None, shard_id=None, cache=None, extra_metadata=False, decrypt=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        self._task = one_of(task, "task", ("Segmentation", "Detection"), self._where)
        if not isinstance(usage, str):
            raise TypeError("[VOCDataset] usage, got %s, expected a str" % type(usage).__name__)
        if class_indexing is not None and (self._task == "Segmentation" or not isinstance(class_indexing, dict)):
            raise ValueError("[VOCDataset] class_indexing, got %r, expected a dict, of the task 'Detection' alone" % (class_indexing,))
        if decrypt is not None:
            raise NotImplementedError("[VOCDataset] keyword decrypt, got %r, expected it left out" % (decrypt,))
        listed = os.path.join(self._dir, "ImageSets", "Main" if self._task == "Detection" else "Segmentation", usage + ".txt")
        if not os.path.isfile(listed):
            raise ValueError("[VOCDataset] usage, got %r, expected that of a list that is there, not %s" % (usage, listed))
        self._usage, self._indexing, self._objects = usage, class_indexing, {}
        columns = ("image", "target") if self._task == "Segmentation" else ("image", "bbox", "label", "difficult", "truncate")
        self._columns = _metadata(extra_metadata, columns)

    def _labels(self):
        raise RuntimeError("[PKSampler] source, got VOCDataset, expected a dataset of labelled images")

    def _list(self):
        names = [line.split()[0] for line in self._lines("ImageSets", "Main" if self._task == "Detection" else "Segmentation",
                                                         self._usage + ".txt")]
        for name in names:
            if self._task == "Segmentation" or any(one[0] in self.get_class_indexing() for one in self._annotation(name)):
                yield name

    def get_class_indexing(self):
        """Returns a dict from class name to number. As in MindSpore, raises NotImplementedError for the task 'Segmentation'."""
        if self._task != "Detection":
            raise NotImplementedError("[VOCDataset] task, got %r, expected 'Detection'" % (self._task,))
        if self._indexing is None:
            listed = self._lines("ImageSets", "Main", self._usage + ".txt")
            names = {one[0] for line in listed for one in self._annotation(line.split()[0])}
            self._indexing = {name: i for i, name in enumerate(sorted(names))}
        return dict(self._indexing or {})

    def _annotation(self, name):
        """(class, box, difficult, truncated) of each object of an image."""
        if name not in self._objects:
            path = self._path("Annotations", name + ".xml")
            try:
                with open(path, "rb") as file:
                    data = file.read()
                if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
                    raise ValueError("a document type")
                self._objects[name] = [self._object(one) for one in xml.etree.ElementTree.fromstring(data).iter("object")]
            except (ValueError, AttributeError, TypeError, xml.etree.ElementTree.ParseError) as error:
                raise RuntimeError("[VOCDataset] file, got %s (%s), expected the XML of an annotation" % (path, error)) from None
        return self._objects[name]

    @staticmethod
    def _object(one):
        box = one.find("bndbox")
        left, top, right, bottom = (float(box.find(edge).text) for edge in ("xmin", "ymin", "xmax", "ymax"))
        flags = [one.find(flag) for flag in ("difficult", "truncated")]
        return (one.find("name").text, [left, top, right - left, bottom - top]) + tuple(
            0 if flag is None else int(flag.text) for flag in flags)

    def _made(self, name):
        values = {"image": self._image(self._path("JPEGImages", name + ".jpg")), "_meta-filename": text(name)}
        if self._task == "Segmentation":
            values["target"] = self._image(self._path("SegmentationClass", name + ".png"))
        else:
            indexing = self.get_class_indexing()
            found = [one for one in self._annotation(name) if one[0] in indexing]
            values["bbox"] = np.array([one[1] for one in found], np.float32)
            for column, numbers in (("label", [indexing[one[0]] for one in found]), ("difficult", [one[2] for one in found]),
                                    ("truncate", [one[3] for one in found])):
                values[column] = np.array(numbers, np.uint32)[:, None]
        return [values[column] for column in self._columns]


class KITTIDataset(Listed):
    """Reads KITTI: columns image, label, truncated, occluded, alpha, bbox, dimensions, location, rotation_y.

    The columns after image have a row for each object; usage 'test' has only image.
    """

    _numbers = (("label", 0, 1, np.uint32), ("truncated", 1, 2, np.float32), ("occluded", 2, 3, np.uint32), ("alpha", 3, 4, np.float32),
                ("bbox", 4, 8, np.float32), ("dimensions", 8, 11, np.float32), ("location", 11, 14, np.float32),
                ("rotation_y", 14, 15, np.float32))
    _kinds = None

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        self._usage = one_of(usage, "usage", ("train", "test"), self._where, "train")
        self._columns = ("image",) + (tuple(row[0] for row in self._numbers) if self._usage == "train" else ())

    def _labels(self):
        raise RuntimeError("[PKSampler] source, got KITTIDataset, expected a dataset of labelled images")

    def _list(self):
        return below(self._path("data_object_image_2", "training" if self._usage == "train" else "testing", "image_2"))

    def _classes(self):
        """The classes of all objects, sorted."""
        if self._kinds is None:
            names = [os.path.splitext(os.path.basename(path))[0] + ".txt" for path in self._items()]
            self._kinds = sorted({line.split()[0] for name in names for line in self._lines("data_object_label_2", "training", "label_2", name)})
        return self._kinds

    def _made(self, path):
        if self._usage == "test":
            return (self._image(path),)
        name = os.path.splitext(os.path.basename(path))[0] + ".txt"
        lines = self._lines("data_object_label_2", "training", "label_2", name)
        try:
            rows = np.array([[self._classes().index(f[0])] + [float(v) for v in f[1:15]] for f in (line.split() for line in lines)])
            values = [rows[:, low:high].astype(dtype) for _, low, high, dtype in self._numbers]
        except (ValueError, IndexError) as error:
            raise RowError("[KITTIDataset] file, got %s (%s), expected a class and 14 numbers in each line" % (name, error)) from None
        return [self._image(path)] + values


class WIDERFaceDataset(Listed):
    """Reads WIDER FACE: columns image, bbox, blur, expression, illumination, occlusion, pose, invalid.

    The columns after image are uint32 with a row for each face; usage 'test' has only image.
    """

    _names = ("bbox", "blur", "expression", "illumination", "occlusion", "pose", "invalid")
    _order = (("bbox", slice(0, 4)), ("blur", 4), ("expression", 5), ("illumination", 6), ("occlusion", 8), ("pose", 9), ("invalid", 7))

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        self._usage = usage_of(usage, self._where, ("train", "test", "valid", "all"))
        self._columns = ("image",) if self._usage == "test" else ("image",) + self._names

    def _labels(self):
        raise RuntimeError("[PKSampler] source, got WIDERFaceDataset, expected a dataset of labelled images")

    def _list(self):
        if self._usage == "test":
            for name in self._lines("wider_face_split", "wider_face_test_filelist.txt"):
                yield os.path.join(self._dir, "WIDER_test", "images", name.strip()), ()
            return
        for usage, name in (("train", "train"), ("valid", "val")):
            if self._usage in (usage, "all"):
                lines = iter(self._lines("wider_face_split", "wider_face_%s_bbx_gt.txt" % name))
                for path in lines:
                    count = int(next(lines, 0))
                    faces = [[int(n) for n in next(lines, "").split()] for _ in range(max(count, 1))]  # an image without faces has a line of zeros
                    if any(len(face) != 10 for face in faces):
                        raise RuntimeError("[WIDERFaceDataset] faces of %s, got %s, expected ten numbers for each" % (path, faces))
                    yield os.path.join(self._dir, "WIDER_" + name, "images", path.strip()), faces

    def _made(self, item):
        path, faces = item
        if self._usage == "test":
            return (self._image(path),)
        rows = np.array(faces, np.int64)
        return [self._image(path)] + [(rows[:, at] if isinstance(at, slice) else rows[:, at:at + 1]).astype(np.uint32)
                                      for _, at in self._order]


class CityscapesDataset(Listed):
    """Reads Cityscapes: columns image and task, which is another image (instance, semantic, color) or JSON text
    (polygon).

    The folders are leftImg8bit, and gtFine or gtCoarse.
    """

    _columns = ("image", "task")
    _ends = {"instance": "instanceIds.png", "semantic": "labelIds.png", "polygon": "polygons.json", "color": "color.png"}

    def __init__(self, dataset_dir, usage="train", quality_mode="fine", task="instance", num_samples=None, num_parallel_workers=None,
                 shuffle=None, decode=None, sampler=None, num_shards=None, shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        self._task = one_of(task, "task", tuple(self._ends), self._where)
        quality = one_of(quality_mode, "quality_mode", ("fine", "coarse"), self._where)
        parts = ("train", "test", "val") if quality == "fine" else ("train", "train_extra", "val")
        self._usage = one_of(usage, "usage", parts + ("all",), self._where)
        self._parts, self._kind = parts, "gtFine" if quality == "fine" else "gtCoarse"

    def _list(self):
        for usage in self._parts if self._usage == "all" else (self._usage,):
            top = self._path("leftImg8bit", usage)
            for city in folders(top):
                for path in below(os.path.join(top, city), ("_leftimg8bit.png",)):
                    name = os.path.basename(path)[:-len("_leftImg8bit.png")]
                    yield path, os.path.join(self._dir, self._kind, usage, city, "%s_%s_%s" % (name, self._kind, self._ends[self._task]))

    def _made(self, item):
        if self._task != "polygon":
            return self._image(item[0]), self._image(item[1])
        with open(item[1], encoding="utf-8") as file:
            return self._image(item[0]), text(json.dumps(json.load(file), separators=(",", ":")))


class DIV2KDataset(Listed):
    """Reads DIV2K: columns hr_image and lr_image, an image and a smaller version made by `downgrade` with scale 2, 3, 4 or 8."""

    _columns = ("hr_image", "lr_image")
    _scales = {"bicubic": (2, 3, 4, 8), "unknown": (2, 3, 4), "mild": (4,), "difficult": (4,), "wild": (4,)}

    def __init__(self, dataset_dir, usage="train", downgrade="bicubic", scale=2, num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode=None, sampler=None, num_shards=None, shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        self._usage = one_of(usage, "usage", ("train", "valid", "all"), self._where)
        self._downgrade = one_of(downgrade, "downgrade", tuple(self._scales), self._where)
        if isinstance(scale, bool) or scale not in self._scales[downgrade]:
            raise ValueError("[DIV2KDataset] scale, got %r, expected one of %s for %r" % (scale, self._scales[downgrade], downgrade))
        self._scale = scale

    def _smaller(self, usage, name):
        top = "DIV2K_%s_LR_%s" % (usage, "x8" if self._scale == 8 else self._downgrade)
        if self._scale == 8 or len(self._scales[self._downgrade]) == 1:
            return self._path(top, "%sx%d%s.png" % (name, self._scale, "" if self._scale == 8 else self._downgrade[0]))
        return self._path(top, "X%d" % self._scale, "%sx%d.png" % (name, self._scale))

    def _list(self):
        for usage in ("train", "valid") if self._usage == "all" else (self._usage,):
            for path in below(self._path("DIV2K_%s_HR" % usage), (".png",)):
                yield path, self._smaller(usage, os.path.splitext(os.path.basename(path))[0])

    def _made(self, item):
        return self._image(item[0]), self._image(item[1])


class SBDataset(Listed):
    """Reads the Semantic Boundaries data set: columns image and task. It needs scipy.

    The task is the classes of the pixels (H, W) (Segmentation) or the boundaries of the 20 classes (20, H, W) (Boundaries).
    """

    _columns = ("image", "task")
    _lists = {"train": ("train.txt",), "val": ("val.txt",), "train_noval": ("train_noval.txt",), "all": ("train.txt", "val.txt")}

    def __init__(self, dataset_dir, task="Boundaries", usage="all", num_samples=None, num_parallel_workers=1, shuffle=None, decode=None,
                 sampler=None, num_shards=None, shard_id=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, None, decode)
        self._task = one_of(task, "task", ("Boundaries", "Segmentation"), self._where)
        self._usage = one_of(usage, "usage", tuple(self._lists), self._where)

    def _list(self):
        for listed in self._lists[self._usage]:
            for name in self._lines(listed):
                yield name.strip()

    def _made(self, name):
        image = self._image(self._path("img", name + ".jpg"))
        found = matlab(self._path("cls", name + ".mat"), self._where)["GTcls"]
        if self._task == "Segmentation":
            return image, np.asarray(found["Segmentation"].item(), np.uint8)
        boundaries = found["Boundaries"].item()
        dense = [one.toarray() if hasattr(one, "toarray") else np.asarray(one) for one in np.ravel(boundaries)]
        return image, np.stack(dense)


__all__ = [name for name in dict(globals()) if name.endswith("Dataset")]
