"""Joins slices of Parameters, and loads checkpoints of a divided training into a network."""
import glob
import os

from ..common import dtype as mstype
from ..common.parameter import Parameter
from . import strategy_file, unified
from .checkpoints import Plan, array_of, load, parameter_of
from .slices import WHOLE, Division, assemble, division_of, divisions, product


def _checked_slices(where, sliced):
    if not isinstance(sliced, list):
        raise TypeError("[%s] sliced_parameters, got %s, expected list" % (where, type(sliced).__name__))
    if not sliced:
        raise ValueError("[%s] sliced_parameters, got none, expected one at least" % where)
    for index, item in enumerate(sliced):
        if not isinstance(item, Parameter):
            raise TypeError("[%s] sliced_parameters[%d], got %s, expected Parameter" % (where, index, type(item).__name__))
        if (item.name, item.ndim, tuple(item.shape[1:])) != (sliced[0].name, sliced[0].ndim, tuple(sliced[0].shape[1:])):
            raise ValueError("[%s] sliced_parameters[%d], got %s of shape %s, expected %s of shape %s but for the first axis"
                             % (where, index, item.name, tuple(item.shape), sliced[0].name, tuple(sliced[0].shape)))


def _joined(numpy, parts, place, counts):
    """Arrays at places of a grid as one array."""
    axis = len(place)
    if axis == len(counts):
        return parts[place]
    return numpy.concatenate([_joined(numpy, parts, place + (i,), counts) for i in range(counts[axis])], axis)


def _merged(where, arrays, name, division):
    import numpy
    if len(arrays) != division.processes:
        raise ValueError("[%s] sliced_parameters, got %d, expected %d as in the strategy of %s" % (where, len(arrays), division.processes, name))
    if not division.split and len({array.shape for array in arrays}) > 1:
        raise ValueError("[%s] shapes of %s, got %s, expected equal ones" % (where, name, sorted({array.shape for array in arrays})))
    counts = [division.parts(axis) for axis in range(arrays[0].ndim)]
    if division.split and len(division.split) != product(counts):
        raise ValueError("[%s] param_split_shape, got %d sizes, expected %d" % (where, len(division.split), product(counts)))
    parts = {}
    plain = Division(division.devices, division.axes)
    for rank, array in enumerate(arrays):
        place = tuple(start for start, _ in plain.part(rank, counts))
        if division.split:
            number = 0
            for index, count in zip(place, counts):
                number = number * count + index
            if array.shape[0] != division.split[number]:
                raise ValueError("[%s] first axis of slice %d, got %d, expected %d" % (where, number, array.shape[0], division.split[number]))
        parts[place] = array
    return _joined(numpy, parts, (), counts)


def merge_sliced_parameter(sliced_parameters, strategy=None):
    """The whole Parameter, from its slices in the order of ranks.

    strategy is a result of build_searched_strategy. Without it the slices are joined along the first axis. Slices may differ in
    the size of the first axis if the strategy says how.

    Raises TypeError for other types, ValueError for slices that do not fit, KeyError if the strategy does not have the name.

    >>> import msjit as ms
    >>> parts = [ms.Parameter(ms.Tensor([1.0, 2.0]), "table"), ms.Parameter(ms.Tensor([3.0]), "table")]
    >>> ms.merge_sliced_parameter(parts).asnumpy().tolist()
    [1.0, 2.0, 3.0]
    """
    import numpy
    where = "merge_sliced_parameter"
    _checked_slices(where, sliced_parameters)
    if strategy and not isinstance(strategy, dict):
        raise TypeError("[%s] strategy, got %s, expected dict" % (where, type(strategy).__name__))
    first = sliced_parameters[0]
    arrays = [array_of(param)[0] for param in sliced_parameters]
    if not strategy:
        whole = numpy.concatenate(arrays)
    elif first.name not in strategy:
        raise KeyError("[%s] strategy, got none of %s, expected one" % (where, first.name))
    else:
        whole = _merged(where, arrays, first.name, division_of(first.name, strategy[first.name]))
    return parameter_of(whole, first.dtype == mstype.bfloat16, first)


def load_segmented_checkpoints(ckpt_file_dir, net=None, strict_load=False, filter_prefix=None, dec_key=None, dec_mode="AES-GCM",
                               specify_prefix=None, choice_func=None):
    """The Parameters of all .ckpt files of a folder in one dict; with `net` they are also loaded into that. Otherwise as load_checkpoint.

    Raises TypeError for a folder that is no text, ValueError for one that does not exist.
    """
    from ..serialization import load_checkpoint
    where = "load_segmented_checkpoints"
    if not isinstance(ckpt_file_dir, str):
        raise TypeError("[%s] ckpt_file_dir, got %s, expected str" % (where, type(ckpt_file_dir).__name__))
    if not os.path.isdir(ckpt_file_dir):
        raise ValueError("[%s] ckpt_file_dir, got %r, expected a folder" % (where, ckpt_file_dir))
    loaded = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(ckpt_file_dir), "*.ckpt"))):
        loaded.update(load_checkpoint(path, net, strict_load, filter_prefix, dec_key, dec_mode, specify_prefix, choice_func))
    return loaded


