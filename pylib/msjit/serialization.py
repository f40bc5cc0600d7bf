"""Checkpoints: the Parameters of a network in MindSpore's .ckpt files, or in .safetensors files. Whole graphs: graph_export."""
import os
from collections import OrderedDict

from . import checkpoint_file, safetensors_file, sharded_checkpoint
from .common import dtype as mstype
from .common.parameter import Parameter
from .common.tensor import Tensor
from .graph_export import export, load  # noqa: F401 - MindSpore has them in this module

_FORMATS = ("ckpt", "safetensors")
_STEP = "global_step"  # of an optimizer, as MindSpore names it


# -- saving ---------------------------------------------------------------------------------------------------------------

def save_checkpoint(save_obj, ckpt_file_name, integrated_save=True, async_save=False, append_dict=None, enc_key=None,
                    enc_mode="AES-GCM", choice_func=None, crc_check=False, format="ckpt", **kwargs):
    """Writes a Cell, a dict, or a list of Parameters or of {"name", "data"} to a file.

    The suffix of the format is added if it is missing. The file gets its name only when it is complete, so a save
    that fails leaves an older file as it was. append_dict adds numbers, bools, texts and Tensors.

    If the state of an optimizer in the Cell is divided over processes, all processes call this. With integrated_save the first of those that give the
    same name writes one whole file; without, each writes its part, and the file of that name lists the parts.

    Raises TypeError for what cannot be saved, ValueError for a format other than "ckpt" and "safetensors" and for two equal names.

    >>> import os, tempfile
    >>> import msjit as ms
    >>> path = os.path.join(tempfile.mkdtemp(), "net")
    >>> ms.save_checkpoint(ms.nn.Dense(3, 2), path)
    >>> sorted(ms.load_checkpoint(path + ".ckpt"))
    ['bias', 'weight']
    """
    where = "save_checkpoint"
    _check_save_options(where, dict(kwargs, enc_key=enc_key), async_save, integrated_save, crc_check, choice_func)
    path, kind = _path(ckpt_file_name, format, where)
    values = OrderedDict()
    for name, value in _items(save_obj, where):
        if choice_func is not None and not choice_func(name):
            continue
        if name in values:
            raise ValueError("[%s] two parameters are named %r, expected different names" % (where, name))
        values[name] = value
    values.update(_appended(append_dict, where))
    shares = sharded_checkpoint.shares_of(save_obj, saved=True)
    if shares:
        sharded_checkpoint.save(path, values, shares, integrated_save, choice_func or (lambda name: True),
                                lambda path, values: _write_file(path, values, kind, crc_check))
    else:
        _write_file(path, values, kind, crc_check)


def _write_file(path, values, kind, crc_check):
    if kind == "safetensors":
        _replace(path, lambda temporary: safetensors_file.write(temporary, values))
    else:
        _replace(path, lambda temporary: _write_ckpt(temporary, values, crc_check))


def _check_save_options(where, unsupported, async_save, integrated_save, crc_check, choice_func):
    for name, value in unsupported.items():
        if value:
            raise NotImplementedError("[%s] %s%s, got a value, expected it left out"
                                      % (where, name, " (encryption) is not offered" if name == "enc_key" else ""))
    if not isinstance(async_save, bool) and async_save not in ("thread", "process"):
        raise TypeError("[%s] async_save, got %r, expected a bool, 'thread' or 'process'" % (where, async_save))
    for name, value in (("integrated_save", integrated_save), ("crc_check", crc_check)):
        if not isinstance(value, bool):
            raise TypeError("[%s] %s, got %s, expected a bool" % (where, name, type(value).__name__))
    if choice_func is not None and not callable(choice_func):
        raise TypeError("[%s] choice_func, got %s, expected a function" % (where, type(choice_func).__name__))


