"""msjit's graph files. They consist of a line, the length of a head, the head as JSON, and the contents of the tensors.

Reading runs no code of the file: the head names operators of the registry, and every name, number and length in it is checked before
it is used.
"""
import json

from .. import checkpoint_file
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from .captured import SavedGraph
from .run import operators

MAGIC = b"msjit graph 1\n"
_MOST_HEAD, _MOST_NESTING = 1 << 30, 50
_CONTROL = {"if": 2, "while": 1, "scan": 1}  # and how many parts they have
_SCAN = {"length": int, "carried": int, "scanned": int, "reverse": bool}


class BadFile(ValueError):
    """The bytes are no graph file."""


# -- writing --------------------------------------------------------------------------------------------------------------


def write(path, graph):
    """Writes a SavedGraph."""
    contents, table = [], []

    def keep(name, value):
        from ..serialization import _wire
        _, kind, dims, content = _wire(name, value)
        table.append({"name": name, "type": kind, "dims": list(dims), "size": len(content),
                      "parameter": isinstance(value, Parameter), "trained": bool(getattr(value, "requires_grad", False))})
        contents.append(content)
        return len(table) - 1
    for name, value in graph.tensors.items():
        keep(name, value)
    head = {"name": graph.name, "inputs": [[name, dtype, list(shape)] for name, dtype, shape in graph.inputs],
            "sources": graph.sources, "result": _result_data(graph.result), "graph": _block_data(graph.block, keep),
            "tensors": table}
    text = json.dumps(head).encode("utf-8")
    with open(path, "wb") as file:
        file.write(MAGIC + len(text).to_bytes(8, "little") + text)
        for content in contents:
            file.write(content)


def _block_data(block, keep):
    nodes = []
    for op, inputs, attributes, outputs, parts in block["nodes"]:
        data = {name: _attribute_data(value, keep) for name, value in attributes.items()}
        nodes.append([op, inputs, data, [list(value) for value in outputs], [_block_data(part, keep) for part in parts]])
    return {"inputs": [list(value) for value in block["inputs"]], "nodes": nodes, "outputs": block["outputs"]}


