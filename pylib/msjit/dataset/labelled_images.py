"""Datasets of images with labels or captions, in the folder layouts of their authors."""
import json
import os

import numpy as np

from .images import usage_of
from .listed import Listed, below, folders, matlab, one_of, text


def _label(number):
    return np.array(number, np.uint32)


class CelebADataset(Listed):
    """Reads CelebA: columns image and attr (uint32, 1 for each attribute that the face has).

    It reads list_attr_celeba.txt and the images beside it.
    """

    _columns = ("image", "attr")
    _parts = {"all": None, "train": "0", "valid": "1", "test": "2"}

    def __init__(self, dataset_dir, num_parallel_workers=None, shuffle=None, usage="all", sampler=None, decode=False, extensions=None,
                 num_samples=None, num_shards=None, shard_id=None, cache=None, decrypt=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        self._usage = one_of(usage, "usage", tuple(self._parts), self._where)
        if decrypt is not None and not callable(decrypt):
            raise TypeError("[CelebADataset] decrypt, got %s, expected a function" % type(decrypt).__name__)
        if extensions is not None and not isinstance(extensions, list):
            raise TypeError("[CelebADataset] extensions, got %s, expected a list of texts" % type(extensions).__name__)
        self._extensions, self._decrypt = extensions, decrypt

    def _list(self):
        lines = self._lines("list_attr_celeba.txt")
        if len(lines) < 2:
            raise RuntimeError("[CelebADataset] list_attr_celeba.txt, got %d lines, expected two heads and one line for each image" % len(lines))
        wanted = None
        if self._usage != "all":
            part = self._parts[self._usage]
            wanted = {line.split()[0] for line in self._lines("list_eval_partition.txt") if line.split()[1] == part}
        for line in lines[2:]:
            name, attributes = line.split()[0], line.split()[1:]
            if wanted is not None and name not in wanted:
                continue
            if self._extensions is None or os.path.splitext(name)[1] in self._extensions:
                yield os.path.join(self._dir, name), np.array([value == "1" for value in attributes], np.uint32)

    def _made(self, item):
        if self._decrypt is None:
            return self._image(item[0]), item[1]
        data = np.frombuffer(self._decrypt(item[0]), np.uint8)
        if not self._decode:
            return data, item[1]
        from .vision.values import decoded
        return np.array(decoded(data, self._where)), item[1]


class Caltech101Dataset(Listed):
    """Reads Caltech 101: columns image and category (int64), annotation (the points of the outline), or both.

    Annotations need scipy.
    """

    _kinds = {"category": ("image", "category"), "annotation": ("image", "annotation"), "all": ("image", "category", "annotation")}
    # The folders of annotations whose names differ from those of the images.
    _named = {"Faces": "Faces_2", "Faces_easy": "Faces_3", "Motorbikes": "Motorbikes_16", "airplanes": "Airplanes_Side_2"}

    def __init__(self, dataset_dir, target_type=None, num_samples=None, num_parallel_workers=1, shuffle=None, decode=False, sampler=None,
                 num_shards=None, shard_id=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, None, decode)
        self._kind = one_of(target_type, "target_type", tuple(self._kinds), self._where, "category")
        self._columns = self._kinds[self._kind]

    def get_class_indexing(self):
        """Returns a dict from category name to number."""
        names = [name for name in folders(self._path("101_ObjectCategories")) if name != "BACKGROUND_Google"]
        return {name: i for i, name in enumerate(names)}

    def num_classes(self):
        """Returns the number of categories."""
        return len(self.get_class_indexing())

    def _list(self):
        for name, label in self.get_class_indexing().items():
            for path in below(os.path.join(self._dir, "101_ObjectCategories", name)):
                number = os.path.splitext(os.path.basename(path))[0].split("_")[-1]
                yield path, label, os.path.join("Annotations", self._named.get(name, name), "annotation_%s.mat" % number)

    def _made(self, item):
        values = {"image": self._image(item[0]), "category": np.array(item[1], np.int64)}
        if "annotation" in self._columns:
            values["annotation"] = np.asarray(matlab(self._path(item[2]), self._where)["obj_contour"])
        return [values[name] for name in self._columns]


class Food101Dataset(Listed):
    """Reads Food 101, by meta/train.txt, meta/test.txt and the folder images: columns image and label (the name of the dish)."""

    _columns = ("image", "label")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        self._usage = usage_of(usage, self._where)

    def _list(self):
        for name in [n for usage in ("train", "test") if self._usage in (usage, "all") for n in self._lines("meta", usage + ".txt")]:
            yield os.path.join(self._dir, "images", name + ".jpg"), name.split("/")[0]

    def _made(self, item):
        return self._image(item[0]), text(item[1])


class Places365Dataset(Listed):
    """Reads Places365, the list of a usage and its folder of small or large images: columns image and label (uint32)."""

    _columns = ("image", "label")
    _usages = {"train-standard": ("places365_train_standard.txt", "data_%s_standard"),
               "train-challenge": ("places365_train_challenge.txt", "data_%s_challenge"), "val": ("places365_val.txt", "val_%s")}

    def __init__(self, dataset_dir, usage=None, small=True, decode=False, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        self._usage = one_of(usage, "usage", tuple(self._usages), self._where, "train-standard")
        if not isinstance(small, bool):
            raise TypeError("[Places365Dataset] small, got %s, expected a bool" % type(small).__name__)
        self._kind = "256" if small else "large"

    def _list(self):
        listed, top = self._usages[self._usage]
        for line in self._lines(listed):
            name, label = line.rsplit(None, 1)
            yield os.path.join(self._dir, top % self._kind, name.lstrip("/")), int(label)

    def _made(self, item):
        return self._image(item[0]), _label(item[1])


class SBUDataset(Listed):
    """Reads the SBU captioned photographs: columns image and caption.

    It reads the two lists, and those images that exist in sbu_images.
    """

    _columns = ("image", "caption")

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)

    def _list(self):
        addresses, captions = self._lines("SBU_captioned_photo_dataset_urls.txt"), self._lines("SBU_captioned_photo_dataset_captions.txt")
        if len(addresses) != len(captions):
            raise RuntimeError("[SBUDataset] captions, got %d, expected %d, one for each address" % (len(captions), len(addresses)))
        for address, caption in zip(addresses, captions):
            path = os.path.join(self._dir, "sbu_images", "_".join(["m"] + address.strip().split("//")[-1].split("/")[1:]))
            if os.path.isfile(path):
                yield path, caption.strip()

    def _made(self, item):
        return self._image(item[0]), text(item[1])


class FlickrDataset(Listed):
    """Reads Flickr8k or Flickr30k: columns image and annotation (the captions of the image).

    It reads a folder of images and a file of captions "NAME#NUMBER<tab>CAPTION".
    """

    _columns = ("image", "annotation")

    def __init__(self, dataset_dir, annotation_file, num_samples=None, num_parallel_workers=None, shuffle=None, decode=None, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        if not isinstance(annotation_file, str):
            raise TypeError("[FlickrDataset] annotation_file, got %s, expected a str" % type(annotation_file).__name__)
        if not os.path.isfile(annotation_file):
            raise ValueError("[FlickrDataset] annotation_file, got %s, expected a file that is there" % (annotation_file,))
        self._captions = os.path.abspath(annotation_file)

    def _list(self):
        found = {}
        for line in self._lines(self._captions):
            name, _, caption = line.partition("\t")
            name = name.rpartition("#")[0]
            if os.path.splitext(name)[1].lower() in (".jpg", ".jpeg", ".png"):
                found.setdefault(name, []).append(caption)
        for name in sorted(found):
            yield os.path.join(self._dir, name), found[name]

    def _made(self, item):
        return self._image(item[0]), np.array(item[1])


class Flowers102Dataset(Listed):
    """Reads Flowers 102: columns image and label (uint32), and segmentation for the task 'Segmentation'. It needs scipy."""

    _parts = {"train": ("trnid",), "valid": ("valid",), "test": ("tstid",), "all": ("trnid", "tstid", "valid")}

    def __init__(self, dataset_dir, task="Classification", usage="all", num_samples=None, num_parallel_workers=1, shuffle=None,
                 decode=False, sampler=None, num_shards=None, shard_id=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, None, decode)
        task = one_of(task, "task", ("Classification", "Segmentation"), self._where)
        self._usage = one_of(usage, "usage", tuple(self._parts), self._where)
        self._columns = ("image", "label") if task == "Classification" else ("image", "segmentation", "label")

    def _list(self):
        labels = np.atleast_1d(matlab(self._path("imagelabels.mat"), self._where)["labels"])
        parts = matlab(self._path("setid.mat"), self._where)
        for part in self._parts[self._usage]:
            for number in np.atleast_1d(parts[part]):
                yield int(number), int(labels[number - 1]) - 1

    def num_classes(self):
        """Returns the number of kinds of flowers."""
        return 102

    def _made(self, item):
        number, label = item
        values = {"image": self._image(self._path("jpg", "image_%05d.jpg" % number)), "label": _label(label)}
        if "segmentation" in self._columns:
            values["segmentation"] = self._image(self._path("segmim", "segmim_%05d.jpg" % number))
        return [values[name] for name in self._columns]


class LFWDataset(Listed):
    """Reads Labeled Faces in the Wild: columns image and label (people), or image1, image2 and label (pairs).

    Labels are uint32; for pairs 1 means two images of the same person.
    """

    _folders = {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}
    _ends = {"10fold": ("",), "train": ("DevTrain",), "test": ("DevTest",), "all": ("DevTrain", "DevTest")}
    _label_place = -1

    def __init__(self, dataset_dir, task=None, usage=None, image_set=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 decode=False, sampler=None, num_shards=None, shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        self._task = one_of(task, "task", ("people", "pairs"), self._where, "people")
        self._usage = one_of(usage, "usage", tuple(self._ends), self._where, "all")
        self._top = self._folders[one_of(image_set, "image_set", tuple(self._folders), self._where, "funneled")]
        self._columns = ("image", "label") if self._task == "people" else ("image1", "image2", "label")

    def _photo(self, name, number):
        return os.path.join(self._dir, self._top, name, "%s_%04d.jpg" % (name, int(number)))

    def get_class_indexing(self):
        """Returns the number of each person by name, for the task 'people'."""
        if self._task != "people":
            return {}
        return {line.split()[0]: i for i, line in enumerate(self._lines("lfw-names.txt"))}

    def _list(self):
        people = self.get_class_indexing()
        for end in self._ends[self._usage]:
            for fields in [line.split() for line in self._lines("%s%s.txt" % (self._task, end))]:
                if self._task == "people" and len(fields) == 2:
                    for number in range(1, int(fields[1]) + 1):
                        yield self._photo(fields[0], number), people[fields[0]]
                elif self._task == "pairs" and len(fields) == 3:
                    yield self._photo(fields[0], fields[1]), self._photo(fields[0], fields[2]), 1
                elif self._task == "pairs" and len(fields) == 4:
                    yield self._photo(fields[0], fields[1]), self._photo(fields[2], fields[3]), 0

    def _made(self, item):
        return [self._image(path) for path in item[:-1]] + [_label(item[-1])]


class ManifestDataset(Listed):
    """Reads a manifest, a file of JSON lines: columns image and label (int32).

    Each line has "source", "usage" and an "annotation" with "name".
    """

    _columns = ("image", "label")

    def __init__(self, dataset_file, usage="train", num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 class_indexing=None, decode=False, num_shards=None, shard_id=None, cache=None):
        self._where = "ManifestDataset"
        if not isinstance(dataset_file, str):
            raise TypeError("[ManifestDataset] dataset_file, got %s, expected a str" % type(dataset_file).__name__)
        if not os.path.isfile(dataset_file):
            raise ValueError("[ManifestDataset] dataset_file, got %s, expected a file that is there" % (dataset_file,))
        self._dir, self._file = os.path.dirname(os.path.abspath(dataset_file)), os.path.abspath(dataset_file)
        self._usage = one_of(usage, "usage", ("train", "eval", "inference"), self._where)
        self._options(num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)
        if class_indexing is not None and not isinstance(class_indexing, dict):
            raise TypeError("[ManifestDataset] class_indexing, got %s, expected a dict" % type(class_indexing).__name__)
        self._given, self._indexing = class_indexing, None

    def get_class_indexing(self):
        """Returns a dict from class name to number."""
        if self._indexing is None:
            names = sorted({name for _, found in self._entries() for name in found})
            self._indexing = dict(self._given) if self._given is not None else {name: i for i, name in enumerate(names)}
        return self._indexing

    def num_classes(self):
        """Returns the number of classes."""
        return len(self.get_class_indexing())

    def _entries(self):
        """(source, names of the classes) of each line of the usage."""
        for number, line in enumerate(self._lines(self._file)):
            try:
                entry = json.loads(line)
                source, usage = entry["source"], entry.get("usage", "")
                names = [item["name"] for item in entry.get("annotation", ()) if "name" in item]
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise RuntimeError("[ManifestDataset] line %d of %s, got no entry of a manifest (%r), expected JSON with 'source'"
                                   % (number + 1, self._file, error)) from None
            if usage.lower() == self._usage:
                yield source, names

    def _list(self):
        indexing = self.get_class_indexing()
        for source, names in self._entries():
            known = [indexing[name] for name in names if name in indexing]
            if known:
                yield source, known

    def _labels(self):
        return [labels[0] for _, labels in self._items()]

    def _made(self, item):
        path, labels = item
        return self._image(path), np.array(labels[0] if len(labels) == 1 else labels, np.int32)


__all__ = [name for name in dict(globals()) if name.endswith("Dataset")]