def _items(save_obj, where):
    from .nn.cell import Cell
    if isinstance(save_obj, Cell):
        return [(p.name, p) for p in save_obj.get_parameters()]
    if isinstance(save_obj, dict):
        items = list(save_obj.items())
    elif isinstance(save_obj, (list, tuple)):
        for item in save_obj:
            if not isinstance(item, Parameter) and not (isinstance(item, dict) and {"name", "data"} <= set(item)):
                raise TypeError("[%s] an item of the list, got %s, expected a Parameter or {'name', 'data'}"
                                % (where, type(item).__name__))
        items = [(i.name, i) if isinstance(i, Parameter) else (i["name"], i["data"]) for i in save_obj]
    else:
        raise TypeError("[%s] save_obj, got %s, expected a Cell, a dict or a list" % (where, type(save_obj).__name__))
    for name, value in items:
        if not isinstance(name, str):
            raise TypeError("[%s] a name, got %s, expected a str" % (where, type(name).__name__))
        if not isinstance(value, (Tensor, bool, int, float, str)):
            raise TypeError("[%s] value of %s, got %s, expected a Tensor, a number or a text"
                            % (where, name, type(value).__name__))
    return items


def _appended(append_dict, where):
    if append_dict is None:
        return {}
    if not isinstance(append_dict, dict):
        raise TypeError("[%s] append_dict, got %s, expected a dict" % (where, type(append_dict).__name__))
    return dict(_items(append_dict, where))


def _replace(path, write):
    """Calls write(temporary path), then gives that file the name `path`."""
    temporary = "%s.%d.tmp" % (path, os.getpid())
    try:
        write(temporary)
        os.replace(temporary, path)
    except OSError as error:
        if error.filename == temporary:
            error.filename = path
        raise
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def _wire(name, value):
    """(name, type, dims, bytes) of a value."""
    import numpy
    if isinstance(value, str):
        return name, "str", (0,), value.encode("utf-32-le", "surrogatepass")
    if isinstance(value, bool):
        array, kind = numpy.array(value), "Bool"
    elif isinstance(value, int):
        array, kind = numpy.array(value, numpy.int64), "Int64"
    elif isinstance(value, float):
        array, kind = numpy.array(value, numpy.float32), "Float32"
    elif value.dtype == mstype.bfloat16:
        wide = numpy.ascontiguousarray(value.astype(mstype.float32).asnumpy())
        array, kind = (wide.view(numpy.uint32) >> 16).astype(numpy.uint16), "BFloat16"
        array = array.reshape(value.shape)
    else:
        array = value.asnumpy()
        kind = checkpoint_file.TYPES.get(array.dtype.name)
    if kind is None:
        raise TypeError("[save_checkpoint] dtype of %s, got %s, expected one that .ckpt files have"
                        % (name, array.dtype))
    return name, kind, array.shape, array.tobytes()


def _write_ckpt(path, values, crc_check):
    with open(path, "wb") as file:
        checkpoint_file.write_file(file, (_wire(name, value) for name, value in values.items()), crc_check)
        file.flush()
        os.fsync(file.fileno())


# -- loading --------------------------------------------------------------------------------------------------------------

