"""Optimizers whose state is divided over the processes: each keeps the state of its share of the Parameters and updates these, then
all processes get the new values.

Whole Parameters are divided, not their elements. So every update is the one of a single process, bit by bit, also where it looks at norms or rows.
"""
from zlib import crc32

from .. import context
from .._native import _msjit
from ..common.parameter import Parameter, ParameterTuple
from ..communication.agreement import check, tensor_text
from ..communication.collectives import all_gather
from ..communication.world import WORLD_NAMES, group_of
from .own_optimizers import is_own

_ops = _msjit.ops
_WHERE = "parallel optimizer"
_ROUND = 4 << 20  # the most bytes of one process that are sent together; a larger Parameter is sent alone
_KEYS = ("gradient_accumulation_shard", "parallel_optimizer_threshold", "optimizer_weight_shard_size", "optimizer_level")


def _threshold(size):
    """From how many bytes on Parameters are divided, by parallel_optimizer_config: all of them unless it says so. Raises for what is not offered."""
    config = context.get_auto_parallel_context("parallel_optimizer_config")
    for name in config:
        if name not in _KEYS:
            raise ValueError("[%s] key of parallel_optimizer_config, got %r, expected one of %s" % (_WHERE, name, ", ".join(_KEYS)))
    least = config.get("parallel_optimizer_threshold", 0)
    if isinstance(least, bool) or not isinstance(least, int):
        raise TypeError("[%s] parallel_optimizer_threshold, got %s, expected an int" % (_WHERE, type(least).__name__))
    if least < 0:
        raise ValueError("[%s] parallel_optimizer_threshold, got %d, expected 0 or more" % (_WHERE, least))
    for name, usual in (("gradient_accumulation_shard", (False,)), ("optimizer_level", ("level1",)), ("optimizer_weight_shard_size", (-1, size))):
        if config.get(name, usual[0]) not in usual:
            raise NotImplementedError("[%s] %s, got %r, expected %s: the state is divided over all processes, gradients and Parameters are not"
                                      % (_WHERE, name, config[name], " or ".join(map(repr, usual))))
    return least << 10


def share_of(optimizer):
    """The Share of an optimizer that is being made, if enable_parallel_optimizer is set and there are several processes; else None.

    Raises RuntimeError as MindSpore does: in another mode than "data_parallel", and for a class of the program that defines construct and does not say
    that it calls broadcast_params (_support_parallel_optimizer).
    """
    if not context.get_auto_parallel_context("enable_parallel_optimizer"):
        return None
    if not context.is_data_parallel():
        raise RuntimeError("[%s] parallel_mode, got %r, expected 'data_parallel'" % (_WHERE, context.get_auto_parallel_context("parallel_mode")))
    kind = type(optimizer)
    if is_own(kind) and not getattr(kind, "_support_parallel_optimizer", False):
        raise RuntimeError("[%s] optimizer, got %s, which defines construct, expected one of msjit's, or _support_parallel_optimizer = True in the "
                           "class, whose construct then calls broadcast_params" % (_WHERE, kind.__name__))
    group = group_of(WORLD_NAMES[0], _WHERE)
    least = _threshold(group.size)
    return None if group.size == 1 else Share(group, least)


