"""usage: scaling.py [--rounds N] [--processes 1 2 4 8] [--json FILE] [--write]

Times training steps of the digits example and of a larger network in several processes of this host, fits a plain cost model to some of the times, checks it
on the others, and predicts up to 1,024 processes. --write puts the tables into docs/parallel.md and the plot into docs/scaling.svg. The shortest of
all rounds counts. Needs mpirun of Open MPI."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import scaling_model
import scaling_plot

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
BEGIN, END = "<!-- written by tests/bench/scaling.py -->", "<!-- end of that -->"


def measure(count):
    """One start of the worker in `count` processes: {"steps": {network: {batch: s}}, "reduce": {bytes: s}, "networks": ...}."""
    line = [sys.executable, "-m", "msjit.launch", "-n", str(count), "--mode", "eager", str(HERE / "scaling_worker.py")]
    env = dict(os.environ, MSJIT_NUM_THREADS="1", MSJIT_SYNC_COMPILE="1")
    done = subprocess.run(line, stdout=subprocess.PIPE, env=env, timeout=580, check=True)
    return json.loads([text for text in done.stdout.decode().splitlines() if text.startswith("{")][-1])


def least(a, b):
    """The smaller of two results, number by number."""
    return {key: least(a.get(key, b[key]), b[key]) for key in b} if isinstance(a, dict) else min(a, b)


def collect(counts, rounds, found):
    """Adds rounds to what was found before."""
    for number in range(rounds):
        for count in counts:
            result = measure(count)
            found[str(count)] = least(found[str(count)], result) if str(count) in found else result
            print("round %d, %d processes: done" % (number + 1, count), file=sys.stderr)
    return found


def tables(found, model):
    """The page's part in Markdown."""
    lines = ["| network | rows for each | processes | step, ms | of it communication | model, ms | error | speed, x of one |", "| --- " * 8 + "|"]
    for row in scaling_model.compare(found, model):
        lines.append("| %s | %d | %d | %.3f | %s | %.3f | %s | %.2f |" % (
            row["network"], row["batch"], row["processes"], 1e3 * row["step"], "%.0f %%" % (100 * row["share"]) if row["processes"] > 1 else "",
            1e3 * row["model"], "fitted" if row["fitted"] else "%+.0f %%" % (100 * row["error"]), row["speed"]))
    lines += ["", scaling_model.sentence(found, model), "", "| network | processes | weak: step, ms | efficiency | strong: step, ms | speed, x of one | Adam's state, divided: MiB at most |",
              "| --- " * 7 + "|"]
    for row in scaling_model.predict(found, model):
        lines.append("| %s | %s | %.2f | %.0f %% | %.2f | %.0f | %.2f |" % (
            row["network"], format(row["processes"], ","), 1e3 * row["weak"], 100 * row["efficiency"], 1e3 * row["strong"], row["speed"], row["state"]))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--json", default=str(HERE.parents[1] / "build/scaling.json"))
    parser.add_argument("--kept", action="store_true", help="add to the times in the JSON file (with --rounds 0 use them)")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    kept = pathlib.Path(options.json)
    found = collect(options.processes, options.rounds, json.loads(kept.read_text()) if options.kept else {})
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(found, indent=1))
    model = scaling_model.fit(found)
    text = tables(found, model)
    print(text)
    if options.write:
        page = DOCS / "parallel.md"
        before, rest = page.read_text().split(BEGIN)
        page.write_text(before + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1])
        (DOCS / "scaling.svg").write_text(scaling_plot.draw(found, model))


if __name__ == "__main__":
    main()
