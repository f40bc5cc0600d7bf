"""usage: python -m msjit --mode eager --alias mindspore speed.py [--only TEXT] [--all] [--rounds N] [--write]

Times the networks that mindcv and mindyolo register, eager against PIJit: the forward pass of one image, and the pass with the gradients
of all Parameters. Both take turns in one process, and the least of N rounds counts. One network of each file, or all with --all. --write
makes docs/zoo_speed.md of the rows; with --only it replaces the rows of these networks in it.
"""
import argparse
import gc
import os
import pathlib
import re
import time

import mindspore as ms
import nets
import numpy as np

from run import smallest_of_each_file

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/zoo_speed.md"
HEAD = """# Networks: PIJit beside eager

Written by `make zoo-speed ARGS="--write"`; do not edit. The networks of mindcv 0.3.0 and mindyolo 0.5.0, unchanged, under
`python -m msjit --alias mindspore`: one image of batch 1, float32, {threads}, {processor}, {date}. Milliseconds, the least of {rounds} calls each; eager and
PIJit took turns. "x" is eager's time divided by PIJit's. Geometric means of x: forward {forward:.2f}, with gradients {gradients:.2f}.

| network | forward: eager | PIJit | x | with gradients: eager | PIJit | x |
| --- | --- | --- | --- | --- | --- | --- |
"""
ROW = re.compile(r"\| (\w+) \| ([\d.]+) \| ([\d.]+) \| [\d.]+ \| ([\d.]+) \| ([\d.]+) \| [\d.]+ \|")


def least_times(calls, rounds):
    """The least milliseconds of each call; they take turns."""
    for call in calls:
        call()
        call()
    least = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            least[i] = min(least[i], 1e3 * (time.perf_counter() - start))
    return least


def measure(package, name, rounds):
    """Milliseconds of the forward pass, eager and PIJit, and of the pass with gradients."""
    ms.set_seed(1)
    net, shape = nets.PACKAGES[package][1](name)
    net.set_train(False)
    nets.fill(ms, net)
    x = ms.Tensor(nets.numbers("input").normal(size=shape).astype(np.float32))
    captured = ms.jit(lambda x: net(x), mode="PIJit")
    times = least_times([lambda: net(x), lambda: captured(x)], rounds)
    loss = nets.weighted_sum(ms, net, [out.shape for out in nets.flat(net(x))])
    step = ms.value_and_grad(loss, None, net.trainable_params())
    captured_step = ms.jit(lambda x: step(x), mode="PIJit")
    times += least_times([lambda: step(x), lambda: captured_step(x)], rounds)
    ms.reset()
    return times


def row(name, times):
    """A line of the table."""
    forward, captured, step, captured_step = times
    return "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |" % (name, forward, captured, forward / captured, step, captured_step,
                                                               step / captured_step)


def processor():
    """The name of the processor, with the widest vectors it has."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    widest = next(name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if " %s " % flag in text)
    return "%s (%s)" % (re.search(r"model name\s*: (.*)", text).group(1), widest)


def write(rows, rounds):
    """The page: these rows, and those of other networks that it has."""
    known = {m[1]: [float(m[i]) for i in range(2, 6)] for m in ROW.finditer(PAGE.read_text())} if PAGE.exists() else {}
    known.update(rows)

    def mean(i):
        return np.exp(np.mean([np.log(times[i] / times[i + 1]) for times in known.values()]))

    threads = os.environ.get("OMP_NUM_THREADS")
    head = HEAD.format(threads={None: "all cores", "1": "one thread"}.get(threads, "%s threads" % threads), processor=processor(),
                       date=time.strftime("%Y-%m-%d", time.gmtime()), rounds=rounds, forward=mean(0), gradients=mean(2))
    PAGE.write_text(head + "".join(row(name, known[name]) + "\n" for name in sorted(known)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    names = [(package, file, name) for package, (registered, _) in nets.PACKAGES.items() for name, file in registered()]
    names = sorted(item for item in names if options.only in "/".join(item))
    rows = {}
    for package, _, name in names if options.all else smallest_of_each_file(names):
        try:
            rows[name] = measure(package, name, options.rounds)
            print(row(name, rows[name]), flush=True)
        except Exception as error:  # what does not run here is in docs/zoo.md
            print("%s: %s" % (name, str(error).split("\n")[0]), flush=True)
        gc.collect()  # Cells are in cycles, and the next network wants the memory
    if options.write:
        write(rows, options.rounds)


if __name__ == "__main__":
    main()
