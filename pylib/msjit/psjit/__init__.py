"""PSJit: the front end that compiles what a function's source says.

The source is parsed and judged construct by construct (`rules`); the function's bytecode is then captured by the same
symbolic executor as under PIJit, with a stricter policy. At level STRICT the source has to be in the language,
and where fullgraph asks for it the whole function becomes one graph, or CompileError names the place. At level LAX, the
default, the interpreter runs what is outside, inside the call.
"""
from .check import check, refuse

__all__ = ["check", "refuse"]
