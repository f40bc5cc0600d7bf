"""unified_safetensors: joins the files of all ranks of a division to one folder of whole Parameters. Also reads such a folder.

    part0.safetensors, ...       the Parameters
    param_name_map.json          {"metadata": {"total_size": bytes}, "weight_map": {name: file}}
    hyper_param.safetensors      values that the strategy file does not name, such as learning rates
"""
import json
import os

from ..common import dtype as mstype
from ..common.tensor import Tensor
from . import strategy_file
from .checkpoints import Plan, array_of, load, parameter_of, rank_files, save
from .slices import WHOLE, assemble, divisions

_MAP, _HYPER, _MOST = "param_name_map.json", "hyper_param.safetensors", 3 << 30  # bytes of a file


def _chosen(where, name, choice_func):
    """The name to write a Parameter under, or None."""
    answer = choice_func(name) if choice_func is not None else True
    if isinstance(answer, bool):
        return name if answer else None
    if isinstance(answer, str):
        return answer
    raise ValueError("[%s] result of choice_func, got %s, expected str or bool" % (where, type(answer).__name__))


def _wholes(where, files, source, choice_func):
    """(name, whole Parameter, whether the strategy names it) of each Parameter in {rank: file}."""
    width = Plan.width(source)
    held = {}
    for rank in sorted(files):
        for name, value in load(files[rank]).items():
            if isinstance(value, Tensor):
                held.setdefault(name, {}).setdefault(rank % width, value)
    for name, values in held.items():
        target = _chosen(where, name, choice_func)
        if target is None:
            continue
        first = next(iter(values.values()))
        if source is None or name not in source:
            yield target, first, source is None
            continue
        try:
            whole = assemble({local: array_of(value)[0] for local, value in values.items()}, source[name], WHOLE, 0)
        except KeyError as missing:
            raise ValueError("[%s] file of rank %s, got none with parameter %s, expected one" % (where, missing, name)) from None
        yield target, parameter_of(whole, first.dtype == mstype.bfloat16, first), True


def unified_safetensors(src_dir, src_strategy_file, dst_dir, merge_with_redundancy=True, file_suffix=None, max_process_num=64,
                        choice_func=None, split_dst_file=()):
    """Writes the Parameters in src_dir/rank_N/*.safetensors, divided as src_strategy_file says, whole into dst_dir.

    If only one of several equal ranks has a Parameter (merge_with_redundancy=False), it is found wherever it is. file_suffix:
    only files whose names end with it are read. choice_func(name) returns False to leave a Parameter out, or a text to rename it. Files hold
    up to 3 GiB. max_process_num changes nothing.

    Raises ValueError if files are missing, NotADirectoryError if src_dir is no folder, NotImplementedError for split_dst_file.
    """
    where = "unified_safetensors"
    if not os.path.isdir(src_dir):
        raise NotADirectoryError("[%s] src_dir, got %r, expected a folder" % (where, src_dir))
    if split_dst_file:
        raise NotImplementedError("[%s] split_dst_file, got %r, expected (): all files are written at once" % (where, split_dst_file))
    files = rank_files(src_dir, "%s.safetensors" % (file_suffix or ""))
    if not files:
        raise ValueError("[%s] files in %s, got none, expected rank_N/*%s.safetensors" % (where, src_dir, file_suffix or ""))
    source = None if src_strategy_file is None else divisions(strategy_file.read(where, src_strategy_file).layouts)
    expected = _count(source)
    if len(files) < expected and merge_with_redundancy:
        raise ValueError("[%s] ranks in %s, got %s, expected all of 0 to %d" % (where, src_dir, sorted(files), expected - 1))
    os.makedirs(dst_dir, mode=0o700, exist_ok=True)
    _write(dst_dir, _wholes(where, files, source, choice_func))


def _count(source):
    stages = {stage for division in (source or {}).values() for stage in division.stages}
    return Plan.width(source) * max(len(stages), 1)


def _write(folder, parameters):
    hyper, parts, names, total = {}, [{}], {}, 0
    size = 0
    for name, value, named in parameters:
        if not named:
            hyper[name] = value
            continue
        if parts[-1] and size + value.nbytes > _MOST:
            parts.append({})
            size = 0
        parts[-1][name], names[name] = value, "part%d.safetensors" % (len(parts) - 1)
        size, total = size + value.nbytes, total + value.nbytes
    for number, part in enumerate(parts):
        if part:
            save(part, os.path.join(folder, "part%d.safetensors" % number), "safetensors")
    if hyper:
        save(hyper, os.path.join(folder, _HYPER), "safetensors")
    with open(os.path.join(folder, _MAP), "w") as file:
        json.dump({"metadata": {"total_size": total}, "weight_map": names}, file, indent=4)


# -- reading ----------------------------------------------------------------------------------------------------------------

def _read(where, folder, name_map):
    """{name: Parameter} of such a folder."""
    if not isinstance(folder, str) or not os.path.isfile(os.path.join(folder, _MAP)):
        raise ValueError("[%s] unified_safetensors_dir, got %r, expected a folder with %s" % (where, folder, _MAP))
    with open(os.path.join(folder, _MAP)) as file:
        content = json.load(file)
    files = set(content.get("weight_map", content).values())
    if os.path.isfile(os.path.join(folder, _HYPER)):
        files.add(_HYPER)
    found = {}
    for name in sorted(files):
        if os.path.basename(name) != name:
            raise ValueError("[%s] file in %s, got %r, expected one in the same folder" % (where, _MAP, name))
        found.update(load(os.path.join(folder, name)))
    for name in list(found):
        if name in (name_map or {}):
            found[name_map[name]] = renamed = found.pop(name)
            renamed.name = name_map[name]
    return found


def _part(parameters, target, rank):
    """{name: Parameter} for one rank. Values that the strategy does not name are the same for all ranks."""
    width, made = Plan.width(target), {}
    for name, value in parameters.items():
        division = (target or {}).get(name, WHOLE)
        if rank // width not in division.stages and name in (target or {}):
            continue
        array, wide = array_of(value)
        made[name] = parameter_of(assemble({0: array}, WHOLE, division, rank % width), wide, value)
    return made


def save_parts(where, folder, out, target, rank, output_format, name_map):
    """Writes the Parameters of one rank, or of each rank, to out/rank_N/net.<output_format>."""
    if not isinstance(out, str):
        raise ValueError("[%s] dst_safetensors_dir, got %r, expected a folder" % (where, out))
    parameters = _read(where, folder, name_map)
    for number in range(_count(target)) if rank is None else (rank,):
        save(_part(parameters, target, number), os.path.join(out, "rank_%d" % number, "net." + output_format), output_format)
    return True


def load_parts(where, network, folder, target, name_map, return_param_dict):
    """Loads the Parameters of this process into the network, or returns them."""
    from ..communication import get_rank
    from ..serialization import load_param_into_net
    made = _part(_read(where, folder, name_map), target, get_rank() if target else 0)
    return made if return_param_dict else load_param_into_net(network, made)
