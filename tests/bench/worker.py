"""One timed process: `PYTHON worker.py IMPL` reads a work's name a line. At a new name it sets the work up, makes the first
call and warms up; every line then times one round. Answers are JSON lines: {"us", "first_us", "bytes"}, or {} where
the implementation does not offer the work; for a model also "results", summaries of what its first calls returned."""

import json
import resource
import sys
import time
import timeit

import models
import overhead
import works

IMPLS = {
    **works.IMPLS,
    "msjit": overhead.of_msjit,
    "python": lambda work: overhead.of_python(work, False),
    "python, msjit in use": lambda work: overhead.of_python(work, True),
    "python -m msjit": lambda work: overhead.of_python(work, False),
}
WARM_UP_S = 0.7  # long enough for kernels compiled on a background thread to be swapped in
PURE_WARM_UP_S = 0.3  # without kernels
ROUND_S = 0.03
SLICE_S = 0.003  # a round has several slices, of which the fastest counts: short slices are less often disturbed by other processes


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Work:
    def __init__(self, impl, name):
        before = peak_bytes()
        made = (models.IMPLS if name in models.WORKS else IMPLS)[impl](name)
        self.offered = made is not None
        if not self.offered:
            return
        statement, names, self.inner = (*made, 1)[:3]
        self.timer = timeit.Timer(statement, globals=names)
        self.answer = self.call_first(name, statement, names)
        once = PURE_WARM_UP_S if name in overhead.PROGRAMS else WARM_UP_S
        deadline = time.perf_counter() + once
        while time.perf_counter() < deadline:
            once = min(once, self.timer.timeit(1))  # one that was interrupted says nothing
        self.loops = max(1, int(SLICE_S / max(once, 1e-7)))
        self.slices = max(1, int(ROUND_S / max(once, SLICE_S)))
        self.answer["bytes"] = peak_bytes() - before

    def call_first(self, name, statement, names):
        """Makes the first call, and for a model the others whose results are compared."""
        if name not in models.WORKS:
            return {"first_us": self.timer.timeit(1) / self.inner * 1e6}
        results = []
        timer = timeit.Timer("results.append(%s)" % statement, globals=dict(names, results=results))
        times = [timer.timeit(1) for _ in range(models.CALLS)]
        summaries = [models.summary(results[0]), models.summary(results[-1])]
        return {"first_us": times[0] / self.inner * 1e6, "results": summaries}

    def round(self):
        if not self.offered:
            return {}
        us = min(self.timer.repeat(self.slices, self.loops)) / self.loops / self.inner * 1e6
        return dict(self.answer, us=us)


def main(impl):
    current, work = None, None
    print("ready", flush=True)
    for line in sys.stdin:
        name = line.strip()
        if name != current:
            current, work = name, Work(impl, name)
        print(json.dumps(work.round()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
