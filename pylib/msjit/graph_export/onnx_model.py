"""Writes a SavedGraph as an ONNX model. Values get names, nodes that depend on no input are computed here, and each operator has a rule
in onnx_ops.py."""
from .._native import _msjit
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from . import onnx_wire
from .run import Step, operators

_WHERE = "export"
_LARGEST = (1 << 31) - 1  # bytes of a message of protocol buffers


class Value:
    """A tensor of the model: its name, dtype name and shape. A `weak` one takes the dtype of its partners in operations. `known` is a constant's Tensor."""

    def __init__(self, name, dtype, shape, weak=False, known=None):
        self.name, self.dtype, self.shape, self.weak, self.known = name, dtype, tuple(shape), weak, known

    @property
    def rank(self):
        return len(self.shape)


class Model:
    """The ONNX model that the rules write to."""

    def __init__(self):
        self.nodes, self.initializers, self.values, self.count = [], [], {}, 0
        self.written = set()

    # -- for rules --

    def node(self, op, inputs, outputs=1, **attributes):
        """Appends a node; returns the name of its result, or a list of names if there are several."""
        if isinstance(outputs, int):
            outputs = [self.fresh() for _ in range(outputs)]
        self.nodes.append(onnx_wire.node(op, inputs, outputs, attributes))
        return outputs[0] if len(outputs) == 1 else outputs

    def fresh(self):
        self.count += 1
        return "v%d" % self.count

    def constant(self, array):
        """The name of a constant with the contents of a NumPy array."""
        name = self.fresh()
        self.initializers.append(onnx_wire.tensor(name, array.dtype.name, array.shape, array.tobytes()))
        return name

    def ints(self, values):
        import numpy
        return self.constant(numpy.asarray(values, numpy.int64))

    def filled(self, shape, value, dtype):
        """The name of a constant of one value."""
        name = self.fresh()
        self.write_tensor(name, _msjit.ops.full(tuple(shape), value, _msjit.dtypes[dtype]))
        return name

    def scalar(self, value, dtype):
        return self.filled((), value, dtype)

    def as_dtype(self, value, dtype):
        """The name of a Value in another dtype."""
        if value.known is not None and value.weak:
            return self.scalar(value.known.asnumpy().item(), dtype)
        return self.cast(self.name(value), value.dtype, dtype)

    def cast(self, name, given, wanted):
        return name if given == wanted else self.node("Cast", [name], to=onnx_wire.TYPES[wanted])

    def name(self, value):
        """The name of a Value. A constant is written into the model when its name is first needed."""
        if value.known is not None and value.name not in self.written:
            self.written.add(value.name)
            self.write_tensor(value.name, value.known)
        return value.name

    def write_tensor(self, name, value):
        from ..serialization import _wire
        dtype = value.dtype.name.lower()
        if dtype not in onnx_wire.TYPES:
            raise ValueError("[%s] dtype of %s, got %s, expected one that ONNX has" % (_WHERE, name, dtype))
        self.initializers.append(onnx_wire.tensor(name, dtype, value.shape, _wire(name, value)[3]))


def _known(node, given):
    """The results of a node whose inputs are all constants, or None."""
    op, inputs, attributes, outputs, parts = node
    if op == "constant":
        return [attributes["value"]]
    if parts or op not in operators() or "random" in operators()[op]["traits"] or any(v.known is None for v in given if v):
        return None
    step = Step(op, inputs, attributes, outputs, [])
    values = [v and (v.known.asnumpy().item() if v.weak and v.rank == 0 else v.known) for v in given]
    step.numbers = all(v is None or v.weak for v in given)
    return step._call(values)


def write(path, graph):
    """Writes a SavedGraph to a file.

    Raises ValueError for operators without a rule, branches and loops on tensor values, and random numbers.
    """
    from .. import __version__
    model = Model()
    inputs = _begin(model, graph)
    for node in graph.block["nodes"]:
        _write_node(model, node)
    outputs = _end(model, graph)
    data = onnx_wire.model(graph.name, model.nodes, model.initializers, inputs, outputs, __version__)
    if len(data) > _LARGEST:
        raise ValueError("[%s] size of the model, got %d bytes, expected at most 2 GiB" % (_WHERE, len(data)))
    with open(path, "wb") as file:
        file.write(data)


def _begin(model, graph):
    """Names the inputs of the block; returns the descriptions of the model's inputs."""
    taken = set(graph.tensors)
    names = []
    for name, _, _ in graph.inputs:
        while name in taken:
            name += "_input"
        taken.add(name)
        names.append(name)
    for (number, dtype, shape, weak), (kind, key) in zip(graph.block["inputs"], graph.sources):
        if kind == "input":
            model.values[number] = Value(names[key], dtype, shape, weak)
        else:
            known = graph.tensors[key]
            model.values[number] = Value(key, dtype, shape, weak, known.detach() if isinstance(known, Parameter) else known)
    return [onnx_wire.value_info(name, dtype, shape) for name, (_, dtype, shape) in zip(names, graph.inputs)]


def _write_node(model, node):
    from . import onnx_index, onnx_layout, onnx_quantised  # noqa: F401 - they add their rules
    from .onnx_ops import RULES
    op, inputs, attributes, outputs, parts = node
    given = [None if number < 0 else model.values[number] for number in inputs]
    results = [Value(model.fresh(), dtype, shape, weak) for _, dtype, shape, weak in outputs]
    for (number, _, _, _), result in zip(outputs, results):
        model.values[number] = result
    known = _known(node, given)
    if known is not None:
        for result, value in zip(results, known):
            result.known = value
        return
    if parts:
        raise ValueError("[%s] a branch or loop on the value of a tensor (%s), got it in the graph, expected none: ONNX files are "
                         "written of straight graphs; MINDIR keeps branches" % (_WHERE, op))
    if op not in RULES:
        raise ValueError("[%s] operator %s, got it in the graph, expected one with a rule for ONNX: %s"
                         % (_WHERE, op, ", ".join(sorted(RULES))))
    row = operators()[op]
    full = {p["name"]: p["default"] for p in row["params"] if not p["kind"].startswith("Tensor")}
    full.update(attributes)
    names = RULES[op](model, given, results, full)
    for result, name in zip(results, [names] if isinstance(names, str) else names):
        result.name = name


def _end(model, graph):
    """Names the results of the network; returns the descriptions of the model's outputs."""
    described = []
    for at, place in enumerate(_flat(graph.result)):
        number = graph.block["inputs"][place[1]][0] if isinstance(place, tuple) else graph.block["outputs"][place]
        value = model.values[number]
        name = "output%d" % at
        model.node("Identity", [model.name(value)], [name])
        described.append(onnx_wire.value_info(name, value.dtype, value.shape))
    if not described:
        raise ValueError("[%s] result, got none, expected one Tensor at least" % _WHERE)
    return described


def _flat(result):
    if result is None:
        return []
    if isinstance(result, int) or (isinstance(result, tuple) and len(result) == 2 and result[0] == "input"):
        return [result]
    return [place for part in result for place in _flat(part)]


def same_dtype(values):
    """The dtype that operands of a comparison are compared in."""
    strong = [v.dtype for v in values if not v.weak]
    if len(set(strong)) == 1 and not any(v.weak and v.dtype.startswith("float") and not strong[0].startswith(("float", "bfloat"))
                                         for v in values):
        return strong[0]
    arguments = [v.known.asnumpy().item() if v.weak and v.known is not None else
                 Tensor([0]).astype(_msjit.dtypes[v.dtype]) for v in values]
    return _msjit.ops.add(*arguments).dtype.name.lower()
