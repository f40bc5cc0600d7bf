"""Checks that a message which shows one value wraps it in a tuple. `"got %s" % value` fails where a program passes a tuple as the value."""

import ast
import re
import sys

import sources

CONVERSION = re.compile(r"%[-#0 +]*\d*(?:\.\d+)?[a-zA-Z]")
SHOWN = re.compile(r"got %[sr]")


def offences(text):
    """The lines of messages whose one value may be a tuple."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
            message = node.left.value
            bare = isinstance(node.right, (ast.Name, ast.Attribute)) and getattr(node.right, "attr", "") != "__name__"
            if bare and isinstance(message, str) and len(CONVERSION.findall(message.replace("%%", ""))) == 1 and SHOWN.search(message):
                yield node.lineno


def main():
    found = [(path, line) for path in sources.files(".py") if path.startswith("pylib/") for line in offences(sources.read(path))]
    for path, line in found:
        print("%s:%d: the value that a message shows may be a tuple: put it into one" % (path, line))
    print("messages: %d offences" % len(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
