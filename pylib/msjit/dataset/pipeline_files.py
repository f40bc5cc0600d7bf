"""Pipelines as JSON in MindSpore's format: serialize, deserialize, show and compare.

A node is {"op_type": name, "children": [nodes], ...}; the attributes of a step have MindSpore's names. Functions of the program, and data
in its memory, cannot be written.
"""
import json

from . import batches, core, files, images, joining, modes, samplers, sources, steps
from .config import get_num_parallel_workers, get_prefetch_size
from .transforms import transforms as _data
from .vision import utils as _utils

# The members of the enumerations in the order of MindSpore's numbers.
_INTERS = [_utils.Inter.BILINEAR, _utils.Inter.NEAREST, _utils.Inter.BICUBIC, _utils.Inter.AREA, _utils.Inter.PILCUBIC]
_BORDERS = [_utils.Border.CONSTANT, _utils.Border.EDGE, _utils.Border.REFLECT, _utils.Border.SYMMETRIC]
_MODES = [modes.Shuffle.FALSE, modes.Shuffle.FILES, modes.Shuffle.GLOBAL]
_ENUMS = {"interpolation": _INTERS, "resample": _INTERS, "padding_mode": _BORDERS}

# The attributes of transforms that are written; "name=other" is MindSpore's name and that of the attribute here.
_OPERATIONS = {
    "Decode": "", "Resize": "interpolation size", "CenterCrop": "size", "RandomHorizontalFlip": "prob", "RandomVerticalFlip": "prob",
    "RandomCrop": "fill_value pad_if_needed padding padding_mode size", "Normalize": "is_hwc mean std", "Rescale": "rescale shift", "HwcToChw": "",
    "RandomResizedCrop": "interpolation max_attempts ratio scale size", "RandomCropDecodeResize": "interpolation max_attempts ratio scale size",
    "RandomRotation": "center degrees expand fill_value resample", "Rotate": "center degree=degrees expand fill_value resample",
    "RandomColorAdjust": "brightness contrast hue saturation", "Pad": "fill_value padding padding_mode", "HorizontalFlip": "", "VerticalFlip": "",
    "Invert": "", "Equalize": "", "CutOut": "is_hwc length num_patches", "AutoContrast": "cutoff ignore", "ToTensor": "output_type",
    "OneHot": "num_classes smoothing_rate", "TypeCast": "data_type", "Duplicate": "", "Unique": "",
}
# Further attributes that MindSpore needs for reading.
_ON_DEVICE = dict.fromkeys("Decode Resize Normalize Rotate Pad HorizontalFlip VerticalFlip Invert Equalize AutoContrast".split(), {"device_target": "CPU"})
_ON_DEVICE["Decode"] = {"device_target": "CPU", "rgb": True}
_HERE = {"HwcToChw": "HWC2CHW"}
_THERE = {here: there for there, here in _HERE.items()}
# The attributes of samplers that are written.
_SAMPLERS = {
    "SequentialSampler": "num_samples start_index", "RandomSampler": "num_samples replacement", "SubsetSampler": "indices num_samples",
    "DistributedSampler": "num_samples num_shards offset shard_id shuffle", "SubsetRandomSampler": "indices num_samples",
    "WeightedRandomSampler": "num_samples replacement weights", "PKSampler": "num_samples num_val shuffle",
}
_IMAGES = ("MnistDataset", "FashionMnistDataset", "KMnistDataset", "Cifar10Dataset", "Cifar100Dataset")


def _pairs(text):
    """[MindSpore's name, the name here] of each word."""
    return [(word.split("=") * 2)[:2] for word in text.split()]


def _cannot(where, what):
    raise NotImplementedError("[%s] %s, got one that has no form in files, expected steps without functions of the program, "
                              "and the sources and transforms of docs/from_mindspore.md" % (where, what))


# -- to JSON --------------------------------------------------------------------------------------------------------------

