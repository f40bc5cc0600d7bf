"""Computes which part of a Parameter a process has, and assembles parts of another division from such parts."""
import functools
import operator

_MOST = 1 << 20  # devices


def product(sizes):
    return functools.reduce(operator.mul, sizes, 1)


class Division:
    """How a Parameter is divided over the processes of one stage of a pipeline.

    devices: the sizes of the axes of a grid of devices, the last one varying fastest. axes: for each axis of the Parameter, the axes of
    that grid over which it is divided, counted from the first. shared: so many processes, which would otherwise have the same part, divide
    the first axis once more (MindSpore's parallel optimizer).
    """

    def __init__(self, devices, axes, shared=0, stages=(0,), split=()):
        self.devices, self.axes, self.stages, self.split = list(devices), list(axes), list(stages), list(split)
        used = {axis for group in axes for axis in group}
        self._free = [axis for axis in range(len(self.devices)) if axis not in used]
        most = product(self.devices[axis] for axis in self._free)
        self.shared = most if shared == -1 else max(shared, 1)
        if most % self.shared:
            raise ValueError("[strategy] opt_weight_shard_size, got %d, expected a divisor of the %d processes that have the same part"
                             % (self.shared, most))

    @property
    def processes(self):
        return product(self.devices)

    def parts(self, axis):
        """How many parts an axis has, without the optimizer's."""
        return product(self.devices[a] for a in self.axes[axis]) if axis < len(self.axes) else 1

    def full_shape(self, shape):
        """The shape of the whole Parameter, computed from the shape of a part."""
        whole = [size * self.parts(axis) for axis, size in enumerate(shape)]
        if whole:
            whole[0] *= self.shared
        return tuple(whole)

    def _number(self, place, axes):
        number = 0
        for axis in axes:
            number = number * self.devices[axis] + place[axis]
        return number

    def part(self, rank, shape):
        """The (start, stop) along each axis of the part that a process has of a Parameter; ValueError if the shape cannot be divided."""
        place, rest = [0] * len(self.devices), rank % self.processes
        for axis in reversed(range(len(self.devices))):
            rest, place[axis] = divmod(rest, self.devices[axis])
        bounds = []
        for axis, size in enumerate(shape):
            group = self.axes[axis] if axis < len(self.axes) else ()
            parts, number = self.parts(axis), self._number(place, group)
            if axis == 0 and self.shared > 1:
                number = number * self.shared + self._number(place, self._free) % self.shared
                parts *= self.shared
            if size % parts:
                raise ValueError("[strategy] axis %d of %d elements, got %d parts, expected a divisor" % (axis, size, parts))
            bounds.append((size // parts * number, size // parts * (number + 1)))
        return tuple(bounds)


WHOLE = Division([1], [])


def division_of(name, layouts):
    """The Division that a layout in a strategy file describes; ValueError if it describes none."""
    try:
        devices = list(layouts.dev_matrix[0].dim)
        maps = [list(found.dim) for found in layouts.tensor_map]
        groups = [m for m in maps if m] if len(maps) > 1 else [[m] for m in maps[0]]
    except (AttributeError, IndexError):
        raise ValueError("[strategy] layout of %s, got no matrix of devices or no tensor map, expected both" % name) from None
    if layouts.field:
        raise NotImplementedError("[strategy] field of the layout of %s, got %d, expected 0: tables divided by fields are not offered"
                                  % (name, layouts.field))
    axes = [[len(devices) - 1 - number for number in group if number >= 0] for group in groups]
    if not all(0 < size <= _MOST for size in devices) or product(devices) > _MOST:
        raise ValueError("[strategy] matrix of devices of %s, got %s, expected 1 to %d devices" % (name, devices, _MOST))
    if layouts.opt_weight_shard_size < -1:
        raise ValueError("[strategy] opt_weight_shard_size of %s, got %d, expected -1 or more" % (name, layouts.opt_weight_shard_size))
    if any(not 0 <= axis < len(devices) for group in axes for axis in group):
        raise ValueError("[strategy] tensor map of %s, got %s, expected axes of the devices %s" % (name, maps, devices))
    split = layouts.param_split_shape[0].dim if layouts.param_split_shape else ()
    return Division(devices, axes, layouts.opt_weight_shard_size, split=split)


def divisions(layouts, rank=None):
    """{name: Division} of the layouts of a file; a name "2-weight" is that of `weight` in stage 2 of a pipeline.

    A Parameter that belongs to several stages is divided as in the first one or, for a rank after the first stage, as in a later one.
    """
    found = {}
    for full_name, item in layouts.items():
        stage, name = full_name.split("-", 1) if "-" in full_name else ("0", full_name)
        made, known = division_of(name, item), found.get(name)
        made.stages = (known.stages if known else []) + [int(stage)]
        later = rank is not None and rank // made.processes > 0
        if known is None or later == (int(stage) > 0) and (later or int(stage) <= min(known.stages)):
            found[name] = made
        else:
            known.stages = made.stages
    return found


def overlap(part, other):
    """The common (start, stop) of each axis, or None."""
    common = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(part, other))
    return None if any(start >= stop for start, stop in common) else common


def sources(source, target, rank, shape):
    """The local ranks of `source`, in ascending order, whose parts make up the part that `rank` has in `target`.

    Among processes with the same part, that with the number of `rank` is used, else the lowest one. So a process that has all of it reads its
    own part.
    """
    wanted = target.part(rank, shape)
    chosen = {}
    own = rank % source.processes
    for local in [own] + [r for r in range(source.processes) if r != own]:
        part = source.part(local, shape)
        if overlap(part, wanted) is not None:
            chosen.setdefault(part, local)
    return sorted(chosen.values())


def assemble(arrays, source, target, rank):
    """The NumPy array that `rank` has in `target`, from {local rank: array} in `source`; KeyError(local rank) for a missing one."""
    import numpy
    sample = next(iter(arrays.values()))
    shape = source.full_shape(sample.shape)
    wanted = target.part(rank, shape)
    out = numpy.empty([stop - start for start, stop in wanted], sample.dtype)
    parts = {}
    for local in arrays:
        parts.setdefault(source.part(local, shape), local)
    for local in sources(source, target, rank, shape):
        part = source.part(local, shape)
        if part not in parts:
            raise KeyError(local)
        common = overlap(part, wanted)
        out[_index(common, wanted)] = arrays[parts[part]][_index(common, part)]
    return out


def _index(common, part):
    return tuple(slice(start - base, stop - base) for (start, stop), (base, _) in zip(common, part))
