"""Converts checkpoints of networks whose Parameters are divided over processes to another division, or to none.

The files are those that MindSpore writes: a checkpoint of each process, in folders rank_0, rank_1, ..., and a strategy
file. Ranks are counted through all stages of a pipeline. One process is enough for reading and writing.
"""
import glob
import os

from ..common import dtype as mstype
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from . import strategy_file
from .slices import WHOLE, assemble, divisions, sources


class Plan:
    """What a rank of the target division has to read: the Divisions of source and target, without Parameters of other stages."""

    def __init__(self, where, rank, source_file, target_file):
        self.source = self._read(where, source_file)
        self.target = self._read(where, target_file, rank)
        self.dropped = set()
        if self.target:
            self.stage = rank // self.width(self.target)
            self.dropped = {name for name, division in self.target.items() if self.stage not in division.stages}
        if self.source is not None and not self.source:
            raise ValueError("[%s] src_strategy_file, got %s without layouts, expected some" % (where, source_file))
        self.local = rank % self.width(self.target) if self.width(self.target) > 1 else rank

    @staticmethod
    def _read(where, name, rank=None):
        return None if name is None else divisions(strategy_file.read(where, name).layouts, rank)

    @staticmethod
    def width(division):
        """The number of processes of a stage."""
        return next(iter(division.values())).processes if division else 1

    def ranks(self):
        """The ranks of the source whose files are needed, the last first."""
        if self.source is None:
            return [0]
        needed, stages = set(), set()
        for name, division in self.source.items():
            if name in self.dropped or self.target is not None and name not in self.target:
                continue
            target = self.target[name] if self.target is not None else WHOLE
            shape = self._divisible(division, target)
            needed.update(sources(division, target, self.local, shape))
        for name, division in self.source.items():
            if name not in self.dropped:
                stages.update(division.stages)
        width = self.width(self.source)
        return sorted((stage * width + local for stage in stages for local in needed), reverse=True)

    @staticmethod
    def _divisible(division, target):
        """A shape that both sides can divide. Strategy files do not contain the real shape."""
        axes = max(len(division.axes), len(target.axes))
        both = [division.parts(axis) * target.parts(axis) for axis in range(axes)]
        return [both[0] * division.shared * target.shared] + both[1:] if both else []

    def sides(self, name):
        """(source, target) of a Parameter. None for one that no strategy file names: it is the same in all processes."""
        if self.source is not None and name not in self.source or self.target is not None and name not in self.target:
            return None
        return (self.source or {}).get(name, WHOLE), (self.target or {}).get(name, WHOLE)


def rank_list_for_transform(rank_id, src_strategy_file=None, dst_strategy_file=None):
    """The ranks whose checkpoints transform_checkpoint_by_rank needs for making that of rank_id, the last rank first.

    A strategy file of None says that the Parameters are not divided. Raises TypeError for a rank that is no int, ValueError for a
    file that is no strategy file.
    """
    where = "rank_list_for_transform"
    _check_rank(where, rank_id)
    return [0] if src_strategy_file is None else Plan(where, rank_id, src_strategy_file, dst_strategy_file).ranks()


def _check_rank(where, rank):
    if not isinstance(rank, int) or isinstance(rank, bool):
        raise TypeError("[%s] rank_id, got %s, expected int" % (where, type(rank).__name__))


def load(path):
    from ..serialization import load_checkpoint
    return load_checkpoint(path, format="safetensors" if path.endswith(".safetensors") else "ckpt")


def array_of(param):
    """(NumPy array, whether it stands for bfloat16) of a Parameter."""
    wide = param.dtype == mstype.bfloat16
    return (param.astype(mstype.float32) if wide else param).asnumpy(), wide


def parameter_of(array, wide, like):
    return Parameter(Tensor(array, mstype.bfloat16) if wide else Tensor(array), like.name, like.requires_grad, like.layerwise_parallel)


def _transformed(where, rank, plan, files):
    """The Parameters (and texts) of a rank, of {rank of the source: file}."""
    width, held = plan.width(plan.source), {}
    for source_rank, path in files.items():
        for name, value in load(path).items():
            if name not in plan.dropped:
                held.setdefault(name, {})[source_rank % width] = value
    made = {}
    for name, values in held.items():
        first, sides = next(iter(values.values())), plan.sides(name)
        if sides is None or not isinstance(first, Tensor):
            made[name] = values.get(plan.local % width, first)
            continue
        arrays = {local: array_of(value)[0] for local, value in values.items()}
        try:
            whole = assemble(arrays, sides[0], sides[1], plan.local)
        except KeyError as missing:
            raise ValueError("[%s] checkpoint of rank %s, got none for parameter %s of rank %d, expected one" % (where, missing, name, rank)) from None
        made[name] = parameter_of(whole, first.dtype == mstype.bfloat16, first)
    return made


