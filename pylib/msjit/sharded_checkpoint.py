"""Checkpoints of training whose optimizer state is divided over the processes (optim/sharded.py): one whole file, or a file of each process.

All processes save together. In parts, the file that has the name of the checkpoint is a list of the parts; it is written last. So a checkpoint is whole
or is not there, whenever a process is killed.
"""
import os
import time
from collections import OrderedDict

from ._native import _msjit
from .checkpoint_file import BadFile
from .communication.agreement import check
from .communication.world import processes
from .nn.cell import Cell
from .optim.sharded import Shared

_KEY = "msjit_checkpoint_parts"
_MARK = b'{"' + _KEY.encode()
_WHERE = "save_checkpoint"


def shares_of(obj, saved=False):
    """The Shares of the optimizers in a Cell. With `saved` NotImplementedError for one whose construct is the program's."""
    shared = [cell for _, cell in obj.cells_and_names() if isinstance(cell, Shared)] if isinstance(obj, Cell) else []
    for optimizer in shared:
        if saved and optimizer._share is not None and not optimizer._divided:
            raise NotImplementedError("[%s] optimizer, got %s, whose construct is the program's, expected one of msjit's: nobody knows which process has the "
                                      "newest state" % (_WHERE, type(optimizer).__name__))
    return [optimizer._share for optimizer in shared if optimizer._divided and optimizer._share.states]


def names_elsewhere(cell):
    """The names of optimizer state that other processes keep."""
    found = set()
    for share in shares_of(cell):
        found |= share.elsewhere
    return found


def save(path, values, shares, whole, chosen, write):
    """Saves {name: value} and the state of the other processes by write(path, values). whole: as one file, else in parts. chosen(name) says which state.

    Raises ValueError if the processes name different files for parts; what write raises, and RuntimeError on the other processes.
    """
    group = shares[0].group
    with group.calling(_WHERE):
        check(group, _WHERE, "one file" if whole else "parts of %s" % path)
        if whole:
            _save_whole(group, path, _gathered(group, values, shares, chosen), write)
        else:
            _save_parts(group, path, values, shares, write)


# -- one file -------------------------------------------------------------------------------------------------------------

def _gathered(group, values, shares, chosen):
    """The values, with the state of the other processes in between."""
    from .communication.objects import all_gather_object  # here, as it needs pickle
    inserted, skipped = {}, set()  # {name of a value here: what comes in its place}
    for share in shares:
        own = [(k, i, state[place].name, tuple(state[place].shape), str(state[place].dtype).lower())
               for k, state in enumerate(share.states) for i, place in enumerate(share.places)
               if place is not None and share.owners[i] == group.rank and chosen(state[place].name)]
        merged = [{i: (state[place].name, state[place]) for i, place in enumerate(share.places) if place is not None and chosen(state[place].name)}
                  for state in share.states]
        for rank, entries in enumerate(all_gather_object(own, group, _WHERE)):
            for k, i, name, shape, dtype in entries:
                tensor = share.states[k][share.places[i]] if rank == group.rank else _msjit.ops.zeros(shape, _msjit.dtypes[dtype])
                processes.broadcast(group.number, tensor, rank)
                merged[k][i] = name, tensor
        for state, found in zip(share.states, merged):
            here = [p.name for p in state if p.name in values]
            inserted[here[0] if here else None] = inserted.get(here[0] if here else None, []) + [found[i] for i in sorted(found)]
            skipped.update(here[1:])
    made = OrderedDict()
    for name, value in values.items():
        made.update(inserted.get(name, () if name in skipped else ((name, value),)))
    made.update(inserted.get(None, ()))
    return made


def _save_whole(group, path, values, write):
    """Of the processes that name the same file, the first writes it."""
    from hashlib import blake2b
    digests = processes.exchange(group.number, blake2b(os.path.abspath(path).encode(), digest_size=16).hexdigest())
    _together(group, path, lambda: write(path, values) if digests.index(digests[group.rank]) == group.rank else None)


def _together(group, path, work):
    """Calls work() and waits until all processes have. If one fails, all raise. Returns the texts that work returned, of all processes."""
    failure, text = None, ""
    try:
        text = "%s\n" % (work() or "")
    except (OSError, TypeError, ValueError) as error:
        failure, text = error, "\n%s: %s" % (type(error).__name__, error)
    said = [(one + "\n").split("\n")[:2] for one in processes.exchange(group.number, text)]
    if failure is not None:
        raise failure
    for rank, (_, problem) in zip(group.ranks, said):
        if problem:
            raise RuntimeError("[%s] %s, got %s on rank %d, expected it to be written" % (_WHERE, path, problem, rank))
    return [text for text, _ in said]


# -- parts ----------------------------------------------------------------------------------------------------------------

def _save_parts(group, path, values, shares, write):
    """Each process writes the state and the Parameters that it owns; the first also writes what all have."""
    owners = {id(param): owner for share in shares for param, owner in share.owned()}
    mine = OrderedDict((name, value) for name, value in values.items() if owners.get(id(value), 0) == group.rank)
    tag = processes.exchange(group.number, "%x" % time.time_ns())[0]
    part = "%s.%s.rank_%d" % (path, tag, group.rank)

    def written():
        write(part, mine)
        return os.path.getsize(part)
    try:
        sizes = _together(group, path, written)
    except (OSError, TypeError, ValueError, RuntimeError):
        _remove(part)
        raise
    index = {_KEY: 1, "parts": [{"file": os.path.basename(part)[:-len(str(group.rank))] + str(rank), "bytes": int(size)}
                                for rank, size in enumerate(sizes)]}
    _together(group, path, lambda: _put_index(path, index) if group.rank == 0 else None)


def _put_index(path, index):
    """Gives a checkpoint its name, and removes the parts of an older one, or of one that was never complete."""
    import json
    temporary = "%s.%d.tmp" % (path, os.getpid())
    try:
        with open(temporary, "w") as file:
            json.dump(index, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        _remove(temporary)
    kept, (folder, start) = {part["file"] for part in index["parts"]}, os.path.split(path)
    for name in os.listdir(folder or "."):
        if name.startswith(start + ".") and ".rank_" in name[len(start):] and name not in kept:
            _remove(os.path.join(folder, name))


def _remove(path):
    try:
        os.remove(path)
    except OSError:  # it is not there, or another process has removed it
        pass


def is_index(path):
    """Whether a file is a list of parts."""
    with open(path, "rb") as file:
        return file.read(len(_MARK)) == _MARK


def parts_of(path):
    """The paths of the parts that a list names. BadFile if one is missing or not complete."""
    import json
    with open(path, "rb") as file:
        try:
            parts = [(os.path.join(os.path.dirname(path), part["file"]), part["bytes"]) for part in json.loads(file.read().decode())["parts"]]
        except (ValueError, KeyError, TypeError):
            raise BadFile("its list of parts cannot be read") from None
    for part, size in parts:
        if not os.path.isfile(part):
            raise BadFile("its part %s is missing" % part)
        if os.path.getsize(part) != size:
            raise BadFile("its part %s has %d bytes, expected %d" % (part, os.path.getsize(part), size))
    return [part for part, _ in parts]


def remove(path):
    """Removes a checkpoint, with its parts if it has any. It is no error if another process has removed it."""
    try:
        parts = parts_of(path) if is_index(path) else []
    except (OSError, BadFile):
        parts = []
    _remove(path)
    for part in parts:
        _remove(part)
