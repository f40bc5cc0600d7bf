"""Strategy files of MindSpore: how each Parameter of a network was divided over processes. Protobuf, or JSON by the suffix .json.

    message ParallelStrategyMap { uint32 current_stage = 1; repeated StrategyItem items = 2; repeated LayoutItem layouts = 3; }
    message StrategyItem { string node_name = 1; Strategys strategys = 2; }      message Strategys { uint32 stage = 1; ... }
    message LayoutItem { string param_name = 1; Layouts layouts = 2; }
    message Layouts { repeated Dims dev_matrix = 1, tensor_map = 2, param_split_shape = 3, indices_offset = 4;
                      int32 field = 5, opt_weight_shard_step = 6, opt_weight_shard_size = 7; }
"""
import json
import os

from ..absent import names as _absent_names
from ..checkpoint_file import BadFile, _Bytes, _field, _text, _varint

_LISTS = {1: "dev_matrix", 2: "tensor_map", 3: "param_split_shape", 4: "indices_offset"}
_NUMBERS = {5: "field", 6: "opt_weight_shard_step", 7: "opt_weight_shard_size"}


class Dims:
    """Numbers of a layout; `dim` is the list."""

    def __init__(self, dim=()):
        self.dim = list(dim)

    def __repr__(self):
        return "Dims(%r)" % (self.dim,)


class ParallelLayouts:
    """How a Parameter is divided. Each list has one Dims; tensor_map has one for each axis if axes are divided over several axes of devices.

    dev_matrix: the sizes of the axes of devices. tensor_map: for each axis of the Parameter the axis of devices, counted from the last,
    over which it is divided, or -1. The optimizer's fields divide the first axis once more.
    """

    def __init__(self):
        self.field = self.opt_weight_shard_step = self.opt_weight_shard_size = 0
        for name in _LISTS.values():
            setattr(self, name, [])

    def __repr__(self):
        return "ParallelLayouts(%s)" % ", ".join("%s=%r" % item for item in sorted(vars(self).items()))


def _signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def _message(value, what):
    if not isinstance(value, memoryview):
        raise BadFile("%s is a number" % what)
    return _Bytes(value).fields()


def _dims(value):
    found = []
    for number, item in _message(value, "a list of sizes"):
        if number != 1:
            continue
        if isinstance(item, int):
            found.append(_signed(item))
        else:
            packed = _Bytes(item)
            while packed.at < len(item):
                found.append(_signed(packed.varint()))
    return Dims(found)


def _layouts(value):
    layouts = ParallelLayouts()
    for number, item in _message(value, "a layout"):
        if number in _LISTS:
            getattr(layouts, _LISTS[number]).append(_dims(item))
        elif number in _NUMBERS and isinstance(item, int):
            setattr(layouts, _NUMBERS[number], _signed(item))
    return layouts


def _named(value, read):
    """(name, read(message)) of an item that has a name and a message."""
    name = content = None
    for number, item in _message(value, "an item"):
        if number == 1:
            name = _text(item, "name")
        elif number == 2:
            content = read(item)
    if name is None or content is None:
        raise BadFile("an item has no name or no content")
    return name, content


def _stage(value):
    return next((item for number, item in _message(value, "a strategy") if number == 1 and isinstance(item, int)), 0)


class Strategies:
    """The contents of a file: layouts by name, and the stage of the pipeline that the first operator belongs to."""

    def __init__(self, layouts, stage):
        self.layouts, self.stage = layouts, stage


def _from_protobuf(data):
    layouts, stage = {}, None
    for number, item in _Bytes(memoryview(data)).fields():
        if number == 2 and stage is None:
            stage = _named(item, _stage)[1]
        elif number == 3:
            name, found = _named(item, _layouts)
            layouts[name] = found
    return Strategies(layouts, stage)


def _from_json(data):
    content = json.loads(data.decode("utf-8"))
    layouts = {}
    for name, item in content.get("parallel_layout_item", {}).items():
        layouts[name] = found = ParallelLayouts()
        for key in _LISTS.values():
            value = item.get(key, [])
            nested = key == "tensor_map" and any(isinstance(v, list) for v in value)
            setattr(found, key, [Dims(v if isinstance(v, list) else [v]) for v in value] if nested else [Dims(value)])
        for key in _NUMBERS.values():
            setattr(found, key, int(item.get(key, 0)))
    items = list(content.get("parallel_strategy_item", {}).values())
    return Strategies(layouts, items[0].get("stage", 0) if items else None)


