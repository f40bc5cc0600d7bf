"""usage: instructions.py python|"python, msjit in use"

Counts the instructions that the pure-Python programs execute, with Valgrind's callgrind. The place of a process in memory changes its time
by some percent from run to run, but hardly its number of instructions. So only the count shows an overhead of one or two percent. One size
of the environment was seen to cost one program 15 % more instructions under 3.12, and no other size did, so the lower of two counts is
taken. Run as a script, this is the program that callgrind runs.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import overhead

WARM_UP_CALLS = 10
WINDOWS = 3  # the lowest one is taken: msjit examines functions without tensors again now and then
CALLS = 4  # of a window
PADDINGS = 0, 700  # bytes added to the environment: they shift addresses in memory
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
        # The first count of each program covers what runs before its windows.
        return {name: min(totals[i * (WINDOWS + 1) + 1:(i + 1) * (WINDOWS + 1)]) / CALLS
                for i, name in enumerate(overhead.PROGRAMS)}


if __name__ == "__main__":
    run_programs(sys.argv[1])
