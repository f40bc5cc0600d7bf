"""usage: run.py [--rounds N] [--work NAME...] [--threads N] [--json FILE]      (`--work models`: all whole models)

Times every work on every implementation found, each in a process of its own, in turn and one thread each unless told otherwise;
keeps the least of the rounds. Prints a table, for models the README's rows too, and the targets, and writes build/bench.json."""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

import instructions
import models
import overhead
import works
from models import report

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build"
PEERS = {"jax": ("jax eager", "jax jit"), "torch": ("torch eager", "torch compile"),
         "mindspore": ("mindspore eager", "mindspore PIJit")}
OWN = ("numpy", "msjit eager", "msjit PIJit", "msjit PSJit")
PURE = ("python", "python, msjit in use", "python -m msjit")
PROCESSES = 4  # that time what surrounds the kernels
PURE_PROCESSES = 12  # that time pure Python
PURE_ROUNDS = 5  # of each of them, so that what slows one round down does not count
MODEL_IMPLS = {"jax": ("jax jit",), "torch": ("torch eager", "torch compile", "torch freezing")}
MODEL_ROUNDS = 5
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MSJIT_NUM_THREADS")
num_threads = 1  # of each process


def environment():
    env = dict(os.environ, GLOG_v="3", JAX_PLATFORMS="cpu", PYTHONHASHSEED="0")
    if num_threads == 1:
        env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    env.update({name: str(num_threads) for name in THREADS}, MSJIT_CACHE_DIR="")  # first calls compile their kernels
    return env


def interpreter(impl, python):
    return [str(python), *(["-m", "msjit", "--include", "*"] if impl == "python -m msjit" else [])]


