"""Layout and shard: how tensors are divided over several devices. In one process they change nothing."""


class Layout:
    """A grid of devices with a name for each axis. Calling it with names says along which axes of the grid the axes of a tensor are divided.

    device_matrix  a tuple of sizes; alias_name  a tuple of as many names; rank_list  the ranks in the order of the grid.
    Raises TypeError for other types, ValueError for sizes and names that do not fit.

    >>> from msjit import Layout
    >>> Layout((2, 4), ("dp", "mp"))("dp", "None").to_dict()["tensor_map"]
    (1, -1)
    """

    def __init__(self, device_matrix, alias_name, rank_list=None):
        for name, value in (("device_matrix", device_matrix), ("alias_name", alias_name)):
            if not isinstance(value, tuple):
                raise TypeError("[layout] %s, got %s, expected a tuple" % (name, type(value).__name__))
        if len(device_matrix) != len(alias_name):
            raise ValueError("[layout] alias_name, got %d names, expected %d, one for each axis" % (len(alias_name), len(device_matrix)))
        for name in alias_name:
            if not isinstance(name, str):
                raise TypeError("[layout] alias_name, got %r, expected texts" % (name,))
            if not name or name == "None":
                raise ValueError("[layout] alias_name, got %r, which means an axis that is not divided, expected another name" % (name,))
        if len(set(alias_name)) != len(alias_name):
            raise ValueError("[layout] alias_name, got %s, expected each once" % (alias_name,))
        if "interleaved_parallel" in alias_name[:-1]:
            raise ValueError("[layout] alias_name, got %s, expected 'interleaved_parallel' behind the others" % (alias_name,))
        count = 1
        for size in device_matrix:
            if isinstance(size, bool) or not isinstance(size, int):
                raise TypeError("[layout] device_matrix, got %r, expected ints" % (size,))
            count *= size
        if rank_list is not None and not isinstance(rank_list, list):
            raise TypeError("[layout] rank_list, got %s, expected a list" % type(rank_list).__name__)
        if rank_list is not None and len(rank_list) != count:
            raise ValueError("[layout] rank_list, got %d ranks, expected %d" % (len(rank_list), count))
        self._sizes, self._names, self._map = device_matrix, alias_name, None
        self._ranks = list(range(count)) if rank_list is None else list(rank_list)

    def __call__(self, *tensor_map):
        """The same grid with names, or tuples of names, for the axes of a tensor; "None" for an axis that is not divided."""
        used = set()

        def place(name):
            if isinstance(name, tuple):
                return tuple(place(one) for one in name)
            if name == "None":
                return -1
            if name not in self._names:
                raise ValueError("[layout] axis, got %r, expected one of %s" % (name, self._names))
            if name in used:
                raise ValueError("[layout] axis, got %r twice, expected each name once" % (name,))
            used.add(name)
            return len(self._names) - 1 - self._names.index(name)
        made = Layout(self._sizes, self._names, self._ranks)
        made._map = tuple(place(name) for name in tensor_map)
        return made

    def to_dict(self):
        """Grid, names, ranks and the numbers of the axes, counted from the last; ValueError before the layout was called."""
        if self._map is None:
            raise ValueError("[layout] tensor_map, got none, expected the layout to be called with names first")
        return {"device_matrix": self._sizes, "tensor_map": self._map, "interleaved_parallel": "interleaved_parallel" in self._names,
                "alias_name": self._names, "rank_list": list(self._ranks)}


def check_strategies(where, **strategies):
    """Checks that strategies are tuples or left out."""
    for name, value in strategies.items():
        if value is not None and not isinstance(value, tuple):
            raise TypeError("[%s] %s, got %s, expected a tuple" % (where, name, type(value).__name__))


def shard(fn, in_strategy, out_strategy=None, parameter_plan=None, device="Ascend", level=0):
    """Returns fn itself. The strategies are checked, and change nothing in one process. TypeError for strategies that are no tuples, and for an fn
    that is not callable."""
    if not callable(fn):
        raise TypeError("[shard] fn, got %s, expected a function or a Cell" % type(fn).__name__)
    check_strategies("shard", in_strategy=in_strategy, out_strategy=out_strategy)
    if parameter_plan is not None and not isinstance(parameter_plan, dict):
        raise TypeError("[shard] parameter_plan, got %s, expected a dict" % type(parameter_plan).__name__)
    return fn


class _DistributedTensorInfo:
    """How one tensor is divided over a grid of devices: a Layout that was called with names. `sharding_strategy` has the number of parts
    along each axis. TypeError for anything but a Layout."""

    def __init__(self, distributed_info):
        if not isinstance(distributed_info, Layout):
            raise TypeError("[layout] distributed_info, got %s, expected a Layout" % type(distributed_info).__name__)
        self.distributed_info = self.layout = distributed_info

    @property
    def sharding_strategy(self):
        """A list of ints, 1 for an axis that is not divided; [1] before the layout was called."""
        sizes, parts = self.layout._sizes, []
        for places in self.layout._map or (-1,):
            count = 1
            for place in places if isinstance(places, tuple) else (places,):
                count *= 1 if place < 0 else sizes[len(sizes) - 1 - place]
            parts.append(count)
        return parts
