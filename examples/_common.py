"""What the examples share: their options, the three ways to run, the table of times, the curve of losses, and the data.

An example gives `run` a function `make(compiled, options)`. It builds its networks, compiles what it wants with the decorator
`compiled`, and returns a function that makes the step of a number and returns the loss. `run` calls it once for each way to run,
with the same seed, so the losses can be compared step by step.
"""
import argparse
import json
import sys
import time

import numpy as np

import msjit as ms

MODES = ("eager", "PIJit", "PSJit")
COMPARED = 20  # steps: later ones amplify differences in the last bit, as any training does
TOLERANCE = 1e-4


def parser(text, steps, quick):
    """The options every example has; add more, then call parse."""
    made = argparse.ArgumentParser(description=text.strip().split("\n")[0])
    made.add_argument("--mode", choices=MODES + ("all",), default="all")
    made.add_argument("--steps", type=int, default=None, help="steps of training (default %d)" % steps)
    made.add_argument("--quick", action="store_true", help="a short run of %d steps on a small network" % quick)
    made.add_argument("--png", metavar="FILE", help="also draw the curves with matplotlib")
    made.add_argument("--json", metavar="FILE", help="write losses and times to a file")
    made.set_defaults(all_steps=steps, quick_steps=quick)
    return made


def parse(made):
    """Parsed options, with the number of steps."""
    options = made.parse_args()
    if options.steps is None:
        options.steps = options.quick_steps if options.quick else options.all_steps
    if options.steps < 1:
        made.error("--steps, got %d, expected 1 or more" % options.steps)
    return options


def compiler(mode):
    """The decorator of a way to run."""
    return (lambda function: function) if mode == "eager" else ms.jit(mode=mode)


def run(title, make, options, finish=None):
    """Trains in each way, prints the table and the curve, returns the process's exit status.

    `finish(step, mode)`, where given, is called behind the last step of each way and returns a line about the trained network.
    """
    modes = MODES if options.mode == "all" else (options.mode,)
    if not ms.has_jit and modes != ("eager",):
        print("PIJit and PSJit are left out: %s" % ms.no_jit_reason)
        modes = ("eager",)
    rows = [_train(make, mode, options, finish) for mode in modes]
    _print_table(title, rows)
    print(curve(rows[-1]["losses"], "loss, %s" % rows[-1]["mode"]))
    _print_notes(rows)
    if options.png:
        _draw_png(title, rows, options.png)
    equal = _compare(rows)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"title": title, "rows": rows}, file, indent=1)
    return 0 if equal else 1


