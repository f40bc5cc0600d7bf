"""Writes captured graphs to files: in msjit's own format, which runs without the program's source, or as ONNX."""
import os

from .captured import SavedGraph

_SUFFIXES = {"MINDIR": ".mindir", "ONNX": ".onnx"}
_REFUSED = ("enc_key", "dec_key", "obf_config")  # Keywords of MindSpore that would change the contents of the file, and are not supported.


def export(net, *inputs, file_name, file_format="MINDIR", **kwargs):
    """Writes the graph of net(*inputs) to a file, with its Parameters. Another process can run it without the source.

    net          a Cell or a function, written in its present state; call set_train(False) before
    inputs       example Tensors: the file fixes their shapes and dtypes
    file_name    the suffix .mindir or .onnx is added if it is missing; the file gets its name only when it is complete
    file_format  "MINDIR": a file that `load` and nn.GraphCell read (msjit's own format, not MindSpore's); "ONNX": opset 17

    The call must be one graph that changes nothing. Raises TypeError for arguments of wrong types, ValueError for other formats, for calls
    that are not one graph and for operators that ONNX does not have, RuntimeError if there is no bytecode JIT.

    >>> import os, tempfile
    >>> import msjit as ms
    >>> net = ms.nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    >>> path = os.path.join(tempfile.mkdtemp(), "dense")
    >>> ms.export(net, ms.Tensor([[1.0, 2.0, 3.0]]), file_name=path)
    >>> print(ms.nn.GraphCell(ms.load(path + ".mindir"))(ms.Tensor([[1.0, 2.0, 4.0]])))
    [[7. 7.]]
    """
    where = "export"
    for name in _REFUSED:
        if kwargs.get(name) is not None:
            raise NotImplementedError("[%s] %s, got a value, expected it left out" % (where, name))
    if not isinstance(file_name, (str, os.PathLike)):
        raise TypeError("[%s] file_name, got %s, expected a str" % (where, type(file_name).__name__))
    if file_format not in _SUFFIXES:
        raise ValueError("[%s] file_format, got %r, expected 'MINDIR' or 'ONNX'" % (where, file_format))
    from ..serialization import _replace
    from .captured import capture
    path, suffix = os.fspath(file_name), _SUFFIXES[file_format]
    path = path if path.endswith(suffix) else path + suffix
    graph = capture(net, inputs)
    if file_format == "ONNX":
        from .onnx_model import write
    else:
        from .graph_file import write
    _replace(path, lambda temporary: write(temporary, graph))


def load(file_name, **kwargs):
    """The SavedGraph of a file that `export` wrote with file_format="MINDIR"; nn.GraphCell runs it.

    Nothing in the file is run as code: it only names operators of msjit, and all names are checked. Raises ValueError for a damaged file, for
    other kinds of files and for a file name of another type.
    """
    where = "load"
    for name in _REFUSED:
        if kwargs.get(name) is not None:
            raise NotImplementedError("[%s] %s, got a value, expected it left out" % (where, name))
    if not isinstance(file_name, (str, os.PathLike)):
        raise ValueError("[%s] file_name, got %s, expected a str" % (where, type(file_name).__name__))
    path = os.fspath(file_name)
    if not os.path.isfile(path):
        raise ValueError("[%s] file_name, got %s, expected a file that is there" % (where, path))
    from .graph_file import BadFile, read
    try:
        return read(path)
    except BadFile as error:
        raise ValueError("[%s] file, got %s: %s, expected a whole graph file" % (where, path, error)) from None


__all__ = ["SavedGraph", "export", "load"]