def _plain(name, value):
    """Converts a value to one that JSON has."""
    import numpy
    if name in _ENUMS and value in _ENUMS[name]:
        return _ENUMS[name].index(value)
    if value is None:
        return []
    if isinstance(value, (numpy.dtype, type)):
        return numpy.dtype(value).name
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    if isinstance(value, numpy.generic):
        return value.item()
    return [_plain(name, item) for item in value] if isinstance(value, (tuple, list)) else value


def _operation(operation):
    name = _THERE.get(type(operation).__name__, type(operation).__name__)
    module = type(operation).__module__
    if name not in _OPERATIONS or ".dataset.vision" not in module and ".dataset.transforms" not in module:
        _cannot("serialize", "transform %s" % name)
    found = {there: _plain(here, getattr(operation, here)) for there, here in _pairs(_OPERATIONS[name])}
    if name == "Resize" and isinstance(found["size"], int):
        found["size"] = [found["size"]]
    found.update(_ON_DEVICE.get(name, {}))
    return {"tensor_op_name": name, "tensor_op_params": found or None}


def _sampler(sampler):
    name = type(sampler).__name__
    if name not in _SAMPLERS or sampler.child_sampler is not None:
        _cannot("serialize", "sampler %s" % name)
    found = {there: _plain(here, getattr(sampler, here) or 0 if here == "num_samples" else getattr(sampler, here))
             for there, here in _pairs(_SAMPLERS[name])}
    if name == "RandomSampler":
        found.update(reshuffle_each_epoch=sampler.reshuffle_each_epoch, shuffle_mode=2)
    return dict(found, sampler_name=name)


def _renamed(step):
    before = [(a, b) for a, b in zip(step._source._columns, step._columns) if a != b]
    return {"op_type": "Rename", "input_columns": [a for a, _ in before], "output_columns": [b for _, b in before]}


def _batched(step):
    if step._change is not None or callable(step._batch_size):
        _cannot("serialize", "batch by a function")
    return {"op_type": "Batch", "batch_size": step._batch_size, "drop_remainder": step._drop, "input_columns": [], "output_columns": [],
            "num_parallel_workers": step._workers or 1}


def _mapped(step):
    return {"op_type": "Map", "callback": [], "input_columns": list(step._inputs), "output_columns": list(step._outputs),
            "num_parallel_workers": step._workers or 1, "operations": [_operation(operation) for operation in step._operations]}


def _sliced(step):
    if step._limit is None:
        return {"op_type": "Skip", "count": step._start}
    return {"op_type": "Take", "count": step._limit}


def _folder(source):
    if source._decrypt is not None:
        _cannot("serialize", "decrypt")
    return {"op_type": "ImageFolderDataset", "dataset_dir": source._dir, "decode": source._decode, "recursive": False,
            "extensions": list(source._extensions or ()), "class_indexing": dict(source._given_classes or {}),
            "num_parallel_workers": source._workers or 1, "sampler": _sampler(source._sampler)}


def _pictures(source):
    return {"op_type": type(source).__name__, "dataset_dir": source._dir, "usage": source._usage,
            "num_parallel_workers": get_num_parallel_workers(), "sampler": _sampler(source._sampler)}


def _lines(source):
    found = {"op_type": type(source).__name__, "dataset_files": list(source._paths), "num_samples": source._limit or 0,
             "num_shards": source._shards or 1, "shard_id": source._shard or 0, "shuffle": _MODES.index(source._mode),
             "num_parallel_workers": source._readers}
    if isinstance(source, files.CSVDataset):
        defaults = [{"type": {int: "int", float: "float", str: "string"}[type(v)], "value": v} for v in source._defaults or ()]
        found.update(field_delim=source._delim, column_defaults=defaults, column_names=list(source._columns) if source._has_names else [])
    return found


