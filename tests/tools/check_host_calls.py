"""Checks that calls of CPython which could run code of a program go through the gate, guards/py/host_call.h, and name a reason."""

import re
import sys

import sources

# Where every such call goes through the gate.
FOLDERS = ("guards/", "bytecode/", "interp_hook/", "pylib/ext/")
GATE = ("guards/py/host_call.h", "guards/py/host_call.cc")
# Functions of the C API that ask an object of the program: its class may answer in Python.
ASKS = re.compile(r"""\b(?:_?Py(?:
    Object_(?:Call|Vectorcall|GetAttr|SetAttr|DelAttr|HasAttr|GenericGetAttr|GenericSetAttr|RichCompare|IsTrue|Not|Hash|Str|Repr|
              ASCII|Format|Bytes|GetItem|SetItem|DelItem|GetIter|Size|Length|IsInstance|IsSubclass|Dir)\w*
  | Number_(?!Check)\w+ | Sequence_(?!Fast_|Check)\w+ | Mapping_(?!Check)\w+ | Iter_Next | Iter_Send
  | Set_(?:Add|Contains|Discard)\w* | Dict_(?:Set|Get|Contains|Del|Merge|Update)\w* | ODict_(?:SetItem|DelItem)
  | List_(?:Sort|Extend) | Unicode_(?:Join|Format|Contains|Concat) | Import_Import\w* | Type_Lookup\w* | Eval_Call\w*
  ) | python_binary | compat::vectorcall)\b
  | \b(?:tp|nb|sq|mp|am)_(?:call|hash|richcompare|iternext|iter|getattro?|setattro?|str|repr|descr_get|descr_set|init|new|bool|
              length|contains|subscript|ass_subscript|item|concat|index|int|float|add|subtract|multiply|power)
    (?=\s*\()""", re.X)
# The call is the gate's, or the function is kept for it, declared, or only compared with.
THROUGH_GATE = re.compile(r"(\bhost::call\(\s*host::\w+,|\bhost::through\(|[=!]=|<void\*>\(|\bPyObject\*)\s*$")
REASONS = ("host::values", "host::of_static", "host::checked", "host::program")
GATE_CALL = re.compile(r"\bhost::call\(\s*([\w:]+)")


def offences(path, text):
    """(line, what) of each call that goes past the gate, or through it without a reason."""
    if not path.startswith(FOLDERS) or path in GATE:
        return
    text = sources.blank(text)
    for match in ASKS.finditer(text):
        if not THROUGH_GATE.search(text[:match.start()]):
            yield text.count("\n", 0, match.start()) + 1, "%s() asks an object of the program: host::call" % match.group()
    for match in GATE_CALL.finditer(text):
        if match.group(1) not in REASONS:
            yield text.count("\n", 0, match.start()) + 1, "%s is no reason of the gate" % match.group(1)


def main():
    bad = 0
    for path in sources.files(*sources.CPP, ".inc"):
        for number, what in offences(path, sources.read(path)) if path.startswith(FOLDERS) else ():
            print("%s:%d: %s" % (path, number, what))
            bad += 1
    print("calls of CPython: %d offences" % bad)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