def _train(make, mode, options, finish):
    """One way to run: a row of the table."""
    if ms.has_jit:
        ms.config.enabled = mode != "eager"  # under `python -m msjit` functions are captured without a decorator too
    ms.set_seed(1)
    np.random.seed(1)
    step = make(compiler(mode), options)
    before, losses, times = ms.stats(), [], []
    for number in range(options.steps):
        start = time.perf_counter()
        losses.append(float(step(number)))
        times.append(1e3 * (time.perf_counter() - start))
        if sys.stdout.isatty():
            print("\r%s, step %d of %d, loss %.4f " % (mode, number + 1, options.steps, losses[-1]), end="", flush=True)
    if sys.stdout.isatty():
        print("\r\033[K", end="")
    after = ms.stats()
    in_graphs, eager = (after[key] - before[key] for key in ("graph_ops", "eager_ops"))
    later = times[len(times) // 2:]
    return {"mode": mode, "losses": losses, "first_ms": times[0], "step_ms": float(np.median(later)),
            "captured": in_graphs / float(in_graphs + eager) if in_graphs + eager else 0.0,
            "breaks": after["breaks"] - before["breaks"], "note": finish(step, mode) if finish else ""}


def _print_table(title, rows):
    print("%s: %d steps" % (title, len(rows[0]["losses"])))
    print("%-6s %12s %10s %14s %7s %11s" % ("mode", "first, ms", "step, ms", "ops in graphs", "breaks", "last loss"))
    for row in rows:
        print("%-6s %12.1f %10.3f %13.1f%% %7d %11.5f" % (
            row["mode"], row["first_ms"], row["step_ms"], 100 * row["captured"], row["breaks"], row["losses"][-1]))


def _print_notes(rows):
    """What `finish` said, once where it is the same for all."""
    notes = [row["note"] for row in rows]
    for row in rows[:1] if len(set(notes)) == 1 else rows:
        if row["note"]:
            print("%s: %s" % ("all" if len(rows) > 1 and len(set(notes)) == 1 else row["mode"], row["note"]))


def _compare(rows):
    """Whether the first losses are those of the first row; prints the largest difference."""
    equal = True
    for row in rows[1:]:
        gaps = [abs(a - b) / max(1.0, abs(a)) for a, b in zip(rows[0]["losses"], row["losses"])]
        same = max(gaps[:COMPARED]) <= TOLERANCE
        print("losses of %s and %s: %s, they differ by at most %.1e in %d steps" % (
            rows[0]["mode"], row["mode"], "equal" if same else "NOT EQUAL", max(gaps[:COMPARED]), len(gaps[:COMPARED])))
        equal = equal and same
    return equal


# -- curves -----------------------------------------------------------------------------------------------------------


def curve(values, label, width=64, height=8):
    """A plot made of text; each column is the mean of the values that fall into it."""
    values = np.asarray(values, np.float64)
    columns = [part.mean() for part in np.array_split(values, min(width, len(values)))]
    low, high = min(columns), max(columns)
    rows = [int(round((value - low) / ((high - low) or 1.0) * (height - 1))) for value in columns]
    lines = ["  %s" % label]
    for level in range(height - 1, -1, -1):
        mark = "%9.4f" % (low + (high - low) * level / (height - 1)) if level in (0, height - 1) else " " * 9
        lines.append("%s |%s" % (mark, "".join("*" if row == level else " " for row in rows).rstrip()))
    return "\n".join(lines + [" " * 10 + "+" + "-" * len(columns)])


def _draw_png(title, rows, path):
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no picture is drawn: pip install matplotlib")
        return
    figure = Figure(figsize=(6, 4))
    axes = figure.add_subplot()
    for row, style in zip(rows, ("-", "--", ":")):
        axes.plot(row["losses"], style, label=row["mode"])
    axes.set(title=title, xlabel="step", ylabel="loss")
    axes.legend()
    figure.savefig(path)


def picture(image, shades=" .:-=+*#%@"):
    """A grey image with values from 0 to 1 as text."""
    levels = np.clip(np.asarray(image) * len(shades), 0, len(shades) - 1).astype(int)
    return "\n".join("".join(2 * shades[level] for level in row) for row in levels)


# -- data -------------------------------------------------------------------------------------------------------------

_GLYPHS = ("0e11131519110e 040c040404040e 0e11010204081f 1f02040201110e 02060a121f0202 "
           "1f101e0101110e 0608101e11110e 1f010204080808 0e11110e11110e 0e11110f01020c").split()  # a font of 5 x 7


def load_images():
    """(images [N, 1, 8, 8] from 0 to 1, labels [N], images and labels to test on): scikit-learn's handwritten digits.

    Without scikit-learn they are drawn: a font's digits, shifted, dimmed and with noise.
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        print("scikit-learn is missing: the digits are drawn")
        images, labels = _drawn_digits(1800)
    else:
        pixels, digits = load_digits(return_X_y=True)
        order = np.random.RandomState(0).permutation(len(digits))
        images, labels = pixels.reshape(-1, 8, 8)[order] / 16.0, digits[order]
    images, labels = images.astype(np.float32)[:, None], labels.astype(np.int32)
    cut = len(labels) * 4 // 5
    return images[:cut], labels[:cut], images[cut:], labels[cut:]


def _drawn_digits(count):
    rng = np.random.RandomState(0)
    glyphs = np.array([[[int(glyph[2 * row:2 * row + 2], 16) >> (4 - column) & 1 for column in range(5)] for row in range(7)]
                       for glyph in _GLYPHS], np.float64)
    labels = rng.randint(0, 10, count)
    images = 0.1 * rng.rand(count, 8, 8)
    for image, label in zip(images, labels):
        top, left = rng.randint(0, 2), rng.randint(0, 4)
        image[top:top + 7, left:left + 5] += glyphs[label] * rng.uniform(0.5, 0.9)
    return images, labels


def batch_of(arrays, number, size):
    """Batch `number` as Tensors: the rows are shuffled anew in each round, the same way in every run."""
    count = len(arrays[0]) // size
    order = np.random.RandomState(number // count).permutation(len(arrays[0]))
    chosen = order[number % count * size:][:size]
    return [ms.Tensor(array[chosen]) for array in arrays]


def load_text():
    """English text that every CPython carries: the topics of its own help, joined."""
    from pydoc_data.topics import topics
    return "\n".join(topics[name] for name in sorted(topics))


def accuracy(net, inputs, labels):
    """Share of rows whose largest output is at the label."""
    net.set_train(False)
    outputs = net(ms.Tensor(inputs)).asnumpy()
    net.set_train(True)
    return float((outputs.argmax(1) == labels).mean())
