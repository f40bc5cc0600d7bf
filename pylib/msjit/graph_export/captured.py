"""Captures a network that is called with example inputs as a SavedGraph, which holds all tensors that the call depends on.

PIJit captures the network inside a function made for the purpose, with the sizes of the inputs as constants. It must be one graph and
must not change anything. The graph is that of the network's present state: training or not, and the values of its attributes.
"""
import contextlib
import itertools

from .._native import _msjit
from ..common.parameter import Parameter
from ..common.tensor import Tensor

_WHERE = "export"
_exports = itertools.count()


class SavedGraph:
    """A graph with its tensors.

    inputs    one (name, dtype name, shape) for each input of the network
    block     the graph: {"inputs", "nodes", "outputs"} as pylib/ext/jit_export.cc writes it, constants as nodes
    sources   one for each input of the block: ("input", number) or ("tensor", name)
    tensors   {name: Tensor or Parameter}
    result    what a call returns: the number of an output, ("input", number of an input of the block), None, or a tuple or list of these
    """

    def __init__(self, name, inputs, block, sources, tensors, result):
        self.name, self.inputs, self.block = name, inputs, block
        self.sources, self.tensors, self.result = sources, tensors, result

    def __repr__(self):
        return "SavedGraph(%s, %d inputs, %d operators, %d tensors)" % (
            self.name, len(self.inputs), len(self.block["nodes"]), len(self.tensors))


def capture(net, inputs):
    """The SavedGraph of net(*inputs).

    Raises TypeError for inputs that are no Tensors, ValueError if the call is not one graph that changes nothing, and RuntimeError
    if there is no bytecode JIT.
    """
    if not _msjit.has_jit:
        raise RuntimeError("[%s] interpreter, got one without the bytecode JIT, expected one with it: %s"
                           % (_WHERE, _msjit.no_jit_reason))
    net = _plain(net)
    for value in inputs:
        if not isinstance(value, Tensor):
            raise TypeError("[%s] inputs, got %s, expected Tensors" % (_WHERE, type(value).__name__))
    function = _caller(len(inputs))
    with _whole_regions():
        _compile(function)(net, *inputs)
        try:
            found = _msjit.captured_graph(function, (net,) + tuple(inputs))
        except ValueError as error:
            raise ValueError("[%s] %s" % (_WHERE, error)) from None
    _check_nodes(found["graph"], _calls())
    sources, tensors = _sources(net, inputs, found["inputs"])
    described = [(name, _dtype_name(value), tuple(value.shape)) for name, value in zip(_names(net, len(inputs)), inputs)]
    return SavedGraph(type(net).__name__, described, found["graph"], sources, tensors, found["result"])


def _plain(net):
    from ..jit import _plain as without_jit
    from ..nn.cell import Cell
    net = without_jit(net)
    if not isinstance(net, Cell) and not callable(net):
        raise TypeError("[%s] net, got %s, expected a Cell or a function" % (_WHERE, type(net).__name__))
    return net


def _caller(count):
    """Makes a new function for each export, so that earlier captures, such as those with open sizes, are not used."""
    names, place = ", ".join("x%d" % i for i in range(count)), "<export %d>" % next(_exports)
    namespace = {}
    exec(compile("def call(net, %s):\n    return net(%s)\n" % (names, names), place, "exec"), namespace)
    return namespace["call"]


def _compile(function):
    from ..jit import jit
    return jit(function, mode="PIJit")


@contextlib.contextmanager
def _whole_regions():
    """Capturing is on, and no exits are forced."""
    from ..config import config
    before = {name: getattr(config, name) for name in ("enabled", "break_every")}
    config.enabled, config.break_every = True, 0
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(config, name, value)


def _dtype_name(value):
    return value.dtype.name.lower()


def _names(net, count):
    """Names for the inputs: those of construct's parameters, if there are enough."""
    import inspect
    try:
        parameters = list(inspect.signature(getattr(net, "construct", net)).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [names[i] if i < len(names) else "input%d" % i for i in range(count)]


def _calls():
    """The operators that call other processes."""
    return [row["name"] for row in _msjit.op_table() if "collective" in row["traits"]]


def _check_nodes(block, calls):
    """Refuses what a file cannot hold: calls of other processes, and a weak value, whose dtype is that of its partners in operations."""
    for op, _, _, outputs, parts in block["nodes"]:
        if op in calls:
            raise ValueError("[%s] operator %s, got a call of other processes, expected none" % (_WHERE, op))
        if op != "constant" and any(weak for _, _, _, weak in outputs):
            raise ValueError("[%s] operator %s, got one on Python numbers alone, expected a Tensor among its arguments"
                             % (_WHERE, op))
        for part in parts:
            _check_nodes(part, calls)


def _sources(net, inputs, found):
    """Where each input of the block comes from, and the tensors among them by name."""
    places, names, tensors, sources = {}, {}, {}, []
    for number, value in enumerate(inputs):
        places.setdefault(id(value), number)
    for parameter in getattr(net, "get_parameters", list)():
        names[id(parameter)] = parameter.name
    for value in found:
        if id(value) in places:
            sources.append(("input", places[id(value)]))
            continue
        name = names.get(id(value)) or (value.name if isinstance(value, Parameter) else "constant.%d" % len(tensors))
        if name in tensors and tensors[name] is not value:
            raise ValueError("[%s] Parameters, got two of the name %r, expected different names" % (_WHERE, name))
        tensors[name] = value
        sources.append(("tensor", name))
    return sources, tensors
