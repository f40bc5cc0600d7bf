"""usage: run.py [--only TEXT] [--first] [--times] [--kept] [--write]

Builds the networks that mindcv and mindyolo register, with msjit and with MindSpore, runs them (eager, PIJit, gradients)
with the same weights on the same input, and prints a row for each. --only takes networks whose "package/file/name" contains
TEXT, --first the smallest of each file, --times gives milliseconds, which count on a quiet machine only. --kept takes the results
of earlier runs where there are any, so that the whole can be run in pieces. --write makes docs/zoo.md of all results that there are.
Exit status 1 when a network that MindSpore runs fails here, has other Parameters or gives other results.
"""
import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import page  # noqa: E402
from compare import Row, aligned, summary  # noqa: E402
from sides import Side  # noqa: E402


def size_words(name):
    """Sorts networks of one file by what their names say of their size."""
    words = {"tiny": -5, "small": -3, "nano": -4, "xxs": -6, "18": -2, "_s": -2, "_0": -1, "base": 3, "_b": 3, "101": 5, "152": 6,
             "large": 9, "_l": 9, "xl": 9, "huge": 10, "_h": 10}
    return sum(value for word, value in words.items() if word in name), len(name), name


def smallest_of_each_file(networks):
    """One (package, file, name) of each file."""
    files = sorted({item[:2] for item in networks})
    return [min((i for i in networks if i[:2] == file), key=lambda i: size_words(i[2])) for file in files]


def chosen(ours, options):
    """(package, file, name) of each network asked for."""
    found = [item for item in sorted(ours.networks()) if options.only in "/".join(item)]
    return smallest_of_each_file(found) if options.first else found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    ours, theirs = Side("msjit", options.kept), Side("mindspore")
    rows = []
    try:
        print(aligned(Row.COLUMNS + (Row.TIMES if options.times else ())), flush=True)
        for package, _, name in chosen(ours, options):
            rows.append(Row(name, ours.run(package, name), theirs.run(package, name)))
            print(rows[-1].text(options.times), flush=True)
        if options.write:
            page.write(ours, theirs)
    finally:
        ours.stop()
        theirs.stop()
    print(summary(rows))
    return 1 if any(r.wrong for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