def load_checkpoint(ckpt_file_name, net=None, strict_load=False, filter_prefix=None, dec_key=None, dec_mode="AES-GCM",
                    specify_prefix=None, choice_func=None, crc_check=False, remove_redundancy=False, format="ckpt"):
    """Reads a file into a dict of Parameters (texts stay texts), and into `net` where one is given.

    A file that is no complete checkpoint raises ValueError.

    >>> import os, tempfile
    >>> import msjit as ms
    >>> path = os.path.join(tempfile.mkdtemp(), "net.ckpt")
    >>> ms.save_checkpoint({"weight": ms.Tensor([1.0, 2.0])}, path)
    >>> ms.load_checkpoint(path)["weight"].asnumpy().tolist()
    [1.0, 2.0]
    """
    where = "load_checkpoint"
    if dec_key is not None:
        raise NotImplementedError("[%s] dec_key, got a value, expected None: encryption is not offered" % where)
    if remove_redundancy:
        raise NotImplementedError("[%s] remove_redundancy, got %r, expected False" % (where, remove_redundancy))
    for value in (filter_prefix, specify_prefix):
        items = [value] if isinstance(value, str) or value is None else value
        if not isinstance(items, (list, tuple)) or not all(isinstance(i, (str, type(None))) for i in items):
            raise TypeError("[%s] filter_prefix and specify_prefix, got %r, expected texts" % (where, value))
    if choice_func is not None and not callable(choice_func):
        raise TypeError("[%s] choice_func, got %s, expected a function" % (where, type(choice_func).__name__))
    path, _ = _path(ckpt_file_name, format, where)
    if not os.path.isfile(path):
        raise ValueError("[%s] there is no file %s" % (where, path))

    elsewhere = set() if net is None else sharded_checkpoint.names_elsewhere(net)

    def wanted(name):
        return name not in elsewhere and not _skipped(name, filter_prefix, specify_prefix, choice_func)
    try:
        loaded = _read(path, wanted, crc_check)
    except checkpoint_file.BadFile as error:
        raise ValueError("[%s] file, got %s: %s, expected a whole checkpoint" % (where, path, error)) from None
    if not loaded:
        raise ValueError("[%s] parameters, got none from %s, expected one at least: the file has none, or "
                         "filter_prefix, specify_prefix and choice_func leave none" % (where, path))
    if net is not None:
        load_param_into_net(net, loaded, strict_load)
    return loaded


def load_checkpoint_async(ckpt_file_name, net=None, strict_load=False, filter_prefix=None, dec_key=None,
                          dec_mode="AES-GCM", specify_prefix=None, choice_func=None):
    """Runs load_checkpoint on another thread; returns a Future, whose result() is the dict."""
    from concurrent.futures import ThreadPoolExecutor
    executor = ThreadPoolExecutor(1, "msjit-checkpoint")
    try:
        return executor.submit(load_checkpoint, ckpt_file_name, net, strict_load, filter_prefix, dec_key, dec_mode,
                               specify_prefix, choice_func)
    finally:
        executor.shutdown(wait=False)


def async_ckpt_thread_status():
    """Whether a save is still going on: False, as save_checkpoint returns when the file is complete."""
    return False


def _read(path, wanted, crc_check):
    """The values of a file of either format, or of the parts that it lists."""
    if not sharded_checkpoint.is_index(path):
        return safetensors_file.read(path, wanted) if safetensors_file.is_safetensors(path) else _read_ckpt(path, wanted, crc_check)
    loaded = {}
    for part in sharded_checkpoint.parts_of(path):
        values = _read(part, wanted, crc_check)
        for name in values:
            if name in loaded:
                raise checkpoint_file.BadFile("two tensors are named %r" % name)
        loaded.update(values)
    return loaded


def _read_ckpt(path, wanted, crc_check):
    import numpy
    loaded = {}
    with open(path, "rb") as file:
        for name, kind, value in checkpoint_file.read_file(file, wanted, crc_check):
            if name in loaded:
                raise checkpoint_file.BadFile("two tensors are named %r" % name)
            if kind == "str":
                loaded[name] = value
                continue
            if kind == "BFloat16":
                wide = (value.astype(numpy.uint32) << 16).view(numpy.float32)
                tensor = Tensor(wide.reshape(value.shape)).astype(mstype.bfloat16)
            else:
                tensor = Tensor(value)
            loaded[name] = Parameter(tensor, name=name)
    return loaded


# -- into a network -------------------------------------------------------------------------------------------------------

