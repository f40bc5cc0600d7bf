"""usage: instructions.py python|"python, msjit in use"

Instructions that the pure-Python programs execute. Where a process happens to lie in memory changes its time by some
percent from run to run and its instructions hardly, so an overhead of one or two percent shows in them alone. Hardly: one
size of the environment was seen to cost one program 15 % under 3.12, and no other did, so the least of two counts.
Valgrind's callgrind counts; as a script this is the program that runs under it."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import overhead

WARM_UP_CALLS = 10
WINDOWS = 3  # the least counts: functions without tensors are looked at again, ever more seldom
CALLS = 4  # of a window
PADDINGS = 0, 700  # bytes in the environment: they move what lies in memory
MARK = "getppid"  # a function of the C library at whose calls callgrind begins a new count


def run_programs(impl):
    """Calls of each program, MARK before and after each window."""
    for name in overhead.PROGRAMS:
        _, names = overhead.of_python(name, impl == "python, msjit in use")
        for _ in range(WARM_UP_CALLS):
            names["run"]()
        os.getppid()
        for _ in range(WINDOWS):
            for _ in range(CALLS):
                names["run"]()
            os.getppid()


def count(command, impl, env):
    """{program: instructions of one call} under the interpreter started by `command`; None where valgrind is missing or
    fails."""
    counts = [count_once(command, impl, dict(env, PADDING="x" * padding)) for padding in PADDINGS]
    return None if None in counts else {name: min(one[name] for one in counts) for name in counts[0]}


def count_once(command, impl, env):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "counts"
        tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=%s" % out, "--dump-before=" + MARK]
        try:
            code = subprocess.call([*tool, *command, str(pathlib.Path(__file__).resolve()), impl], env=env,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except OSError:
            return None
        parts = [pathlib.Path("%s.%d" % (out, i + 1)) for i in range(len(overhead.PROGRAMS) * (WINDOWS + 1))]
        if code != 0 or not all(part.exists() for part in parts):
            return None
        totals = [int(re.search(r"^summary: (\d+)", part.read_text(), re.M).group(1)) for part in parts]
        # The first count of each program is of what lies before its windows.
        return {name: min(totals[i * (WINDOWS + 1) + 1:(i + 1) * (WINDOWS + 1)]) / CALLS
                for i, name in enumerate(overhead.PROGRAMS)}


if __name__ == "__main__":
    run_programs(sys.argv[1])
