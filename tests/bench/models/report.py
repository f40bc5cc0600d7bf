"""What `run.py` says about the rows of whole models."""

import math

import models


def agreeing(rows):
    """The rows of one model whose results agree with those of the first row, which is msjit eager if that ran. The other rows are named and left out."""
    kept, expected = [], None
    for row in rows:
        results = row.pop("results")
        expected = expected or (row["impl"], results)
        gap = models.difference(results, expected[1])
        if gap <= models.TOLERANCE:
            kept.append(row)
        else:
            print("! FAIL %s: the results of %s differ from those of %s by %.1e (limit %.1e)"
                  % (row["work"], row["impl"], expected[0], gap, models.TOLERANCE))
    return kept


def print_table(rows):
    """Times of a call as multiples of msjit eager's, a line for each model."""
    times = {(row["work"], row["impl"].split(" py3")[0]): row["us"] for row in rows if row["work"] in models.WORKS}
    works = [name for name in models.WORKS if (name, "msjit eager") in times]
    impls = [name for name in models.IMPLS if name != "msjit eager"]
    if not works:
        return
    print("\n%-20s %14s %s" % ("model", "eager us", "".join("%15s" % name for name in impls)))
    for work in works:
        eager = times[work, "msjit eager"]
        cells = ["%15.2f" % (times[work, name] / eager) if (work, name) in times else 15 * " " for name in impls]
        print("%-20s %14.1f %s" % (work, eager, "".join(cells)))


def print_readme(rows):
    """The README's table: PIJit beside the fastest of the others, and the means of all rows."""
    by_work = {}
    for row in rows:
        if row["work"] in models.GROUP:
            by_work.setdefault(row["work"], {})[row["impl"].split(" py3")[0]] = row
    gains, starts = [], []
    for work, found in by_work.items():
        others = {name: row for name, row in found.items() if not name.startswith(("msjit", "numpy", "mindspore"))}
        if not others or not {"msjit eager", "msjit PIJit"} <= set(found):
            continue
        if not gains:
            print("\n| model | eager | PIJit | best of the others | x | peak MiB: eager, PIJit, that one |\n|" + 6 * " --- |")
        best = min(others, key=lambda name: others[name]["us"])
        eager, captured = found["msjit eager"], found["msjit PIJit"]
        gains.append(others[best]["us"] / captured["us"])
        compilers = [row["first_us"] for name, row in others.items() if name != "torch eager"]
        if compilers:
            starts.append(min(compilers) / captured["first_us"])
        print("| %s | %s | %s | %s, %s | %.2f | %s |" % (
            work, _time(eager["us"]), _time(captured["us"]), _time(others[best]["us"]), best, gains[-1],
            ", ".join("%.0f" % (row["bytes"] / 2**20) for row in (eager, captured, others[best]))))
    if gains:
        print("geometric mean of x: %.2f; first call of the fastest compiler over PIJit's: %.1f" % (_mean(gains), _mean(starts or [1])))


def _time(us):
    return "%.1f us" % us if us < 1000 else "%.2f ms" % (us / 1e3) if us < 1e5 else "%.0f ms" % (us / 1e3)


def _mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))