def load_param_into_net(net, parameter_dict, strict_load=False, remove_redundancy=False):
    """Copies loaded values into the Parameters of `net` by name; returns (not loaded, not used) names.

    Without strict_load floats are converted to the dtype of a float Parameter and ints to that of an int Parameter, and a Parameter
    that is not in the dict takes a value whose name has a prefix in addition.

    Raises RuntimeError if a shape or dtype does not match, TypeError for a dict with other values.

    >>> import msjit as ms
    >>> net = ms.nn.Dense(2, 1)
    >>> ms.load_param_into_net(net, {"weight": ms.Parameter(ms.Tensor([[1.0, 2.0]]), name="weight")})
    (['bias'], [])
    >>> net.weight.asnumpy().tolist()
    [[1.0, 2.0]]
    """
    _check_load(net, parameter_dict, remove_redundancy)
    params = {param.name: param for param in net.get_parameters()}
    found = {name: name for name in params if name in parameter_dict}
    elsewhere = sharded_checkpoint.names_elsewhere(net)
    not_used = [name for name in parameter_dict if name not in params and name not in elsewhere]
    missing = [name for name in params if name not in found]
    if missing and not strict_load:
        found.update(_with_prefix(missing, parameter_dict))
    for name, source in found.items():
        _copy(params[name], parameter_dict[source], strict_load)
    from .optim.shown import take_loaded
    if take_loaded(net, parameter_dict[_STEP] if _STEP in not_used else None):
        not_used.remove(_STEP)
    return [name for name in params if name not in found], not_used


def _check_load(net, parameter_dict, remove_redundancy):
    from .nn.cell import Cell
    where = "load_param_into_net"
    if not isinstance(net, Cell):
        raise TypeError("[%s] net must be a Cell, got %s" % (where, type(net).__name__))
    if not isinstance(parameter_dict, dict):
        raise TypeError("[%s] parameter_dict must be a dict, got %s" % (where, type(parameter_dict).__name__))
    for name, value in parameter_dict.items():
        if not isinstance(name, str) or not isinstance(value, (Parameter, str)):
            raise TypeError("[%s] an item of parameter_dict, got %s: %s, expected str: Parameter"
                            % (where, type(name).__name__, type(value).__name__))
    if remove_redundancy:
        raise NotImplementedError("[%s] remove_redundancy, got %r, expected False" % (where, remove_redundancy))


def _with_prefix(missing, parameter_dict):
    """{missing name: name in the dict} for prefixes that names in the dict have in addition. As in MindSpore, the first name that ends
    with a missing one tells a prefix, by which others are found too, until no name is left that tells one."""
    found, left = {}, list(missing)
    while left:
        prefix = next((name[:-len(end)] for end in left for name in parameter_dict if name.endswith(end)), None)
        if prefix is None:
            break
        found.update((name, prefix + name) for name in left if prefix + name in parameter_dict)
        left = [name for name in left if name not in found]
    return found

_FLOATS = (mstype.float16, mstype.float32, mstype.float64, mstype.bfloat16)
_INTS = mstype.int_type + mstype.uint_type


def _copy(param, value, strict_load):
    where = "load_param_into_net"
    if not isinstance(value, Tensor):
        raise TypeError("[%s] value of %s, got %s, expected a Parameter" % (where, param.name, type(value).__name__))
    shape, expected = tuple(value.shape), tuple(param.shape)
    if shape != expected:
        if {shape, expected} != {(), (1,)}:
            raise RuntimeError("[%s] shape of %s does not match, got %s, expected %s"
                               % (where, param.name, shape, expected))
        value = value.reshape(expected)
    if value.dtype != param.dtype:
        same = any(value.dtype in kind and param.dtype in kind for kind in (_FLOATS, _INTS, mstype.complex_type))
        if strict_load or not same:
            raise RuntimeError("[%s] dtype of %s does not match, got %s, expected %s"
                               % (where, param.name, value.dtype, param.dtype))
        value = value.astype(param.dtype)
    param.set_data(value)


# -- between formats ------------------------------------------------------------------------------------------------------

def ckpt_to_safetensors(file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1):
    """Writes a .ckpt file, or each of a folder, as .safetensors; save_path is a folder (by default that of the file)."""
    _convert(file_path, save_path, name_map, file_name_regex, "ckpt", "safetensors")


def safetensors_to_ckpt(file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1):
    """The other direction of ckpt_to_safetensors."""
    _convert(file_path, save_path, name_map, file_name_regex, "safetensors", "ckpt")


