"""Shrinks a program while it keeps failing: drops statements, replaces blocks by their bodies and, where the interpreter
can print syntax trees, expressions by their parts."""
import ast


def indent(line):
    return len(line) - len(line.lstrip(" "))


def spans(lines):
    """(begin, end) of every statement with its body, largest first."""
    found = []
    for begin, line in enumerate(lines):
        if not line.strip():
            continue
        end = begin + 1
        while end < len(lines) and (not lines[end].strip() or indent(lines[end]) > indent(line)):
            end += 1
        found.append((begin, end))
    return sorted(found, key=lambda s: s[0] - s[1])


def line_candidates(source):
    lines = source.split("\n")
    for begin, end in spans(lines):
        yield "\n".join(lines[:begin] + lines[end:])
        pad = " " * indent(lines[begin])
        yield "\n".join(lines[:begin] + [pad + "pass"] + lines[end:])
        body = lines[begin + 1:end]
        if body:
            yield "\n".join(lines[:begin] + [text[4:] for text in body] + lines[end:])


class Replace(ast.NodeTransformer):
    """Replaces the expression number `which` by `choice(node)`."""

    def __init__(self, which, choice):
        self.which, self.choice, self.seen, self.done = which, choice, -1, False

    def visit(self, node):
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            self.seen += 1
            if self.seen == self.which:
                self.done = True
                return self.choice(node)
        return self.generic_visit(node)


def parts(node):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, (ast.keyword, ast.comprehension)):
            yield from parts(child)


def expression_candidates(source):
    if not hasattr(ast, "unparse"):
        return
    tree = ast.parse(source)
    count = sum(isinstance(n, ast.expr) for n in ast.walk(tree))
    for which in range(count):
        options = []
        Replace(which, lambda node, seen=options: seen.append(node) or node).visit(ast.parse(source))
        if not options:
            continue
        if isinstance(options[0], (ast.Constant, ast.Name)):
            continue
        for part in list(parts(options[0])) + [ast.Constant(0)]:
            change = Replace(which, lambda node, part=part: part)
            try:
                yield ast.unparse(ast.fix_missing_locations(change.visit(ast.parse(source)))) + "\n"
            except Exception:
                continue


def shrink(source, fails, rounds=6):
    """The smallest program found for which `fails(source)` stays true."""
    for _ in range(rounds):
        before = source
        for candidates in (line_candidates, expression_candidates):
            changed = True
            while changed:
                changed = False
                for smaller in candidates(source):
                    if smaller != source and valid(smaller) and len(smaller) <= len(source) + 8 and fails(smaller):
                        source, changed = smaller, True
                        break
        if source == before:
            break
    return source


def valid(source):
    try:
        compile(source, "program", "exec")
        return True
    except (SyntaxError, ValueError):
        return False