class Share:
    """Which process keeps the state of which Parameter of an optimizer.

    owners: a rank for each Parameter, None if every process keeps its state and updates it. kept: the Parameters whose state is here. places: the place
    in `kept` of each Parameter, None if it is not there. states: the ParameterTuples of state, each with one for each of `kept`. elsewhere: the names
    of state that other processes keep.
    """

    def __init__(self, group, least):
        self.group, self.least, self.load = group, least, [0] * group.size
        self.parameters, self.owners, self.states, self.elsewhere = (), (), [], set()
        self.kept, self.places, self.compared = (), (), False

    def add(self, parameters):
        """Divides further Parameters, the largest first, each to the process that has least so far."""
        owners = [None] * len(parameters)
        sizes = [p.nbytes for p in parameters]
        for place in sorted(range(len(sizes)), key=lambda i: (-sizes[i], i)):
            param = parameters[place]
            if sizes[place] >= self.least and not param.layerwise_parallel and param.parallel_optimizer:
                owners[place] = self.load.index(min(self.load))
                self.load[owners[place]] += sizes[place]
        self.parameters, self.owners = self.parameters + tuple(parameters), self.owners + tuple(owners)
        here = [owner in (None, self.group.rank) for owner in self.owners]
        self.kept = tuple([p for p, own in zip(self.parameters, here) if own])
        self.places = tuple([sum(here[:i]) if own else None for i, own in enumerate(here)])
        self._plan()
        return self

    def keeps(self, state, name):
        """Notes state that was made for each of `kept`; name(parameter) is what other processes call theirs. Returns it."""
        self.states.append(state)
        self.elsewhere.update([name(p) for p, place in zip(self.parameters, self.places) if place is None])
        return state

    def filter(self):
        """Whether this process updates each Parameter."""
        return tuple([place is not None for place in self.places])

    def owned(self):
        """(Parameter, its owner) of each Parameter that is divided, and of the state of these that is here."""
        for param, owner in zip(self.parameters, self.owners):
            if owner is not None:
                yield param, owner
        for state in self.states:
            for owner, place in zip(self.owners, self.places):
                if owner is not None and place is not None:
                    yield state[place], owner

    # -- the new values ---------------------------------------------------------------------------------------------------

    def _plan(self):
        """Plans what gather() sends: large Parameters alone, and rounds in which every process sends some of one dtype."""
        text = ", ".join("%s %s" % (p.name, tensor_text(p)) for p in self.parameters)
        self.layout = "%d Parameters (checksum %08x): %s" % (len(self.parameters), crc32(text.encode()), text)
        self.large = [i for i, owner in enumerate(self.owners) if owner is not None and self.parameters[i].nbytes >= _ROUND]
        parts = {}  # {dtype: for each rank the parts that it sends in turn, lists of indices}
        for index, owner in enumerate(self.owners):
            if owner is None or index in self.large:
                continue
            mine = parts.setdefault(self.parameters[index].dtype, [[] for _ in self.load])[owner]
            size = self.parameters[index].nbytes
            if not mine or mine[-1][0] + size > _ROUND:
                mine.append([0, []])
            mine[-1][0] += size
            mine[-1][1].append(index)
        self.agreed, self.rounds = False, []
        for dtype, ranks in parts.items():
            for number in range(max(len(mine) for mine in ranks)):
                self.rounds.append((dtype, [mine[number][1] if number < len(mine) else [] for mine in ranks]))

    def gather(self, gradients=None):
        """Gives every process the Parameters that the others have updated. RuntimeError if at the first call they had different gradients."""
        if not self.agreed or (gradients is not None and not self.compared):
            self._agree(gradients)
        group = self.group
        for index in self.large:
            param, owner = self.parameters[index], self.owners[index]
            sent = _ops.group_broadcast(param.detach(), None, _WHERE, group.number, group.rank, owner)[0]
            if owner != group.rank:
                _ops.assign(param, sent)
        for dtype, sent in self.rounds:
            self._round(dtype, sent)

    def _agree(self, gradients):
        """Compares the Parameters of the processes, and gradients once they are given."""
        with self.group.calling(_WHERE):
            check(self.group, _WHERE, self.layout)
            self.agreed = True
            if gradients is not None:
                self._compare(gradients)

    def _compare(self, gradients):
        """Each Parameter is updated with the gradient of its owner alone, which has to be the sum over the processes. Compares what the gradients'
        elements sum up to without their signs."""
        sums = _ops.stack([_ops.abs(g.detach()).astype(_msjit.dtypes["float64"]).sum() for g in gradients], 0)
        table = all_gather(sums, self.group, _WHERE).reshape((self.group.size, -1)).tolist()
        for param, owner, column in zip(self.parameters, self.owners, zip(*table)):
            if owner is not None and len(set(column)) > 1 and all(value == value for value in column):
                raise RuntimeError("[%s] gradient of %s, got different ones in the processes, expected their sum in all: call nn.DistributedGradReducer "
                                   "before the optimizer" % (_WHERE, param.name))
        self.compared = True

    def _round(self, dtype, sent):
        flat = [self.parameters[i].detach().reshape(-1) for i in sent[self.group.rank]]
        flat = _ops.concat(flat, 0) if flat else _ops.zeros((0,), dtype)
        counts = [sum([self.parameters[i].size for i in indices]) for indices in sent]
        out, at = _ops.group_all_gather(flat, None, _WHERE, self.group.number, self.group.size, counts)[0], 0
        for rank, indices in enumerate(sent):
            if rank == self.group.rank:
                at += counts[rank]
                continue
            for index in indices:
                param = self.parameters[index]
                _ops.assign(param, out[at:at + param.size].reshape(param.shape))
                at += param.size

    def groups_of_ranks(self):
        """The Parameters of each rank, as tuples in a list."""
        return [tuple([p for p, owner in zip(self.parameters, self.owners) if owner == rank]) for rank in range(self.group.size)]


class Shared:
    """The part of optimizers that divides their state. `_share` is None where it is not divided; `_kept` are the Parameters with state here, and
    `_places` the place of each Parameter's state. An optimizer of the program that defines construct keeps the whole state."""

    _share, _divided = None, False

    def _divide(self, parameters):
        """Decides where the state of Parameters is kept, before it is made."""
        if self._divided and self._share.states:
            raise NotImplementedError("[%s] parameters, got more after the state was made and divided over processes, expected all of them before"
                                      % type(self).__name__)
        share = share_of(self) if self._share is None else self._share
        divided = share is not None and share.add(parameters) and not is_own(type(self))
        whole = tuple(self.parameters)
        for name, value in (("_share", share), ("_divided", divided), ("_kept", share.kept if divided else whole),
                            ("_places", share.places if divided else tuple(range(len(whole))))):
            object.__setattr__(self, name, value)

    def _made(self, states, name):
        """A ParameterTuple of state, made for each of `_kept`. name(parameter): the name of its state."""
        states = ParameterTuple(states)
        return self._share.keeps(states, name) if self._divided else states

    def _clones(self, prefix, init):
        """State of the shape of the Parameters, named prefix.NAME."""
        made = ParameterTuple(self._kept).clone(prefix, init)
        for param in made:
            param.requires_grad = False
        return self._made(made, lambda p: "%s.%s" % (prefix, p.name))

    def _numbers(self, prefix, value):
        """One float32 number of state for each Parameter, named prefixNAME."""
        return self._made([Parameter(_msjit.ops.zeros((), _msjit.dtypes["float32"]) + value, name=prefix + p.name, requires_grad=False)
                           for p in self._kept], lambda p: prefix + p.name)

    def broadcast_params(self, optim_result):
        """Gives every process the Parameters that the others have updated; returns a list with the tuple of each rank. RuntimeError if the state is
        not divided."""
        if self._share is None:
            raise RuntimeError("[broadcast_params] use_parallel, got False, expected True: enable_parallel_optimizer and several processes")
        self._share.gather()
        return self._share.groups_of_ranks()