_WRITERS = [
    (steps.Map, _mapped), (batches.Batch, _batched), (steps.Rename, _renamed), (steps.Slice, _sliced),
    (steps.Shuffle, lambda step: {"op_type": "Shuffle", "buffer_size": step._buffer, "reset_each_epoch": step._reshuffle}),
    (steps.Repeat, lambda step: {"op_type": "Repeat", "count": step.get_repeat_count()}),
    (steps.Project, lambda step: {"op_type": "Project", "columns": list(step._columns)}),
    (joining.Zip, lambda step: {"op_type": "Zip"}), (joining.Concat, lambda step: {"op_type": "Concat"}),
    (images.ImageFolderDataset, _folder), (files.TextFileDataset, _lines), (files.CSVDataset, _lines),
    (sources.GeneratorDataset, lambda source: {"op_type": "GeneratorDataset", "num_parallel_workers": source._workers or 1}),
] + [(getattr(images, name), _pictures) for name in _IMAGES]


def _tree(dataset, seen):
    if id(dataset) in seen:
        raise ValueError("[serialize] dataset, got one that two steps read, expected a tree")
    seen.add(id(dataset))
    kind = type(dataset)
    write = next((write for base, write in _WRITERS if kind is base), None)
    if write is None and isinstance(dataset, sources.GeneratorDataset):
        write = _WRITERS[-1 - len(_IMAGES)][1]
    if write is None:
        _cannot("serialize", "step or dataset %s" % kind.__name__)
    found = dict(write(dataset), children=[_tree(child, seen) for child in dataset._children])
    if "num_parallel_workers" in found:
        found["connector_queue_size"] = get_prefetch_size()
    return found


def _checked(where, dataset):
    if not isinstance(dataset, core.Dataset):
        raise TypeError("[%s] dataset, got %s, expected Dataset" % (where, type(dataset).__name__))


def serialize(dataset, json_filepath=""):
    """Returns the pipeline as a dict in MindSpore's format, and writes it to a file if one is named.

    The data of a GeneratorDataset is not included. Raises TypeError for anything but a Dataset, and ValueError for a dataset that two
    steps read. Raises NotImplementedError for functions of the program, and for steps, sources and transforms that cannot be written.
    """
    _checked("serialize", dataset)
    found = _tree(dataset, set())
    if json_filepath:
        with open(json_filepath, "w") as file:
            json.dump(found, file, sort_keys=True)
    return found


def show(dataset, indentation=2):
    """Logs the form of the pipeline that serialize returns, at level INFO."""
    from ..log import info
    info(json.dumps(serialize(dataset), indent=indentation, sort_keys=True))


def compare(pipeline1, pipeline2):
    """Says whether serialize returns the same dict for two pipelines."""
    return serialize(pipeline1) == serialize(pipeline2)


# -- from JSON ------------------------------------------------------------------------------------------------------------

def _numbers(name, value):
    """Converts a JSON value to the value of an argument."""
    if name in _ENUMS:
        return _ENUMS[name][value]
    return tuple(value) if isinstance(value, list) and name not in ("mean", "std", "indices", "weights") else value


def _arguments(words, given, where):
    try:
        return {here: _numbers(here, given[there]) for there, here in _pairs(words)
                if not (given[there] == [] and here in ("center", "padding", "ignore"))}
    except (KeyError, IndexError, TypeError):
        raise ValueError("[deserialize] %s, got %r, expected the keys %s" % (where, given, words)) from None


def _made_operation(node):
    from . import vision
    name = node.get("tensor_op_name")
    if name not in _OPERATIONS:
        _cannot("deserialize", "transform %s" % name)
    given = _arguments(_OPERATIONS[name], node.get("tensor_op_params") or {}, name)
    if name == "Resize" and len(given["size"]) == 1:
        given["size"] = given["size"][0]
    if name in ("ToTensor", "TypeCast"):
        import numpy
        given = {key: numpy.dtype(value).type for key, value in given.items()}
    here = _HERE.get(name, name)
    return getattr(_data if hasattr(_data, here) and not hasattr(vision, here) else vision, here)(**given)


