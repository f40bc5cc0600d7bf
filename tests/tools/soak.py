"""usage: soak.py [--only JOB...] [--scale F]

The long forms of the fuzzers and of other checks on each interpreter that has the bytecode JIT; prints a table and, last, `N passed, N failed`.
Findings lie in build/soak/<job>. A new fuzzer is a row in FUZZERS; a job is named fuzzer-3.X, a prefix will do; graphs-cpp and
kernels-cpp need no interpreter.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import time

import run_tests

# name: (script and arguments, {option: amount multiplied by --scale})
FUZZERS = {
    "diff": (["tests/fuzz/diff_fuzz.py", "--shrink"], {"--count": 20000}),
    "guard": (["tests/fuzz/guard_fuzz.py", "--keep-going"], {"--mutations": 100000}),
    "shape": (["tests/fuzz/shape_fuzz.py"], {"--count": 20000}),
    "loop": (["tests/fuzz/loop_fuzz.py"], {"--count": 20000}),
    "gradient": (["tests/fuzz/gradient_fuzz.py"], {"--count": 20000}),
    "arm": (["tests/fuzz/arm_fuzz.py"], {"--count": 20000}),
    "hidden": (["tests/fuzz/hidden_fuzz.py"], {"--count": 20000}),
    "module": (["tests/fuzz/module_fuzz.py"], {"--count": 20000}),
    "view": (["tests/fuzz/view_fuzz.py"], {"--count": 20000}),
    "value": (["tests/fuzz/value_fuzz.py", "--keep-going"], {"--count": 100000}),
    "argument": (["tests/fuzz/argument_fuzz.py"], {"--count": 100000}),
    "code": (["tests/fuzz/code_fuzz.py"], {"--count": 10000}),
    "memory": (["tests/fuzz/memory_soak.py"], {"--calls": 1000000, "--captures": 1000, "--steps": 10000, "--models": 100}),
    "cpython": (["tests/cpython/run.py", "--all", "--jobs", "3"], {}),  # many of its tests wait rather than work
}
# Without an interpreter: (C++ tests, number of random graphs).
CPP = {
    "graphs": ("GraphFuzz.*", 50000),
    "kernels": ("Emulation.*:DeviceProgram*", 10000),  # what a GPU would compute
}


def command_of(name, version, scale):
    """Its command, and what it needs in the environment."""
    if version == "cpp":
        tests, count = CPP[name]
        command = [str(run_tests.BUILD / "msjit_tests"), "--gtest_filter=" + tests, "--gtest_brief=1"]
        return command, {"MSJIT_FUZZ_GRAPHS": str(max(1, int(count * scale)))}
    script, amounts = FUZZERS[name]
    command = [str(run_tests.BUILD / "venv" / version / "bin/python"), *script]
    for option, amount in amounts.items():
        command += [option, str(max(1, int(amount * scale)))]
    return command, {}


def soak(name, version, scale):
    command, extra = command_of(name, version, scale)
    job = "%s-%s" % (name, version)
    folder = run_tests.BUILD / "soak"
    folder.mkdir(exist_ok=True)
    started = time.time()
    with open(str(folder / (job + ".log")), "w") as log:
        code = subprocess.call(command, cwd=str(run_tests.ROOT), stdout=log, stderr=subprocess.STDOUT,
                               env=run_tests.environment(MSJIT_NUM_THREADS="1", **extra))
    last = (folder / (job + ".log")).read_text().strip().splitlines()[-1:]
    print("%-14s %-6s %7.1f s  %s" % (job, "ok" if code == 0 else "FAILED", time.time() - started, " ".join(last)),
          flush=True)
    return code == 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    versions = (run_tests.BUILD / "stamps/versions-test").read_text().split()
    jobs = [(name, "cpp") for name in CPP] + [(name, v) for v in versions if v in run_tests.JIT_VERSIONS for name in sorted(FUZZERS)]
    jobs = [j for j in jobs if not options.only or any(("%s-%s" % j).startswith(o) for o in options.only)]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = list(pool.map(lambda j: soak(j[0], j[1], options.scale), jobs))
    print("%d passed, %d failed" % (results.count(True), results.count(False)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