def _attribute_data(value, keep):
    if isinstance(value, Tensor):
        return {"tensor": keep("", value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        return list(value)
    return {"dtype": value.name.lower()}


def _result_data(result):
    if isinstance(result, tuple) and len(result) == 2 and result[0] == "input":
        return {"input": result[1]}
    if isinstance(result, (tuple, list)):
        return {type(result).__name__: [_result_data(part) for part in result]}
    return result


# -- reading --------------------------------------------------------------------------------------------------------------


def read(path):
    """The SavedGraph of a file. Raises BadFile for any other file."""
    with open(path, "rb") as file:
        data = memoryview(file.read())
    start = len(MAGIC) + 8
    if bytes(data[:len(MAGIC)]) != MAGIC or len(data) < start:
        raise BadFile("it does not begin as a graph file of msjit does")
    size = int.from_bytes(data[len(MAGIC):start], "little")
    if size > min(len(data) - start, _MOST_HEAD):
        raise BadFile("its head reaches beyond the end")
    try:
        head = json.loads(bytes(data[start:start + size]).decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadFile("its head is no JSON") from None
    try:
        return _graph(head, data[start + size:])
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError, OverflowError):
        raise BadFile("its head is incomplete") from None


def _expect(holds, text):
    if not holds:
        raise BadFile(text)


def _is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _graph(head, contents):
    tensors = _tensors(head["tensors"], contents)
    named = {row["name"]: value for row, value in zip(head["tensors"], tensors) if row["name"]}
    inputs = [(str(name), str(dtype), _shape(shape)) for name, dtype, shape in head["inputs"]]
    block = _Reader(tensors).block(head["graph"], 0)
    sources = [tuple(source) for source in head["sources"]]
    _expect(len(sources) == len(block["inputs"]), "the number of its inputs is not that of its graph")
    for kind, key in sources:
        _expect(kind == "input" and _is_count(key) and key < len(inputs) or kind == "tensor" and key in named,
                "an input has no source")
    result = _result(head["result"], len(block["outputs"]), len(sources), 0)
    return SavedGraph(str(head["name"]), inputs, block, sources, named, result)


def _tensors(table, contents):
    found, at = [], 0
    for row in table:
        name, kind, dims, size = row["name"], row["type"], _shape(row["dims"]), row["size"]
        _expect(isinstance(name, str) and isinstance(kind, str) and _is_count(size), "a tensor is not described")
        _expect(size <= len(contents) - at, "a tensor reaches beyond the end")
        try:
            array = checkpoint_file._array(name, kind, dims, contents[at:at + size])
        except checkpoint_file.BadFile as error:
            raise BadFile(str(error)) from None
        _expect(not isinstance(array, str), "a tensor is a text")
        at += size
        value = _tensor(array, kind)
        if row["parameter"]:
            value = Parameter(value, name=name or "constant", requires_grad=bool(row["trained"]))
        found.append(value)
    return found


def _tensor(array, kind):
    if kind != "BFloat16":
        return Tensor(array.copy())
    import numpy

    from ..common import dtype as mstype
    wide = (array.astype(numpy.uint32) << 16).view(numpy.float32)
    return Tensor(wide.reshape(array.shape)).astype(mstype.bfloat16)


def _shape(dims):
    _expect(isinstance(dims, list) and all(_is_count(d) for d in dims) and len(dims) <= 64, "a shape is none")
    return tuple(dims)


class _Reader:
    """Checks the nodes of a graph against the registry."""

    def __init__(self, tensors):
        self.tensors = tensors

    def block(self, data, depth):
        _expect(depth < _MOST_NESTING, "its branches and loops are nested too deeply")
        inputs = [self.value(value) for value in data["inputs"]]
        known = {value[0] for value in inputs}
        nodes = [self.node(node, known, depth) for node in data["nodes"]]
        _expect(all(_is_count(number) and number in known for number in data["outputs"]), "an output is not computed")
        return {"inputs": inputs, "nodes": nodes, "outputs": list(data["outputs"])}

    def value(self, data):
        number, dtype, shape, weak = data
        _expect(_is_count(number) and isinstance(dtype, str) and isinstance(weak, bool), "a value is not described")
        return number, dtype, _shape(shape), weak

    def node(self, data, known, depth):
        op, inputs, attributes, outputs, parts = data
        _expect(isinstance(op, str) and isinstance(attributes, dict), "a node is not described")
        for number in inputs:
            _expect(number == -1 or _is_count(number) and number in known, "an input of %s is not computed" % op)
        if op == "constant":
            attributes = {"value": self.tensors[self.place(attributes["value"])]}
        elif op in _CONTROL:
            attributes = {name: attributes[name] for name, kind in _SCAN.items() if op == "scan" and name in attributes
                          and isinstance(attributes[name], kind)}
            _expect(len(parts) == _CONTROL[op], "%s has another number of parts" % op)
            _expect(op != "scan" or {"length", "carried", "scanned"} <= set(attributes), "scan lacks attributes")
        else:
            attributes = self.attributes(op, attributes)
        results = [self.value(value) for value in outputs]
        _expect(results, "%s has no result" % op)
        known.update(value[0] for value in results)
        return op, list(inputs), attributes, results, [self.block(part, depth + 1) for part in parts]

    def place(self, data):
        place = data["tensor"]
        _expect(_is_count(place) and place < len(self.tensors), "a constant is not there")
        return place

    def attributes(self, op, data):
        row = operators().get(op)
        _expect(row is not None and "in_place" not in row["traits"], "there is no operator %r" % op)
        kinds = {p["name"]: p["kind"] for p in row["params"] if not p["kind"].startswith("Tensor")}
        found = {}
        for name, value in data.items():
            _expect(name in kinds, "%s has no attribute %r" % (op, name))
            found[name] = self.attribute(op, value)
        return found

    def attribute(self, op, value):
        if isinstance(value, dict):
            from .._native import _msjit
            _expect(value.get("dtype") in _msjit.dtypes, "a dtype of %s is none" % op)
            return _msjit.dtypes[value["dtype"]]
        if isinstance(value, list):
            _expect(all(isinstance(item, int) and not isinstance(item, bool) for item in value),
                    "a list of %s is not one of ints" % op)
            return tuple(value)
        return value


def _result(data, outputs, inputs, depth):
    _expect(depth < _MOST_NESTING, "its result is nested too deeply")
    if data is None:
        return None
    if isinstance(data, dict):
        (kind, parts), = data.items()
        if kind == "input":
            _expect(_is_count(parts) and parts < inputs, "its result is not computed")
            return "input", parts
        _expect(kind in ("tuple", "list") and isinstance(parts, list), "its result is not described")
        found = [_result(part, outputs, inputs, depth + 1) for part in parts]
        return tuple(found) if kind == "tuple" else found
    _expect(_is_count(data) and data < outputs, "its result is not computed")
    return data
