"""GraphCell: a network from a file that `export` wrote."""
from .._native import _msjit
from ..common.parameter import Parameter, ParameterTuple
from ..common.tensor import Tensor
from .cell import Cell


class GraphCell(Cell):
    """Runs a graph that ms.load has read, without the source code of the network. Its Parameters can be trained further.

    graph        what ms.load returned
    params_init  {name: Parameter or Tensor}: values to start from instead of those of the file

    Inputs must have the shapes and dtypes of the export; others raise ValueError. Raises TypeError if `graph` is not a loaded graph.
    """

    def __init__(self, graph, params_init=None, obf_random_seed=None):
        super().__init__()
        from ..graph_export import SavedGraph
        from ..graph_export.run import Block, build
        where = "graph_cell"
        if not isinstance(graph, SavedGraph):
            raise TypeError("[%s] graph, got %s, expected what load returns" % (where, type(graph).__name__))
        if params_init is not None and not isinstance(params_init, dict):
            raise TypeError("[%s] params_init, got %s, expected a dict" % (where, type(params_init).__name__))
        if obf_random_seed is not None:
            raise NotImplementedError("[%s] obf_random_seed, got a value, expected None" % where)
        tensors = dict(graph.tensors, **_initial(graph, params_init or {}))
        self._expected = [(name, _msjit.dtypes[dtype], shape) for name, dtype, shape in graph.inputs]
        self._result, self._block, self._build = graph.result, Block(graph.block), build
        self._sources = [(kind, key if kind == "input" else tensors[key]) for kind, key in graph.sources]
        self.weights = ParameterTuple([t for t in tensors.values() if isinstance(t, Parameter)])

    def construct(self, *inputs):
        if len(inputs) != len(self._expected):
            raise ValueError("[graph_cell] number of inputs, got %d, expected %d" % (len(inputs), len(self._expected)))
        for value, (name, dtype, shape) in zip(inputs, self._expected):
            _check_input(value, name, dtype, shape)
        given = [inputs[key] if kind == "input" else key for kind, key in self._sources]
        return self._build(self._result, self._block.run(given), given)


def _check_input(value, name, dtype, shape):
    if not isinstance(value, Tensor):
        raise TypeError("[graph_cell] input %s, got %s, expected a Tensor" % (name, type(value).__name__))
    if value.shape != shape or value.dtype != dtype:
        raise ValueError("[graph_cell] input %s, got %s %s, expected %s %s"
                         % (name, value.dtype, value.shape, str(dtype).lower(), shape))


def _initial(graph, params_init):
    """Sets Parameters of the graph to other values than those of the file; returns {name: Parameter}."""
    found = {}
    for name, value in params_init.items():
        kept = graph.tensors.get(name)
        if not isinstance(kept, Parameter):
            raise ValueError("[graph_cell] params_init, got the name %r, expected one of %s" % (
                name, [n for n, t in graph.tensors.items() if isinstance(t, Parameter)]))
        if not isinstance(value, Tensor) or tuple(value.shape) != tuple(kept.shape):
            raise ValueError("[graph_cell] params_init of %s, got another shape or no Tensor, expected the shape %s"
                             % (name, tuple(kept.shape)))
        kept.set_data(value.astype(kept.dtype))
        found[name] = kept
    return found