def _convert(file_path, save_path, name_map, pattern, source, target):
    import re
    where = "%s_to_%s" % (source, target)
    if os.path.isdir(file_path):
        paths = sorted(os.path.join(base, f) for base, _, files in os.walk(file_path) for f in files)
    elif os.path.isfile(file_path):
        paths = [file_path]
    else:
        raise ValueError("[%s] file_path, got %s, expected a file or a folder that is there" % (where, file_path))
    paths = [p for p in paths if p.endswith("." + source)
             and (pattern is None or re.search(pattern, os.path.basename(p)))]
    if not paths:
        raise ValueError("[%s] file_path, got %s without .%s files, expected one at least" % (where, file_path, source))
    for path in paths:
        values = load_checkpoint(path, format=source)
        folder = save_path or os.path.dirname(path) or "."
        os.makedirs(folder, exist_ok=True)
        name = os.path.basename(path)[:-len(source)] + target
        save_checkpoint({(name_map or {}).get(k, k): v for k, v in values.items()}, os.path.join(folder, name),
                        format=target)


def _path(name, format, where):
    """(path with a suffix, format). A suffix in the name overrides the argument."""
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError("[%s] file name must be a str, got %s" % (where, type(name).__name__))
    if format not in _FORMATS:
        raise ValueError("[%s] format, got %r, expected 'ckpt' or 'safetensors'" % (where, format))
    path = os.fspath(name)
    if os.path.isdir(path or "."):
        error = ValueError if where == "load_checkpoint" else IsADirectoryError
        raise error("[%s] file name, got %r, which is a folder, expected a file" % (where, path))
    for suffix in _FORMATS:
        if path.endswith("." + suffix):
            return path, suffix
    return (path if path.endswith(format) else "%s.%s" % (path, format)), format  # "my_ckpt" gets no suffix, as in MindSpore


def _skipped(name, filter_prefix, specify_prefix, choice_func):
    def starts(prefixes):
        prefixes = [prefixes] if isinstance(prefixes, str) else prefixes
        return any(name.startswith(prefix) for prefix in prefixes if prefix is not None)
    if choice_func is not None:
        return not choice_func(name)
    if filter_prefix is not None and starts(filter_prefix):
        return True
    return specify_prefix is not None and not starts(specify_prefix)


def _update_param(param, new_param, strict_load):
    """Writes one value over a Parameter as load_param_into_net does, with its errors."""
    _copy(param, new_param, strict_load)


def _load_dismatch_prefix_params(net, parameter_dict, param_not_load, strict_load):
    """Loads Parameters whose names have a prefix in the dict, and takes them out of the list of names param_not_load."""
    params = {param.name: param for param in net.get_parameters()}
    for name, source in _with_prefix(param_not_load, parameter_dict).items():
        _update_param(params[name], parameter_dict[source], strict_load)
        param_not_load.remove(name)


def _get_merged_param_data(net, parameter_layout_dict, param_name, param_data, integrated_save):
    """For MindSpore: a Parameter that is divided over processes, as a whole. Here NotImplementedError, as no Parameter is divided."""
    raise NotImplementedError("[save_checkpoint] layout of %s, got one, expected none: networks are not divided over processes" % param_name)


_DIVIDED = ("build_searched_strategy", "load_distributed_checkpoint", "merge_sliced_parameter", "restore_group_info_list")


def tensor_to_np_type(tensor_type_str):
    """The type of NumPy for the name of a dtype in a .ckpt file; None for other names. Raises TypeError for BFloat16, which NumPy has not."""
    import numpy
    if tensor_type_str == "BFloat16":
        raise TypeError("[tensor_to_np_type] type, got BFloat16, expected one that NumPy has")
    if tensor_type_str == "str":
        return "U"
    found = {name: text for text, name in checkpoint_file.TYPES.items()}.get(tensor_type_str)
    return None if found is None else numpy.dtype(found).type


def __getattr__(name):
    if name in _DIVIDED:
        from . import parallel
        return getattr(parallel, name)
    if name == "tensor_to_ms_type":  # {name of a dtype in a .ckpt file: dtype}
        types = {kind: getattr(mstype, text + "_" if text == "bool" else text) for text, kind in checkpoint_file.TYPES.items()}
        return dict(types, BFloat16=mstype.bfloat16, str=mstype.string)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
