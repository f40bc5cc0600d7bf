"""usage: worker.py mindspore|msjit FOLDER

Runs networks with one library: reads one "package name" a line, writes FOLDER/package-name.npz and prints one line, @ and JSON:
what each stage gave, its milliseconds or its error. The line "list" asks for the names of all networks.
"""
import gc
import json
import os
import sys
import time
import traceback

import compare
import mindspore as ms
import nets
import numpy as np

SIDE, FOLDER = sys.argv[1:3]
GRADIENTS = 1 if SIDE == "mindspore" else 2  # calls; the other library's are slow


def timed(call, times=3):
    """(result of the first call, least milliseconds of the others, None where there are none)"""
    result, best = call(), None
    for _ in range(times - 1):
        start = time.perf_counter()
        call()
        took = 1e3 * (time.perf_counter() - start)
        best = took if best is None else min(best, took)
    return result, best


def arrays(value):
    return [item.asnumpy() if isinstance(item, ms.Tensor) else np.asarray(item) for item in nets.flat(value)]


def marks(names, grads):
    """Two numbers a gradient: its norm, and its sum with fixed random signs."""
    found = []
    for name, grad in zip(names, grads):
        grad = grad.asnumpy().astype(np.float64)
        found.append((np.sqrt((grad * grad).sum()), (grad * nets.numbers(name).choice((-1, 1), grad.shape)).sum()))
    return np.array(found).reshape(-1, 2)


class Run:
    """The stages of one network; each gives entries of `facts`, and arrays for the file."""

    def __init__(self, package, name):
        self.package, self.name, self.facts, self.arrays = package, name, {}, {}

    def stage(self, what):
        try:
            getattr(self, what)()
            return True
        except Exception as error:
            last = [f for f in traceback.extract_tb(error.__traceback__) if "/zoo/packages/" in f.filename][-1:]
            place = " (%s:%d)" % (os.path.basename(last[0].filename), last[0].lineno) if last else ""
            text = str(error).strip().split("\n")
            self.facts[what + "_error"] = "%s: %s%s" % (type(error).__name__, text[0][:300], place)
            if os.environ.get("ZOO_TRACE"):
                traceback.print_exc()
            return False

    def build(self):
        ms.set_seed(1)
        self.net, shape = nets.PACKAGES[self.package][1](self.name)
        self.net.set_train(False)
        nets.fill(ms, self.net)
        self.facts["parameters"] = nets.described(self.net)
        self.x = ms.Tensor(nets.numbers("input").normal(size=shape).astype(np.float32))
        self.forward = lambda x: self.net(x)

    def eager(self):
        out, self.facts["eager_ms"] = timed(lambda: self.forward(self.x))
        self.out = arrays(out)
        self.keep("eager", self.out)

    def gradient(self):
        weights = self.net.trainable_params()
        self.loss = nets.weighted_sum(ms, self.net, [a.shape for a in self.out])
        call = ms.value_and_grad(self.loss, None, weights)
        (_, grads), self.facts["gradient_ms"] = timed(lambda: call(self.x), GRADIENTS)
        self.arrays["gradient"] = marks([p.name for p in weights], grads)

    def swing(self):
        """How far outputs and gradients move when each number of the input changes by a millionth, up or down. Rounding can move them as
        far, and can reorder numbers that are almost equal."""
        x, out, before, facts = self.x, self.out, self.arrays["gradient"], dict(self.facts)
        signs = nets.numbers("swing").choice((-1, 1), x.shape).astype(np.float32)
        self.x = ms.Tensor(x.asnumpy() * (1 + np.float32(1e-6) * signs))
        self.out = arrays(self.forward(self.x))
        self.gradient()
        facts["swing"] = [max(compare.distance(new, old) for new, old in zip(self.out, out)),
                          compare.gradient_distance(self.arrays["gradient"], before)]
        self.x, self.out, self.arrays["gradient"], self.facts = x, out, before, facts

    def pijit(self):
        ms.reset()
        call = ms.jit(self.forward, mode="PIJit")
        out, self.facts["pijit_ms"] = timed(lambda: call(self.x))
        self.keep("pijit", arrays(out))
        self.facts["regions"], self.facts["breaks"], self.facts["why"] = captured()

    def pijit_gradient(self):
        ms.reset()
        weights = self.net.trainable_params()
        whole = ms.value_and_grad(self.loss, None, weights)
        call = ms.jit(lambda x: whole(x), mode="PIJit")
        (_, grads), self.facts["pijit_gradient_ms"] = timed(lambda: call(self.x), 2)
        self.arrays["pijit_gradient"] = marks([p.name for p in weights], grads)
        self.facts["gradient_regions"], self.facts["gradient_breaks"], self.facts["gradient_why"] = captured()

    def keep(self, what, found):
        for i, array in enumerate(found):
            self.arrays["%s%d" % (what, i)] = array


def captured():
    """(regions that ran, breaks, the first reasons of breaks)"""
    functions = ms.report()["functions"]
    regions = sum(1 for f in functions for r in f["regions"] if r["hits"])
    breaks = [b for f in functions for b in f["breaks"]]
    why = ["%s:%d %s %s" % (os.path.basename(f["file"]), b["line"], b["reason"], b["detail"]) for f in functions for b in f["breaks"]]
    return regions, len(breaks), why[:4]


def main():
    stages = ["eager", "gradient"] + (["swing", "pijit", "pijit_gradient"] if SIDE == "msjit" else [])
    for line in sys.stdin:
        if line.strip() == "list":
            found = [(package, file, name) for package, (names, _) in nets.PACKAGES.items() for name, file in names()]
            print("\n@" + json.dumps({"networks": found}), flush=True)
            continue
        package, name = line.split()
        run = Run(package, name)
        if run.stage("build"):
            for what in stages:
                if not run.stage(what) and what == "eager":
                    break
        np.savez(os.path.join(FOLDER, "%s-%s.npz" % (package, name)), **run.arrays)
        print("\n@" + json.dumps(run.facts), flush=True)
        del run
        gc.collect()  # Cells are in cycles, and the next network wants the memory


if __name__ == "__main__":
    main()
