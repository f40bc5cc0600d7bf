"""What `run.py` says about the rows of whole models."""

import models


def agreeing(rows):
    """The rows of one model whose results are those of the first row, which is msjit eager where that ran; the others are
    named and left out."""
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
