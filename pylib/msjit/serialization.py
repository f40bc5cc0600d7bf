"""Checkpoints: the Parameters of a network in one safetensors file."""
import os
from collections import OrderedDict

from .common import dtype as mstype
from .common.parameter import Parameter
from .common.tensor import Tensor

_SUFFIX = ".ckpt"


def _safetensors():
    try:
        import safetensors.numpy
    except ImportError:
        raise ImportError("[checkpoint] the safetensors package is needed: pip install safetensors") from None
    return safetensors.numpy


def save_checkpoint(save_obj, ckpt_file_name, integrated_save=True, async_save=False, append_dict=None, enc_key=None,
                    enc_mode="AES-GCM", choice_func=None, **kwargs):
    """Writes a Cell, a dict, or a list of {"name", "data"} to a file; `.ckpt` is added where no suffix is given."""
    from .nn.cell import Cell
    if enc_key is not None:
        raise NotImplementedError("[save_checkpoint] encryption is not offered")
    if isinstance(save_obj, Cell):
        items = [(p.name, p) for p in save_obj.get_parameters()]
    elif isinstance(save_obj, dict):
        items = list(save_obj.items())
    elif isinstance(save_obj, (list, tuple)):
        items = [(item["name"], item["data"]) for item in save_obj]
    else:
        raise TypeError("[save_checkpoint] expected a Cell, a dict or a list, got %s" % type(save_obj).__name__)
    tensors, metadata = {}, {"format": "msjit"}
    for name, value in items:
        if choice_func is not None and not choice_func(name):
            continue
        if name in tensors:
            raise ValueError("[save_checkpoint] two parameters are named %r" % name)
        tensors[name], metadata["dtype:" + name] = _to_numpy(name, value)
    for name, value in (append_dict or {}).items():
        tensors[name], metadata["dtype:" + name] = _to_numpy(name, value)
    path = _path(ckpt_file_name)
    temporary = "%s.%d.tmp" % (path, os.getpid())
    try:
        _safetensors().save_file(tensors, temporary, metadata)
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def load_checkpoint(ckpt_file_name, net=None, strict_load=False, filter_prefix=None, dec_key=None, dec_mode="AES-GCM",
                    specify_prefix=None, choice_func=None, **kwargs):
    """Reads a file into an OrderedDict of Parameters, and into `net` where one is given."""
    if dec_key is not None:
        raise NotImplementedError("[load_checkpoint] encryption is not offered")
    path = _path(ckpt_file_name)
    if not os.path.exists(path):
        raise ValueError("[load_checkpoint] there is no file %s" % path)
    _safetensors()
    from safetensors import safe_open
    loaded = OrderedDict()
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata() or {}
        for name in file.keys():
            if _skipped(name, filter_prefix, specify_prefix, choice_func):
                continue
            values = Tensor(file.get_tensor(name))
            dtype = metadata.get("dtype:" + name)
            if dtype == "bfloat16":
                values = values.astype(mstype.bfloat16)
            loaded[name] = Parameter(values, name=name)
    if net is not None:
        load_param_into_net(net, loaded, strict_load)
    return loaded


def load_param_into_net(net, parameter_dict, strict_load=False, remove_redundancy=False):
    """Copies loaded values into the Parameters of `net` by name; returns (not loaded, not used) names."""
    from .nn.cell import Cell
    if not isinstance(net, Cell):
        raise TypeError("[load_param_into_net] net must be a Cell, got %s" % type(net).__name__)
    if not isinstance(parameter_dict, dict):
        raise TypeError("[load_param_into_net] parameter_dict must be a dict, got %s" % type(parameter_dict).__name__)
    not_loaded, used = [], set()
    for param in net.get_parameters():
        if param.name not in parameter_dict:
            not_loaded.append(param.name)
            continue
        value = parameter_dict[param.name]
        if tuple(value.shape) != tuple(param.shape):
            raise RuntimeError("[load_param_into_net] shape of %s does not match, got %s, expected %s"
                               % (param.name, tuple(value.shape), tuple(param.shape)))
        if strict_load and value.dtype != param.dtype:
            raise RuntimeError("[load_param_into_net] dtype of %s does not match, got %s, expected %s"
                               % (param.name, value.dtype, param.dtype))
        param.set_data(value)
        used.add(param.name)
    return not_loaded, [name for name in parameter_dict if name not in used]


def export(net, *inputs, **kwargs):
    """Graph export is not offered yet."""
    raise NotImplementedError("[export] graph export is not offered yet; save_checkpoint keeps the parameters")


def load(file_name, **kwargs):
    """Graph import is not offered yet."""
    raise NotImplementedError("[load] graph import is not offered yet; load_checkpoint reads parameters")


def _to_numpy(name, value):
    if isinstance(value, Tensor):
        dtype = "bfloat16" if value.dtype == mstype.bfloat16 else ""
        source = value.astype(mstype.float32) if dtype else value
        return _contiguous(source.asnumpy()), dtype
    if isinstance(value, (bool, int, float)):
        return _contiguous(Tensor(value).asnumpy()), ""
    raise TypeError("[save_checkpoint] value of %s must be a Tensor or a number, got %s" % (name, type(value).__name__))


def _contiguous(array):
    import numpy
    return numpy.array(array, order="C")


def _path(name):
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError("[checkpoint] file name must be a str, got %s" % type(name).__name__)
    path = os.fspath(name)
    return path if path.endswith((_SUFFIX, ".safetensors")) else path + _SUFFIX


def _skipped(name, filter_prefix, specify_prefix, choice_func):
    def starts(prefixes):
        prefixes = [prefixes] if isinstance(prefixes, str) else prefixes
        return any(name.startswith(prefix) for prefix in prefixes)
    if choice_func is not None:
        return not choice_func(name)
    if filter_prefix is not None and starts(filter_prefix):
        return True
    return specify_prefix is not None and not starts(specify_prefix)
