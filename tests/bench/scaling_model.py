"""A plain cost model of data-parallel training.

A step is  t0 + rows * row + sum,  and the sum of n bytes of gradients by P processes costs  2 log2(P) alpha + 2 (P - 1) / P * n * beta + n * gamma  (halving and
doubling; a ring has the same second term, and 2 (P - 1) alpha). gamma is for copies into the messages and out of them. t0 and row are fitted to steps of one
process, alpha and beta to bare all-reduces of two, and gamma to the sums of two. Where several processes share a core, all is multiplied by processes
per core. Steps of several processes are not used.
"""
import math
import os

CORES = len(os.sched_getaffinity(0))
NETWORK_ALPHA, NETWORK_BETA = 5e-6, 1 / 10e9  # of the prediction: s for a message, s for a byte (10 GB/s)
COUNTS = (1, 2, 4, 8, 16, 64, 256, 1024)
WEAK, STRONG = 64, 8192  # rows of each process, rows of all together


def line(points):
    """(a, b) of y = a + b x with the least relative errors; a is 0 or more."""
    total = sx = sy = sxx = sxy = 0.0
    for x, y in points:
        weight = 1 / y ** 2
        total, sx, sy = total + weight, sx + weight * x, sy + weight * y
        sxx, sxy = sxx + weight * x * x, sxy + weight * x * y
    slope = (total * sxy - sx * sy) / (total * sxx - sx * sx)
    start = (sy - slope * sx) / total
    return (start, slope) if start >= 0 else (0.0, sxy / sxx)


def fit(found):
    """{"alpha", "beta", "gamma", network: {"start", "row", "bytes"}}."""
    start, slope = line([(int(n), t) for n, t in found["2"]["reduce"].items()])
    model = {"alpha": start / 2, "beta": slope, "gamma": 0.0}
    for name, steps in found["1"]["steps"].items():
        begin, row = line([(int(batch), t) for batch, t in steps.items()])
        model[name] = {"start": begin, "row": row, "bytes": 4 * sum(found["1"]["weights"][name])}
    rest = [(t - sum_time(2, model[name]["bytes"], model)) / model[name]["bytes"] for name, t in found["2"]["sums"].items()]
    model["gamma"] = max(0.0, sum(rest) / len(rest))
    return model


def sum_time(count, size, model, network=False):
    """The time in which `count` processes add up `size` bytes, with a core each. network: by the network of the prediction, not this host's memory."""
    alpha, beta = (NETWORK_ALPHA, NETWORK_BETA) if network else (model["alpha"], model["beta"])
    return 2 * math.log2(count) * alpha + 2 * (count - 1) / count * size * beta + (size * model["gamma"] if count > 1 else 0)


def host_time(model, name, count, rows):
    """The time of a step on this host."""
    own = model[name]
    return max(1, count / CORES) * (own["start"] + rows * own["row"] + sum_time(count, own["bytes"], model))


def network_time(model, name, count, rows):
    """The time of a step with a host for each process and the network of the prediction."""
    own = model[name]
    return own["start"] + rows * own["row"] + sum_time(count, own["bytes"], model, network=True)


def compare(found, model):
    """Rows of the measured steps beside the model's."""
    for name, alone in found["1"]["steps"].items():
        for count in sorted(map(int, found)):
            for batch, step in sorted(found[str(count)]["steps"][name].items(), key=lambda item: int(item[0])):
                expected = host_time(model, name, count, int(batch))
                same = model[name]["start"] + int(batch) * model[name]["row"] if batch not in alone else alone[batch]
                yield {"network": name, "batch": int(batch), "processes": count, "step": step, "model": expected, "fitted": count == 1,
                       "error": expected / step - 1, "share": found[str(count)]["sums"].get(name, 0) / step, "speed": count * same / step}


def most_state(sizes, count):
    """The bytes of Adam's state that one of `count` processes has at most, if whole Parameters of these sizes are divided as optim/sharded.py does."""
    load = [0] * count
    for size in sorted(sizes, reverse=True):
        load[load.index(min(load))] += 8 * size
    return max(load)


def predict(found, model):
    """Rows of the prediction."""
    for name in found["1"]["steps"]:
        one = {rows: network_time(model, name, 1, rows) for rows in (WEAK, STRONG)}
        for count in COUNTS:
            weak, strong = (network_time(model, name, count, rows) for rows in (WEAK, STRONG / count))
            yield {"network": name, "processes": count, "weak": weak, "efficiency": one[WEAK] / weak, "strong": strong, "speed": one[STRONG] / strong,
                   "state": most_state(found["1"]["weights"][name], count) / 2 ** 20}


def sentence(found, model):
    """What was fitted, in words."""
    texts = ["alpha %.1f us, 1 / beta %.1f GB/s, 1 / gamma %.1f GB/s" % (1e6 * model["alpha"], 1e-9 / model["beta"], 1e-9 / max(1e-15, model["gamma"]))]
    for name in found["1"]["steps"]:
        own = model[name]
        rate = 6 * own["bytes"] / 4 / own["row"]  # 2 operations for each weight and row forward, 4 backward
        texts.append("%s: %.3f ms + %.2f us a row (%.0f GFLOP/s), %.2f MiB of gradients" % (
            name, 1e3 * own["start"], 1e6 * own["row"], 1e-9 * rate, own["bytes"] / 2 ** 20))
    return "Fitted: " + "; ".join(texts) + "."
