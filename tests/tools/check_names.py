"""Checks that no two files define types of one name in one namespace. The linker would merge the functions of both (the rule of one definition)."""

import collections
import re
import sys

import sources

TOKEN = re.compile(
    r"\bnamespace\s*(?P<space>[\w:]*)\s*\{"
    r"|\b(?:class|struct|union|enum(?:\s+class)?)\s+(?:\[\[[^\]]*\]\]\s*)?(?P<type>\w+)\s*(?:final\s*)?(?::(?!:)[^;{}()]*)?\{"
    r"|[{}]")


def types(text):
    """The full names of the types that C++ text defines directly in namespaces with a name."""
    open_braces = []  # the namespace that each begins; None for other braces
    for token in TOKEN.finditer(sources.blank(text)):
        if token.group() == "}":
            if open_braces:
                open_braces.pop()
            continue
        if token.group("type") and all(open_braces):
            yield "::".join([*open_braces, token.group("type")])
        open_braces.append(token.group("space"))  # "" for one without a name


def main():
    defined = collections.defaultdict(set)
    for path in sources.files(".cc", ".h"):
        if path.split("/")[0] in sources.CODE:
            for name in types(sources.read(path)):
                defined[name].add(path)
    twice = {name: paths for name, paths in defined.items() if len(paths) > 1}
    for name, paths in sorted(twice.items()):
        print("%s is defined in %s" % (name, ", ".join(sorted(paths))))
    print("names: %d offences" % len(twice))
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