def _made_sampler(node):
    name = node.get("sampler_name")
    if name not in _SAMPLERS:
        _cannot("deserialize", "sampler %s" % name)
    given = _arguments(_SAMPLERS[name], node, name)
    given["num_samples"] = given["num_samples"] or None
    made = getattr(samplers, name)(**given)
    if name == "RandomSampler":
        made.reshuffle_each_epoch = node.get("reshuffle_each_epoch", True)
    return made


def _read_lines(kind, node):
    given = {"num_samples": node["num_samples"] or None, "shuffle": _MODES[node["shuffle"]], "num_parallel_workers": node["num_parallel_workers"]}
    if given["shuffle"] is modes.Shuffle.FALSE:
        given["shuffle"] = False
    if node["num_shards"] > 1:
        given.update(num_shards=node["num_shards"], shard_id=node["shard_id"])
    if kind is files.CSVDataset:
        kinds = {"int": int, "float": float, "string": str}
        given.update(field_delim=node["field_delim"], column_names=node["column_names"] or None,
                     column_defaults=[kinds[item["type"]](item["value"]) for item in node["column_defaults"]] or None)
    return kind(node["dataset_files"], **given)


def _read_folder(node):
    return images.ImageFolderDataset(node["dataset_dir"], num_parallel_workers=node["num_parallel_workers"], sampler=_made_sampler(node["sampler"]),
                                     extensions=node["extensions"] or None, class_indexing=node["class_indexing"] or None, decode=node["decode"])


def _read_step(kind, node, before):
    first = before[0] if before else None
    if kind == "Map":
        return first.map([_made_operation(item) for item in node["operations"]], node["input_columns"], node["output_columns"],
                         node["num_parallel_workers"])
    if kind == "Batch":
        return first.batch(node["batch_size"], node["drop_remainder"], node["num_parallel_workers"])
    if kind == "Shuffle":
        return steps.Shuffle(first, node["buffer_size"], node.get("reset_each_epoch", True))
    if kind == "Rename":
        return first.rename(node["input_columns"], node["output_columns"])
    if kind == "Project":
        return first.project(node["columns"])
    if kind in ("Repeat", "Skip", "Take"):
        return getattr(first, kind.lower())(node["count"])
    if kind == "Zip":
        return core.zip_datasets(tuple(before))
    return joining.Concat(before) if kind == "Concat" else _cannot("deserialize", "step %s" % kind)


def _read(node):
    kind = node["op_type"]
    before = [_read(child) for child in node.get("children", ())]
    if kind == "GeneratorDataset":
        _cannot("deserialize", "data of a GeneratorDataset")
    if kind == "ImageFolderDataset":
        return _read_folder(node)
    if kind in ("TextFileDataset", "CSVDataset"):
        return _read_lines(getattr(files, kind), node)
    if kind in _IMAGES:
        return getattr(images, kind)(node["dataset_dir"], node["usage"], sampler=_made_sampler(node["sampler"]))
    return _read_step(kind, node, before)


def deserialize(input_dict=None, json_filepath=None):
    """Makes a pipeline from a dict that serialize returned, or from a file that it wrote.

    Raises ValueError if neither or both are given, or if the format is not MindSpore's. Raises NotImplementedError for steps and transforms
    that cannot be read here, and for a GeneratorDataset, whose data is not in the dict.
    """
    if (input_dict is None) == (json_filepath is None):
        raise ValueError("[deserialize] input_dict and json_filepath, expected one of them")
    if json_filepath is not None:
        with open(json_filepath) as file:
            input_dict = json.load(file)
    if not isinstance(input_dict, dict):
        raise ValueError("[deserialize] pipeline, got %s, expected dict" % type(input_dict).__name__)
    try:
        return _read(input_dict)
    except (KeyError, IndexError) as error:
        raise ValueError("[deserialize] pipeline, got one without %s, expected MindSpore's form" % error) from None
