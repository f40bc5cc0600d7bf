"""Compares what msjit and MindSpore gave for one network, and makes a row of the table."""
import numpy as np

TOLERANCE = 1e-3


def distance(found, wanted):
    """Norm of the difference relative to that of the wanted array; infinite for another shape."""
    if found.shape != wanted.shape:
        return float("inf")
    found, wanted = found.astype(np.float64).ravel(), wanted.astype(np.float64).ravel()
    return float(np.linalg.norm(found - wanted) / (np.linalg.norm(wanted) + 1e-30))


def gradient_distance(found, wanted):
    """Greatest difference between the two numbers that stand for a Parameter's gradient (worker.py), relative to the gradient's norm.

    A norm counts as at least a thousandth of the root mean square of all norms: a gradient that is zero but for rounding has nothing to
    compare.
    """
    if found.shape != wanted.shape:
        return float("inf")
    if not len(found):
        return 0.0
    norms = np.maximum(wanted[:, 0], 1e-3 * np.sqrt((wanted[:, 0] ** 2).mean()) + 1e-30)
    return float((np.abs(found - wanted).max(1) / norms).max())


def first_difference(ours, theirs):
    """The first Parameter that differs in path, name, shape or need of a gradient, or None."""
    for mine, other in zip(ours, theirs):
        if mine[:3] + mine[4:] != other[:3] + other[4:]:
            return "Parameter %s, expected %s" % (mine, other)
    return None if len(ours) == len(theirs) else "%d Parameters, expected %d" % (len(ours), len(theirs))


class Row:
    """One network.

        runs     it runs here
        oracle   MindSpore runs it
        asked    MindSpore has been tried (`theirs` is not empty)
        equal    there are results to compare, and none differs
        whole    one region without a break, also for its gradients
        wrong    MindSpore runs it, but it fails here or differs
    """

    COLUMNS = ("network", "runs", "MindSpore", "outputs eager,jit", "gradients", "regions", "breaks", "gr.reg.", "breaks")
    TIMES = ("eager ms", "PIJit ms", "MindSpore ms")
    WIDTHS = (-34, -5, -9, -18, -18, 8, 6, 8, 6, 8, 8, 12)

    def __init__(self, name, ours, theirs):
        self.name, self.ours, self.theirs = name, ours, theirs
        self.runs, self.oracle, self.asked = "eager_ms" in ours, "eager_ms" in theirs, bool(theirs)
        self.whole = all((ours.get(kind + "regions"), ours.get(kind + "breaks")) == (1, 0) for kind in ("", "gradient_"))
        self.distances, self.notes = {}, []
        self._errors()
        if self.runs:
            self._compare()
        far = [what for what, d in self.distances.items() if d is not None and d > self.limit(what)]
        self.equal = any(d is not None for d in self.distances.values()) and not far and not self.differs
        mine = [k for k in ours if k.endswith("_error") or k == "crash"]
        self.wrong = self.oracle and bool(mine or self.differs or far)

    def limit(self, what):
        """The greatest distance that counts as equal: the tolerance, or more if a change of the input by a millionth makes as much (worker.swing)."""
        return max(TOLERANCE, 3 * self.ours.get("swing", (0, 0))["gradient" in what])

    def _errors(self):
        for where, facts in (("here", self.ours), ("MindSpore", self.theirs)):
            self.notes += ["%s: %s: %s" % (where, k, v) for k, v in facts.items() if k.endswith("_error") or k == "crash"]
        self.differs = None
        if "parameters" in self.ours and "parameters" in self.theirs:
            self.differs = first_difference(self.ours["parameters"], self.theirs["parameters"])
        self.notes += [self.differs] if self.differs else []

    def _compare(self):
        mine = np.load(self.ours["arrays"])
        other = np.load(self.theirs["arrays"]) if self.oracle else {"files": []}
        for what in ("eager", "pijit"):  # PIJit has eager's results where MindSpore has none
            wanted = other if self.oracle else mine
            names = [n for n in getattr(wanted, "files", ()) if n.startswith("eager")]
            self.distances[what] = max((distance(mine[n.replace("eager", what)], wanted[n])
                                        if n.replace("eager", what) in mine.files else float("inf") for n in names), default=None)
            if what == "pijit" and "pijit_ms" not in self.ours:
                self.distances[what] = None
        for what in ("gradient", "pijit_gradient"):
            wanted = other if "gradient" in getattr(other, "files", ()) else mine
            both = what in mine.files and "gradient" in getattr(wanted, "files", ())
            self.distances[what] = gradient_distance(mine[what], wanted["gradient"]) if both else None

    def cells(self, times):
        """The text of each column."""
        def shown(what):
            value = self.distances.get(what)
            return "-" if value is None else "%.0e%s" % (
                value, "" if value <= TOLERANCE else "~" if value <= self.limit(what) else "!")

        def number(key):
            return "-" if self.ours.get(key) is None else "%d" % self.ours[key]

        found = [self.name, "yes" if self.runs else "NO", "yes" if self.oracle else "no" if self.asked else "-", shown("eager") + " " + shown("pijit"),
                 shown("gradient") + " " + shown("pijit_gradient"), number("regions"), number("breaks"),
                 number("gradient_regions"), number("gradient_breaks")]
        if times:
            spent = (self.ours.get("eager_ms"), self.ours.get("pijit_ms"), self.theirs.get("eager_ms"))
            found += ["-" if ms is None else "%.1f" % ms for ms in spent]
        return found

    def remarks(self):
        """A line for each error, and the first reasons of breaks."""
        reasons = (self.ours.get("why") or [])[:1] + (self.ours.get("gradient_why") or [])[:1]
        return self.notes + ["break: " + why for why in reasons]

    def text(self, times):
        """The row, and its remarks."""
        return "\n".join([aligned(self.cells(times))] + ["    " + note for note in self.remarks()])


def aligned(cells):
    """A line of the table."""
    return " ".join("%*s" % (width, cell) for width, cell in zip(Row.WIDTHS, cells))


def summary(rows):
    """What all rows come to."""
    both = [r for r in rows if r.runs and r.oracle]
    return "%d networks: %d run here, %d with MindSpore; of those that run with both %d are equal, %d of %d in one region" % (
        len(rows), sum(r.runs for r in rows), sum(r.oracle for r in rows), sum(r.equal for r in both),
        sum(r.whole for r in rows if r.runs), sum(r.runs for r in rows))