def file_bytes(where, name):
    """The bytes of a strategy file; TypeError for a name that is no text, ValueError for a file that does not exist or is empty."""
    if not isinstance(name, str):
        raise TypeError("[%s] strategy file, got %s, expected str" % (where, type(name).__name__))
    if not os.path.isfile(name) or not os.path.getsize(name):
        raise ValueError("[%s] strategy file, got %r, expected a file that is not empty" % (where, name))
    with open(name, "rb") as file:
        return file.read()


def read(where, name):
    """The Strategies of a file; ValueError if it has neither of the two formats."""
    data = file_bytes(where, name)
    try:
        return _from_json(data) if name.endswith(".json") else _from_protobuf(data)
    except (BadFile, ValueError, AttributeError, TypeError) as error:
        raise ValueError("[%s] strategy file, got %s: %s, expected one of MindSpore, in protobuf or named .json"
                         % (where, name, error)) from None


# -- one file of several ----------------------------------------------------------------------------------------------------

def _merged_protobuf(files):
    """The bytes of a file that joins several (bytes, Strategies). The names of layouts get the number of their stage as a prefix."""
    items, layouts = [], []
    for data, strategies in files:
        for number, item in _Bytes(memoryview(data)).fields():
            if number == 2:
                items.append(_field(2, bytes(item)))
            elif number == 3:
                name, content = _named(item, bytes)
                tag = ("%d-%s" % (strategies.stage, name)).encode("utf-8")
                layouts.append(_field(3, _field(1, tag) + _field(2, content)))
    return b"\x08" + _varint(1) + b"".join(items + layouts)


def _merged_json(files):
    merged = {"current_stage": 1, "parallel_strategy_item": {}, "parallel_layout_item": {}}
    for data, strategies in files:
        content = json.loads(data.decode("utf-8"))
        merged["parallel_strategy_item"].update(content["parallel_strategy_item"])
        merged["parallel_layout_item"].update(("%d-%s" % (strategies.stage, name), item)
                                              for name, item in content["parallel_layout_item"].items())
    return json.dumps(merged).encode("utf-8")


def merge_pipeline_strategys(src_strategy_dirs, dst_strategy_file):
    """Writes the strategy files of all stages of a pipeline, which lie in one folder, as one file.

    If a stage has several files, the first one counts. Raises NotADirectoryError if src_strategy_dirs is no folder, ValueError
    if it has files of both formats, or files without layouts.
    """
    where = "merge_pipeline_strategys"
    if not os.path.isdir(src_strategy_dirs):
        raise NotADirectoryError("[%s] src_strategy_dirs, got %r, expected a folder" % (where, src_strategy_dirs))
    paths = [os.path.join(src_strategy_dirs, name) for name in sorted(os.listdir(src_strategy_dirs))
             if name.endswith((".ckpt", ".json"))]
    as_json = [path.endswith(".json") for path in paths]
    if any(as_json) != all(as_json):
        raise ValueError("[%s] files, got .ckpt and .json, expected all of one form" % where)
    files, stages = [], set()
    for path in paths:
        strategies = read(where, path)
        if strategies.stage is None or not strategies.layouts:
            raise ValueError("[%s] strategy file, got %s without strategies, expected some" % (where, path))
        if strategies.stage not in stages:
            stages.add(strategies.stage)
            files.append((file_bytes(where, path), strategies))
    merged = _merged_json(files) if paths and all(as_json) else _merged_protobuf(files)
    target = os.path.abspath(dst_strategy_file)
    os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
    with open(target, "wb") as file:
        file.write(merged)


def build_searched_strategy(strategy_filename):
    """{name of a Parameter: its layout} of a strategy file; None for None.

    Raises TypeError for a name that is no text, ValueError for a file that does not exist, is empty or is no strategy file.
    """
    return None if strategy_filename is None else read("build_searched_strategy", strategy_filename).layouts


globals().update(_absent_names(__name__, "ParallelStrategyMap", "files of strategies are read here, and not written"))


def restore_group_info_list(group_info_file_name):
    """The ranks that have the same Parameters, read from a file of groups (GROUP_INFO_FILE).

    Raises TypeError for a name that is no text, ValueError for a file without such a list.
    """
    where = "restore_group_info_list"
    data = file_bytes(where, group_info_file_name)
    try:
        found = [_dims(item).dim for number, item in _Bytes(memoryview(data)).fields() if number == 2]
    except BadFile as error:
        raise ValueError("[%s] file, got %s: %s, expected a file of groups" % (where, group_info_file_name, error)) from None
    if not found or not found[-1]:
        raise ValueError("[%s] file, got %s without ranks to restore, expected some" % (where, group_info_file_name))
    return found[-1]
