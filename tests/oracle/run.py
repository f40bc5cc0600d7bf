"""usage: run.py [--only TEXT] [--kinds] [--all]

Compares msjit with MindSpore over the samples of cases/. --only takes samples whose name contains TEXT, --kinds counts
differences by kind and call instead of listing them, --all lists the intended ones as well.
Exit status 1 when there are differences that deviations.py does not list.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import deviation_rows  # noqa: E402,F401
import samples  # noqa: E402
from compare import compare  # noqa: E402
from deviations import Table  # noqa: E402
from sides import OracleCache, run_side  # noqa: E402

FOLDER = ROOT / "build/oracle"
ORACLE = ROOT / "build/peers/mindspore/bin/python"


def version():
    ask = "from importlib.metadata import version; print(version('mindspore'))"
    return subprocess.run([str(ORACLE), "-c", ask], stdout=subprocess.PIPE, check=True).stdout.decode().strip()


def run_both(chosen):
    FOLDER.mkdir(parents=True, exist_ok=True)
    cache = OracleCache(FOLDER / "mindspore.pickle", version())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        theirs = pool.submit(cache.run, ORACLE, chosen, FOLDER)
        ours = pool.submit(run_side, sys.executable, "msjit", chosen, FOLDER)
        return ours.result(), theirs.result()


def summarise(differences):
    counts = collections.Counter((kind, sample.call) for sample, kind, _ in differences)
    for (kind, call), count in sorted(counts.items()):
        print("%-18s %4d  %s" % (kind, count, call))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    chosen, table = samples.load(options.only), Table()
    ours, theirs = run_both(chosen)
    differences, intended = [], 0
    for sample in chosen:
        found = compare(ours[sample.name], theirs[sample.name])
        reason = found and table.find(sample.name, *found)
        intended += bool(reason)
        if found and (options.all or not reason):
            differences.append((sample,) + found)
    if options.kinds:
        summarise(differences)
    else:
        for sample, kind, detail in differences:
            print("%s: %s\n    %s" % (kind, sample.name, detail))
    if not options.only:
        for line in table.stale():
            print("deviations.py: no sample differs like this any more: %s" % line)
    count = len(differences) - (intended if options.all else 0)
    print("%d samples compared, %d differences, %d intended" % (len(chosen), count, intended))
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