class Worker:
    """A child process that times one implementation. Processes with different values of `place` get different addresses in memory: the size
    of the environment moves the stack, and the hash seed the heap (Mytkowicz et al., ASPLOS 2009)."""

    def __init__(self, impl, python, label, place=0):
        self.impl, self.label = impl, label
        command = [*interpreter(impl, python), str(HERE / "worker.py"), impl]
        if impl.startswith("jax"):  # no environment variable limits the threads of XLA's own pool
            command = ["taskset", "-c", "0-%d" % (num_threads - 1)] + command
        padding = random.Random("%s %d" % (label, place)).randrange(4096)
        env = dict(environment(), PYTHONHASHSEED=str(place), PADDING="x" * padding)
        self.error = open(str(BUILD / "bench-stderr.log"), "a")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.error,
                                        env=env, universal_newlines=True, bufsize=1)

    def round(self, work):
        """The answer to one round; None where the work is not offered or the process has died."""
        try:
            self.process.stdin.write(work + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            return None
        if not line:
            print("! %s failed on %s, see build/bench-stderr.log" % (self.label, work))
            return None
        return json.loads(line) or None

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.error.close()


def pythons():
    versions = (BUILD / "stamps/versions-bench").read_text().split()
    return {v: BUILD / "venv" / v / "bin/python" for v in versions}


def main_pythons():
    """The two interpreters on which kernels are timed. Kernels are the same on all."""
    return dict(list(pythons().items())[:2])


def all_impls(work):
    """(impl, python, label) of everything that this work can be timed on here."""
    if work in models.WORKS:
        yield from model_impls()
        return
    impls = PURE if work in overhead.PROGRAMS else ("msjit",) if work in overhead.WORKS else OWN
    every = work in overhead.WORKS or work in works.SMALL
    for version, python in (pythons() if every else main_pythons()).items():
        for impl in impls:
            yield impl, python, "%s py%s" % (impl, version)
    for peer, impls in PEERS.items() if work in works.WORKS else ():
        python = BUILD / "peers" / peer / "bin/python"
        if python.exists():
            for impl in impls:
                yield impl, python, impl


def model_impls():
    version, python = next(iter(pythons().items()))
    for impl in ("msjit eager", "msjit PIJit"):
        yield impl, python, "%s py%s" % (impl, version)
    for peer, impls in MODEL_IMPLS.items():
        python = BUILD / "peers" / peer / "bin/python"
        if python.exists():
            for impl in impls:
                yield impl, python, impl


def time_work(work, rounds):
    """Rows of one work: in each round every implementation runs once; the shortest round counts. The place of a process in memory changes
    the speed of pure Python by some percent, and that of a guard check by half. So what surrounds the kernels is timed in several
    processes. Of these the fastest counts. For pure Python it is the median, because few processes get the best place."""
    pure = work in overhead.PROGRAMS
    processes = PURE_PROCESSES if pure else PROCESSES if work in overhead.WORKS else 1
    rounds = min(rounds, MODEL_ROUNDS) if work in models.WORKS else rounds
    each = PURE_ROUNDS if pure else -(-rounds // processes)
    found = {}
    for place in range(processes):
        for row in time_processes([Worker(*impl, place) for impl in all_impls(work)], work, each):
            found.setdefault(row["impl"], []).append(row)
    choose = statistics.median if pure else min
    return [dict(rows[0], us=choose([row["us"] for row in rows])) for rows in found.values()]


def time_processes(workers, work, rounds):
    rows = {}
    for worker in workers:  # nobody is timed while others start
        worker.process.stdout.readline()
    for _ in range(rounds):
        for worker in list(workers):
            answer = worker.round(work)
            if answer is None:
                workers.remove(worker)
                worker.process.kill()
                continue
            row = rows.setdefault(worker.label, dict(answer, work=work, impl=worker.label))
            row["us"] = min(row["us"], answer["us"])
    for worker in workers:
        worker.close()
    return rows.values()


def count_instructions(rows):
    """Adds "instructions", those of one call, to the rows of the pure-Python programs."""
    impls = list(all_impls(next(iter(overhead.PROGRAMS))))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = list(pool.map(lambda i: instructions.count(interpreter(i[0], i[1]), i[0], environment()), impls))
    for (_, _, label), counted in zip(impls, counts):
        for row in rows:
            if counted and row["impl"] == label and row["work"] in counted:
                row["instructions"] = counted[row["work"]]


def time_peak(rounds):
    """oneDNN alone on the MLP's three matrix products, in the layout that suits it best."""
    command = [str(BUILD / "msjit_peak"), str(works.BATCH)] + [str(n) for n in works.MLP]
    answers = [json.loads(subprocess.check_output(command)) for _ in range(rounds)]
    rows = []
    for layout in ("packed", "plain", "transposed"):
        us = min(answer[layout] for answer in answers)
        rows.append({"work": "mlp forward", "impl": "onednn matmul only, " + layout, "us": us, "first_us": us, "bytes": 0})
    return rows


def time_import(rounds):
    """Wall time of a process that imports the module, least of the rounds."""
    rows = []
    for version, python in main_pythons().items():
        for module in ("numpy", "msjit", "numpy, msjit"):
            samples = []
            for _ in range(2 * rounds):
                start = time.perf_counter()
                subprocess.check_call([str(python), "-c", "import " + module])
                samples.append((time.perf_counter() - start) * 1e6)
            rows.append({"work": "import", "impl": "%s py%s" % (module, version), "us": min(samples),
                         "first_us": samples[0], "bytes": 0})
    return rows


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


class Targets:
    """Compares rows with the project's targets."""

    def __init__(self, rows):
        self.rows = {(r["work"], r["impl"]): r for r in rows}
        self.failed = 0

    def figure(self, work, impl, key="us"):
        return self.rows.get((work, impl), {}).get(key)

    def ratio(self, what, limit, pairs, choose=min):
        """Passes if the chosen of the quotients numerator/denominator is within the limit."""
        values = [a / b for a, b in pairs if a is not None and b is not None]
        if not values:
            print("  --   %-66s not measured" % what)
            return
        value = choose(values)
        self.failed += value > limit
        print("  %s %-66s %.2f (limit %.2f)" % ("ok  " if value <= limit else "FAIL", what, value, limit))

    def check_kernels(self, versions):
        """For each target the better interpreter counts."""
        def both(work, impl, key="us"):
            return [self.figure(work, "%s py%s" % (impl, v), key) for v in versions]

        def over(numerators, denominators):
            return list(zip(numerators, denominators))

        add = both("add 4x4", "numpy")
        self.ratio("eager add 4x4 / numpy add 4x4", 1.2, over(both("add 4x4", "msjit eager"), add))
        peak = self.figure("mlp forward", "onednn matmul only, packed")
        self.ratio("PIJit mlp forward / oneDNN matmul peak", 1 / 0.85, [(v, peak) for v in both("mlp forward", "msjit PIJit")])
        gelu = both("gelu 1M", "msjit PIJit")
        self.ratio("PIJit gelu 1M / eager op by op", 1 / 3, over(gelu, both("gelu 1M", "msjit eager")))
        self.ratio("PIJit gelu 1M / jax jit", 1.0, [(v, self.figure("gelu 1M", "jax jit")) for v in gelu])
        eager = both("mlp forward", "msjit eager")
        allowed = [e and 2 * e + 10000 for e in eager]
        self.ratio("first call of the captured mlp / (2 eager calls + 10 ms)", 1.0,
                   over(both("mlp forward", "msjit PIJit", "first_us"), allowed))
        numpy_import, msjit_import = both("import", "numpy"), both("import", "numpy, msjit")
        extra = [m is not None and n is not None and max(m - n, 1) for m, n in zip(msjit_import, numpy_import)]
        self.ratio("import msjit beyond import numpy / 60 ms", 1.0, [(e or None, 60000) for e in extra])

    def check_overhead(self, versions):
        """Each interpreter and each program must meet its target. For the times of pure Python only the mean must: the place in memory
        changes single times by more than the limits allow."""
        def most(what, limit, pairs):
            self.ratio(what, limit, pairs, max)

        def of(work, impl, version, key="us"):
            return self.figure(work, "%s py%s" % (impl, version), key)

        most("PIJit three ops 4x4 / numpy add 4x4", 1.2,
             [(of("three ops 4x4", "msjit PIJit", v), of("add 4x4", "numpy", v)) for v in versions])
        most("guards of 3 layers / 50 ns", 1.0, [(of("guards mlp", "msjit", v), 0.05) for v in versions])
        most("guards of 160 parameters / 500 ns", 1.0, [(of("guards 160 params", "msjit", v), 0.5) for v in versions])
        most("PSJit three ops 4x4 / PIJit three ops 4x4", 1.1,
             [(of("three ops 4x4", "msjit PSJit", v), of("three ops 4x4", "msjit PIJit", v)) for v in versions])
        most("GRAPH_MODE first call of ResNet-50 / 50 ms", 1.0, [(of("graph mode resnet50", "msjit", v), 50000) for v in versions])
        least_instructions = 6 * overhead.STATEMENTS
        most("first call of %d statements / 100,000 instructions a second" % overhead.STATEMENTS, 1.0,
             [(of("capture", "msjit", v), 1e6 * least_instructions / 100000) for v in versions])
        for impl, limit in (("python, msjit in use", 1.02), ("python -m msjit", 1.05)):
            for version in versions:
                what = "%s / python, call-heavy, %s, " % (impl, version)
                for key, kind, choose in (("instructions", "instructions", max), ("us", "mean time", geometric_mean)):
                    self.ratio(what + kind, limit, [(of(work, impl, version, key), of(work, "python", version, key))
                                                    for work in overhead.PROGRAMS], choose)

    def check(self):
        print("\ntargets (the better of Python %s)" % " and ".join(main_pythons()))
        self.check_kernels(list(main_pythons()))
        print("targets (the worst of Python %s)" % " ".join(pythons()))
        self.check_overhead(list(pythons()))
        return self.failed


def print_table(rows):
    print("\n%-18s %-32s %12s %12s %8s" % ("work", "impl", "us", "first us", "MiB"))
    for row in rows:
        print("%-18s %-32s %12.3f %12.1f %8.1f"
              % (row["work"], row["impl"], row["us"], row["first_us"], row["bytes"] / 2**20))


def named(names):
    """The works that the names of works and groups stand for, each once."""
    return list(dict.fromkeys(work for name in names for work in (models.GROUP if name == "models" else [name])))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--work", nargs="*", default=[*works.WORKS, *overhead.WORKS, "models", "import"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", default=str(BUILD / "bench.json"))
    options = parser.parse_args()
    global num_threads
    num_threads = options.threads
    open(str(BUILD / "bench-stderr.log"), "w").close()
    rows, refused = [], 0
    for work in named(options.work):
        print("timing %s" % work, file=sys.stderr)
        found = time_import(options.rounds) if work == "import" else time_work(work, options.rounds)
        agreeing = report.agreeing(found) if work in models.WORKS else found
        refused += len(found) - len(agreeing)
        rows += agreeing
        if work == "mlp forward":
            rows += time_peak(options.rounds)
    if any(row["work"] in overhead.PROGRAMS for row in rows):
        print("counting instructions", file=sys.stderr)
        count_instructions(rows)
    print_table(rows)
    report.print_table(rows)
    report.print_readme(rows)
    failed = Targets(rows).check()
    with open(options.json, "w") as file:
        json.dump(rows, file, indent=1)
    print("targets: %d missed; figures in %s" % (failed, os.path.relpath(options.json)))
    if refused:
        print("! FAIL: %d implementations gave other results than msjit eager" % refused)
    return refused != 0


if __name__ == "__main__":
    sys.exit(main())
