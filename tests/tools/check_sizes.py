"""Lists files and functions above the soft limits; fails above the hard ones. Tables (.def, .inc) are exempt."""

import ast
import re
import sys

import sources

FILE_SOFT, FILE_HARD = 400, 800
FUNCTION_SOFT, FUNCTION_HARD = 40, 80

_SCOPE = re.compile(r'\b(namespace|class|struct|union)\b(?!.*\)\s*(const|noexcept|override|->.*)?\s*$)|extern\s+$', re.S)


def cpp_functions(text):
    """(name, first line, lines) of every function or namespace-scope lambda body, by counting braces."""
    text = re.sub(r"(?m)^[ \t]*#.*(\\\n.*)*", lambda m: re.sub(r"[^\n]", " ", m.group()), sources.blank(text))
    scopes, head_start, line, paren = [], 0, 1, 0
    open_function = None
    for i, char in enumerate(text):
        if char == "\n":
            line += 1
        elif char in "()":
            paren += 1 if char == "(" else -1
        elif char == "{":
            head = text[head_start:i]
            scope = open_function is None and not paren and _SCOPE.search(head)
            kind = "scope" if scope else "body"
            if not scope and open_function is None and ")" in head and not re.search(r"=\s*$", head):
                open_function = (len(scopes), head, line - head.strip("\n ").count("\n"))
            scopes.append(kind)
            head_start = i + 1
        elif char == "}" and scopes:
            scopes.pop()
            if open_function and len(scopes) == open_function[0]:
                names = re.findall(r"([A-Za-z_~][\w:~]*)\s*\(", open_function[1])
                yield (names[0] if names else "?"), open_function[2], line - open_function[2] + 1
                open_function = None
            head_start = i + 1
        elif char == ";" and not paren:
            head_start = i + 1


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def main():
    longs, hard, total = [], 0, 0
    for path in sources.files(*sources.CPP, ".py"):
        if path.split("/")[0] not in sources.CODE + ("tests", "examples"):
            continue
        text = sources.read(path)
        lines = text.count("\n")
        total += lines
        if lines > FILE_SOFT:
            longs.append((lines / FILE_SOFT, "%s: %d lines" % (path, lines)))
            hard += lines > FILE_HARD
        functions = python_functions(text) if path.endswith(".py") else cpp_functions(text)
        for name, line, length in functions:
            if length > FUNCTION_SOFT:
                longs.append((length / FUNCTION_SOFT, "%s:%d: %s, %d lines" % (path, line, name, length)))
                hard += length > FUNCTION_HARD
    for ratio, what in sorted(longs, reverse=True):
        print("%s %s" % ("HARD" if ratio > 2 else "soft", what))
    print("sizes: %d lines of code, %d above the soft limits, %d above the hard ones" % (total, len(longs), hard))
    return 1 if hard else 0


if __name__ == "__main__":
    sys.exit(main())