def _asked_for(where, predict_strategy):
    """{name: Division} of the strategy for a prediction, which is given as {name: (devices, tensor map, ...)} or as a file."""
    if predict_strategy is None:
        return None
    if isinstance(predict_strategy, str):
        return divisions(strategy_file.read(where, predict_strategy).layouts)
    if not isinstance(predict_strategy, dict):
        raise TypeError("[%s] predict_strategy, got %s, expected dict or str" % (where, type(predict_strategy).__name__))
    found = {}
    for name, layout in predict_strategy.items():
        if len(layout) > 5 and layout[5]:
            raise NotImplementedError("[%s] group of %s in predict_strategy, got %r, expected none" % (where, name, layout[5]))
        maps = [m if isinstance(m, (list, tuple)) else [m] for m in layout[1]]
        found[name] = Division(layout[0], [[len(layout[0]) - 1 - number for number in m if number >= 0] for m in maps])
    return found


def load_distributed_checkpoint(network, checkpoint_filenames=None, predict_strategy=None, train_strategy_filename=None, strict_load=False,
                                dec_key=None, dec_mode="AES-GCM", format="ckpt", unified_safetensors_dir=None, dst_safetensors_dir=None,
                                rank_id=None, output_format="safetensors", name_map=None, max_process_num=64, return_param_dict=False):
    """Loads the checkpoints of all ranks of a training, in their order, into a network that is not divided or has another division.

    train_strategy_filename is the training's strategy file, by default set_auto_parallel_context(strategy_ckpt_load_file=...);
    predict_strategy is {name: (devices, tensor map, ...)} of the network, or a strategy file; None is for a network that is not
    divided. Returns True.

    With format="safetensors" the Parameters are read from the folder that unified_safetensors has written; name_map can give them other
    names. Without a network, those of rank_id or of all ranks are written to dst_safetensors_dir/rank_N, and True is returned. Otherwise it
    returns (not loaded, not used) names, or with return_param_dict the Parameters. max_process_num changes nothing.

    Raises TypeError for other types, ValueError if files are missing or their number is not that of the strategy.
    """
    where = "load_distributed_checkpoint"
    for value in (format, output_format):
        if value not in ("ckpt", "safetensors"):
            raise ValueError("[%s] format, got %r, expected 'ckpt' or 'safetensors'" % (where, value))
    if format == "safetensors":
        if checkpoint_filenames is not None or train_strategy_filename is not None or dec_key is not None or strict_load:
            raise ValueError("[%s] checkpoint_filenames, train_strategy_filename, dec_key or strict_load, got one, expected none for safetensors" % where)
        target = _asked_for(where, predict_strategy)
        if network is None:
            return unified.save_parts(where, unified_safetensors_dir, dst_safetensors_dir, target, rank_id, output_format, name_map)
        return unified.load_parts(where, network, unified_safetensors_dir, target, name_map, return_param_dict)
    return _load_ckpt_files(where, network, checkpoint_filenames, predict_strategy, train_strategy_filename, strict_load, dec_key)


def _load_ckpt_files(where, network, checkpoint_filenames, predict_strategy, train_strategy_filename, strict_load, dec_key):
    """load_distributed_checkpoint with format="ckpt"."""
    from ..context import get_auto_parallel_context
    from ..nn.cell import Cell
    from ..serialization import load_param_into_net
    if not isinstance(network, Cell):
        raise TypeError("[%s] network, got %s, expected Cell" % (where, type(network).__name__))
    if not isinstance(checkpoint_filenames, (list, tuple)):
        raise TypeError("[%s] checkpoint_filenames, got %s, expected list" % (where, type(checkpoint_filenames).__name__))
    if dec_key is not None:
        raise NotImplementedError("[%s] dec_key, got a value, expected None: encryption is not offered" % where)
    train_strategy_filename = train_strategy_filename or get_auto_parallel_context("strategy_ckpt_load_file")
    if not train_strategy_filename:
        raise ValueError("[%s] train_strategy_filename, got none, expected a strategy file" % where)
    source = divisions(strategy_file.read(where, train_strategy_filename).layouts)
    if Plan.width(source) != len(checkpoint_filenames):
        raise ValueError("[%s] checkpoint_filenames, got %d, expected %d as in the strategy" % (where, len(checkpoint_filenames), Plan.width(source)))
    target = _asked_for(where, predict_strategy)
    loaded = [load(path) for path in checkpoint_filenames]
    load_param_into_net(network, _for_network(where, network, source, target, loaded), strict_load)
    return True


def _for_network(where, network, source, target, loaded):
    from ..communication import get_rank
    from ..log import warning
    rank = get_rank() if target else 0
    made = {}
    for param in network.get_parameters():
        values = {rank: held[param.name] for rank, held in enumerate(loaded) if param.name in held}
        if param.name not in source or not values:
            warning("[%s] parameter %s stands in no strategy or in no checkpoint" % (where, param.name))
            continue
        if len(values) < len(loaded):
            raise ValueError("[%s] checkpoints with %s, got %d, expected %d" % (where, param.name, len(values), len(loaded)))
        first = values[0]
        arrays = {local: array_of(value)[0] for local, value in values.items()}
        whole = assemble(arrays, source[param.name], (target or {}).get(param.name, WHOLE), rank)
        made[param.name] = parameter_of(whole, first.dtype == mstype.bfloat16, first)
    return made