def save(made, path, output_format="ckpt"):
    from ..serialization import save_checkpoint
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    values = {name: value for name, value in made.items() if isinstance(value, Tensor)}
    texts = {name: value for name, value in made.items() if not isinstance(value, Tensor)}
    save_checkpoint(values, path, append_dict=texts or None, format=output_format)


def transform_checkpoint_by_rank(rank_id, checkpoint_files_map, save_checkpoint_file_name, src_strategy_file=None, dst_strategy_file=None):
    """Writes the checkpoint that rank_id has in the division of dst_strategy_file.

    checkpoint_files_map is {rank of the source: file}, for the ranks that rank_list_for_transform returns. A strategy file of None says
    that the Parameters are not divided. Values that no strategy file names, such as learning rates, are copied.

    Raises TypeError for arguments of other types, ValueError for a name that does not end with .ckpt, a file that does not exist,
    a rank without a file, and shapes that cannot be divided.
    """
    where = "transform_checkpoint_by_rank"
    _check_rank(where, rank_id)
    if not isinstance(checkpoint_files_map, dict):
        raise TypeError("[%s] checkpoint_files_map, got %s, expected dict" % (where, type(checkpoint_files_map).__name__))
    if not isinstance(save_checkpoint_file_name, str):
        raise TypeError("[%s] save_checkpoint_file_name, got %s, expected str" % (where, type(save_checkpoint_file_name).__name__))
    if not save_checkpoint_file_name.endswith(".ckpt"):
        raise ValueError("[%s] save_checkpoint_file_name, got %r, expected one that ends with .ckpt" % (where, save_checkpoint_file_name))
    for rank, path in checkpoint_files_map.items():
        if not os.path.isfile(path):
            raise ValueError("[%s] checkpoint of rank %s, got %r, expected a file" % (where, rank, path))
    plan = Plan(where, rank_id, src_strategy_file, dst_strategy_file)
    save(_transformed(where, rank_id, plan, checkpoint_files_map), save_checkpoint_file_name)


def rank_files(folder, suffix):
    """{rank: the last file, by name, in the folder rank_N}."""
    found = {}
    for path in glob.glob(os.path.join(glob.escape(folder), "rank_*")):
        number = os.path.basename(path)[5:]
        files = sorted(glob.glob(os.path.join(glob.escape(path), "*" + suffix)))
        if number.isdigit() and files:
            found[int(number)] = files[-1]
    return found


def target_ranks(where, name):
    """How many ranks the division of a strategy file has; ValueError if stages of its pipeline are missing."""
    if name is None:
        return 1
    target = divisions(strategy_file.read(where, name).layouts)
    stages = {stage for division in target.values() for stage in division.stages}
    if stages != set(range(len(stages))):
        raise ValueError("[%s] stages in %s, got %s, expected all from 0 on" % (where, name, sorted(stages)))
    return Plan.width(target) * len(stages)


def transform_checkpoints(src_checkpoints_dir, dst_checkpoints_dir, ckpt_prefix, src_strategy_file=None, dst_strategy_file=None,
                          process_num=1, output_format="ckpt"):
    """Makes the checkpoints of all ranks of the division of dst_strategy_file.

    Those of the source lie in src_checkpoints_dir/rank_0/*.ckpt (or *.safetensors), rank_1, ...; if a folder has several files, the last one
    by name counts. The checkpoint of rank N is written to dst_checkpoints_dir/rank_N/<ckpt_prefix>N.<output_format>. A strategy file of None
    says that the Parameters are not divided. process_num changes nothing.

    Raises NotADirectoryError if src_checkpoints_dir is no folder, TypeError for arguments of other types, ValueError for other
    formats, files that are no strategy files, missing files, and shapes that cannot be divided.
    """
    where = "transform_checkpoints"
    if not os.path.isdir(src_checkpoints_dir):
        raise NotADirectoryError("[%s] src_checkpoints_dir, got %r, expected a folder" % (where, src_checkpoints_dir))
    if not isinstance(ckpt_prefix, str):
        raise TypeError("[%s] ckpt_prefix, got %s, expected str" % (where, type(ckpt_prefix).__name__))
    if output_format not in ("ckpt", "safetensors"):
        raise ValueError("[%s] output_format, got %r, expected 'ckpt' or 'safetensors'" % (where, output_format))
    files = rank_files(src_checkpoints_dir, ".ckpt") or rank_files(src_checkpoints_dir, ".safetensors")
    for rank in range(target_ranks(where, dst_strategy_file)):
        plan = Plan(where, rank, src_strategy_file, dst_strategy_file)
        needed = plan.ranks()
        for source in needed:
            if source not in files:
                raise ValueError("[%s] checkpoint of rank %d, got none in %s, expected one: rank %d is made of it"
                                 % (where, source, src_checkpoints_dir, rank))
        made = _transformed(where, rank, plan, {source: files[source] for source in needed})
        name = "%s%d.%s" % (ckpt_prefix, rank, output_format)
        save(made, os.path.join(dst_checkpoints_dir, "rank_%d" % rank, name), output_format)
