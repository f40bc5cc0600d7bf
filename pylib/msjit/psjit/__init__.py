"""PSJit: the front end that checks the source of a function before it is compiled.

It parses the source and checks each construct (`rules`). The function's bytecode is then captured by the same
symbolic executor as under PIJit, with a stricter policy. At level STRICT the source must be in the language; with fullgraph
the whole function must become one graph. If not, a CompileError names the place. At level LAX, the default, the interpreter
runs the parts outside the language, inside the call.
"""
from .check import check, refuse

__all__ = ["check", "refuse"]
