"""Runs a SavedGraph: its nodes become steps, each of which calls an operator. If the call of a GraphCell is compiled, the steps are captured."""
from .._native import _msjit
from ..common.tensor import Tensor

_CONTROL = ("if", "while", "scan")


class BadGraph(ValueError):
    """The graph cannot be run."""


class Step:
    """One node, ready to run on a dict of values by their numbers."""

    def __init__(self, op, inputs, attributes, outputs, parts):
        self.op, self.attributes, self.parts = op, attributes, parts
        self.inputs, self.outputs = inputs, outputs
        self.function, self.names, self.variadic, self.numbers = None, (), False, False
        if op not in _CONTROL and op != "constant":
            self.function = getattr(_msjit.ops, op)
            row = operators()[op]
            tensors = [p["name"] for p in row["params"] if p["kind"].startswith("Tensor")]
            self.variadic = any(p["kind"] == "Tensor[]" for p in row["params"])
            self.names = tuple(tensors)
            self.numbers = bool(inputs)  # only of Python numbers; Block corrects it
        if op == "constant":
            self.value = _plain_number(attributes["value"], outputs)

    def run(self, values):
        if self.op == "constant":
            results = (self.value,)
        elif self.function is not None:
            results = self._call([None if i < 0 else values[i] for i in self.inputs])
        else:
            results = _run_control(self, [values[i] for i in self.inputs])
        for (number, _, _, _), result in zip(self.outputs, results):
            values[number] = result

    def _call(self, given):
        if self.numbers:
            given = [value if value is None else _strong(value) for value in given]
        arguments = dict(self.attributes)
        if self.variadic:
            arguments[self.names[0]] = given
        else:
            for name, value in zip(self.names, given):
                arguments[name] = value
        result = self.function(**arguments)
        return result if isinstance(result, tuple) else (result,)


def operators():
    """The rows of the registry by name."""
    if not _rows:
        _rows.update((row["name"], row) for row in _msjit.op_table())
    return _rows


_rows = {}


def _plain_number(value, outputs):
    """The value of a constant: a Python number if the constant is weak, that is, takes the dtype of its partners in operations."""
    weak = outputs[0][3]
    return value.asnumpy().item() if weak and value.ndim == 0 else value


def _strong(value):
    """A Python number as the Tensor that a graph has it as."""
    kinds = {bool: "bool", int: "int64", float: "float64"}
    return Tensor(value, _msjit.dtypes[kinds[type(value)]]) if type(value) in kinds else value


class Block:
    """A graph or a part of one: steps between inputs and outputs."""

    def __init__(self, data):
        self.inputs = [value[0] for value in data["inputs"]]
        self.outputs = list(data["outputs"])
        self.steps = [Step(op, inputs, attributes, outputs, [Block(part) for part in parts])
                      for op, inputs, attributes, outputs, parts in data["nodes"]]
        numbers = {step.outputs[0][0] for step in self.steps if step.op == "constant" and not isinstance(step.value, Tensor)}
        for step in self.steps:
            step.numbers = step.numbers and all(number < 0 or number in numbers for number in step.inputs)

    def run(self, inputs):
        values = dict(zip(self.inputs, inputs))
        for step in self.steps:
            step.run(values)
        return [values[number] for number in self.outputs]


def _run_control(step, given):
    if step.op == "if":
        return step.parts[0].run(given[1:]) if given[0] else step.parts[1].run(given[1:])
    if step.op == "while":
        return _run_while(step, given)
    return _run_scan(step, given)


def _run_while(step, given):
    count = len(step.outputs)
    carried, others = given[:count], given[count:]
    again = True
    while again:  # the body runs once at least
        results = step.parts[0].run(carried + others)
        again, carried = results[0], results[1:]
    return carried


def _run_scan(step, given):
    length, carried_count = step.attributes["length"], step.attributes["carried"]
    scanned_count = step.attributes["scanned"]
    carried = given[:carried_count]
    rows = given[carried_count:carried_count + scanned_count]
    others = given[carried_count + scanned_count:]
    stacked = [[] for _ in range(len(step.outputs) - carried_count)]
    turns = range(length - 1, -1, -1) if step.attributes.get("reverse") else range(length)
    for turn in turns:
        results = step.parts[0].run(carried + [row[turn] for row in rows] + others)
        carried = results[:carried_count]
        for kept, value in zip(stacked, results[carried_count:]):
            kept.append(value)
    if step.attributes.get("reverse"):
        stacked = [kept[::-1] for kept in stacked]
    return carried + [_msjit.ops.stack(kept) for kept in stacked]


def build(result, outputs, inputs):
    """Builds the result of the call from the outputs and inputs of its block."""
    if isinstance(result, bool) or result is None:
        return None
    if isinstance(result, int):
        value = outputs[result]
        return value if isinstance(value, Tensor) else Tensor(value)
    if isinstance(result, tuple) and len(result) == 2 and result[0] == "input":
        return inputs[result[1]]
    return type(result)([build(part, outputs, inputs) for part in result])
