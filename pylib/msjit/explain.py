"""Reports what was captured and what was not: explain(fn, *args), and the tables of the command line."""
import os

from ._native import _msjit

TOTALS = ("calls", "captured_calls", "eager_ops", "graph_ops", "breaks", "recompiles", "compile_ms", "pool_bytes")
_COUNTERS = {"regions": ("hits", "misses", "compile_ms"), "recompiles": ("count",)}
_KEYS = {"regions": ("pc",), "recompiles": ("guard", "source")}


def stats():
    """Totals since the start or the last reset(), as a dict with the keys of TOTALS."""
    found = _msjit.stats()
    return {name: found.get(name, 0) for name in TOTALS}


def reset():
    """Drops every compiled graph and sets the counters to zero."""
    _msjit.reset()


def records():
    """A dict for each function that the JIT has looked at, as --explain-json writes it."""
    found = _msjit.explain_json()
    for record in found:
        del record["code"]
    return found


def report():
    """Everything known now, as a dict. Library functions that have no region are left out."""
    return {"version": 1, "functions": [r for r in records() if r["regions"] or not _is_library(r["file"])],
            "totals": stats()}


def _is_library(file):
    own = os.path.dirname(os.path.abspath(__file__))
    return file.startswith((own, os.path.dirname(os.__file__), "<frozen")) or "site-packages" in file


def write_json(path):
    """Writes report() to a file."""
    import json
    with open(path, "w") as file:
        json.dump(report(), file, indent=1)
        file.write("\n")


def write_report(path):
    """Writes the report at exit. An error, such as a full disk, is printed as one line: a traceback would show no line of the program."""
    try:
        write_json(path)
    except OSError as error:
        import sys
        print("msjit: the report cannot be written to %s: %s" % (path, error.strerror), file=sys.stderr)


class Explanation:
    """What one call did: `functions` (the called one first), `totals`, `result`. str() gives a readable report.

    `details` has for each captured entry of the called function: line, guards as Python expressions, assumptions about
    branches that raise (`assumes`), graph and plan. `events` is what a Profiler saw of the second call, before which all kernels were compiled.
    """

    version = 1

    def __init__(self, functions, totals, result=None, details=(), events=()):
        self.functions, self.totals, self.result = functions, totals, result
        self.details, self.events = list(details), list(events)

    def _first(self, key, default):
        return self.functions[0].get(key, default) if self.functions else default

    @property
    def name(self):
        """Name of the function."""
        return self._first("name", "")

    @property
    def file(self):
        """File of the function."""
        return self._first("file", "")

    @property
    def line(self):
        """First line of the function."""
        return self._first("line", 0)

    @property
    def calls(self):
        """Calls of the function."""
        return self._first("calls", 0)

    @property
    def regions(self):
        """Captured regions of the function."""
        return self._first("regions", [])

    @property
    def breaks(self):
        """Places where the graph ended before the function did."""
        return self._first("breaks", [])

    @property
    def recompiles(self):
        """Guards that failed and led to another capture."""
        return self._first("recompiles", [])

    def to_dict(self):
        """The same as plain data."""
        return {"version": self.version, "functions": self.functions, "totals": self.totals}

    def __str__(self):
        if not _msjit.has_jit:
            return "nothing is captured: %s" % _msjit.no_jit_reason
        if not self.functions:
            return "nothing was captured: no function with tensor operations was called through the JIT"
        texts = [_describe(f, self.details if i == 0 else ()) for i, f in enumerate(self.functions)]
        return "\n\n".join(texts + self._kernels() + [_totals_line(self.totals)])

    def _kernels(self):
        from .profiler import roofline
        if not any(event.kind == "kernel" for event in self.events):
            return []
        took = sum(event.duration for event in self.events if event.kind == "region")
        first, *lines = roofline(self.events, 20)
        return ["\n".join(["regions of the second call took %.3f ms; %s" % (took / 1e3, first)] + lines)]

    def graphs(self):
        """The captured graphs of the called function, as text."""
        return "\n".join(item["graph"] for item in self.details)

    __repr__ = __str__


def explain(fn, *args, **kwargs):
    """Calls fn(*args, **kwargs) through PIJit and reports what was captured. It calls `fn` twice, so that the second call is a cached
    one, and reports where the time of that went.

    Side effects of `fn` happen twice. `.result` is the result of the second call. If a Profiler is already running, it sees both
    calls, and `.events` is empty.

    >>> import msjit as ms
    >>> explained = ms.explain(lambda x: ms.ops.tanh(x) * 2, ms.Tensor([0.0, 1.0]))
    >>> len(explained.regions), explained.breaks, explained.result.shape
    (1, [], (2,))
    >>> "tanh" in explained.graphs()
    True
    """
    from .jit import jit
    compiled = jit(fn, mode="PIJit") if _msjit.has_jit else fn
    # Functions of one place, as those made by exec, differ in their code.
    before, totals = {r["code"]: r for r in _msjit.explain_json()}, stats()
    compiled(*args, **kwargs)
    if _msjit.has_jit:
        _msjit.wait_compiled()
    result, events = _profiled(compiled, args, kwargs)
    target = _code_of(fn)
    place = (target.co_filename, target.co_firstlineno) if target is not None else None
    changed = [_difference(r, before.get(r.pop("code"))) for r in _msjit.explain_json()]
    changed = [r for r in changed if r["regions"] or (r["calls"] or r["breaks"]) and not _is_library(r["file"])]
    changed.sort(key=lambda r: (r["file"], r["line"]) != place)
    after = stats()
    details = _msjit.explain_details(target) if target is not None and _msjit.has_jit else ()
    totals = {k: after[k] if k == "pool_bytes" else after[k] - totals[k] for k in TOTALS}
    return Explanation(changed, totals, result, details, events)


def _profiled(fn, args, kwargs):
    """The result of a call, and what a Profiler saw of it."""
    from .profiler import Profiler
    if Profiler._running is not None:
        return fn(*args, **kwargs), ()
    profiler = Profiler(start_profile=False)
    profiler.start()
    try:
        result = fn(*args, **kwargs)
    finally:
        profiler.stop()
    return result, profiler.events


def _code_of(fn):
    """The code object a callable ends up in, or None."""
    for name in ("construct", "__func__", "__wrapped__", "func"):
        inner = getattr(fn, name, None)
        if inner is not None:
            return _code_of(inner)
    return getattr(fn, "__code__", None)


def _difference(record, before):
    """`record` with its counters counted from `before` on, and without regions that did not run.

    A break is found when its place is captured, which may have been earlier. So all breaks are kept.
    """
    if before is None or record["calls"] == before["calls"]:
        return dict(record, calls=0, regions=[], breaks=[], recompiles=[]) if before else record
    out = dict(record, calls=record["calls"] - before["calls"])
    for kind, keys in _KEYS.items():
        old = {tuple(item.get(k) for k in keys): item for item in before[kind]}
        out[kind] = []
        for item in record[kind]:
            earlier = old.get(tuple(item.get(k) for k in keys))
            if earlier is not None:
                item = dict(item, **{c: item[c] - earlier[c] for c in _COUNTERS[kind]})
            if earlier is None or any(item[c] for c in _COUNTERS[kind] if c != "compile_ms"):
                out[kind].append(item)
    return out


# -- text ---------------------------------------------------------------------------------------------------------


def _source(file, line):
    from .psjit.source import file_lines
    lines = file_lines(file)
    return lines[line - 1].strip() if 1 <= line <= len(lines) else ""


def _describe(record, details=()):
    lines = ["%s  (%s:%d), %d call%s" % (record["name"], record["file"], record["line"], record["calls"],
                                         "" if record["calls"] == 1 else "s")]
    for region in record["regions"]:
        lines.append("  region at line %d: %d ops, %d guards, %d entries, %d hits, %d misses, captured in %.1f ms, tier %s"
                     % tuple(region[k] for k in ("line", "ops", "guards", "entries", "hits", "misses", "compile_ms",
                                                 "tier")))
        if region["open"]:
            lines.append("      open: %s; %d graphs for the sizes met" % (", ".join(region["open"]), region["graphs"]))
        for item in details:
            if item["line"] == region["line"]:
                lines.extend("      guard %s" % guard for guard in item["guards"])
                lines.extend("      assumes %s" % text for text in item["assumes"])
                lines.extend("      | %s" % text for text in item["graph"].rstrip().split("\n"))
    for item in record["breaks"]:
        lines.append("  break at line %d: %s%s, %d times" % (
            item["line"], item["reason"], ": " + item["detail"] if item["detail"] else "", item["count"]))
        source = _source(record["file"], item["line"])
        if source:
            lines.append("      %s" % source)
        lines.append("      cure: %s" % item["cure"])
    lines.extend("  " + _recompile(item) for item in record["recompiles"])
    if not record["breaks"]:
        lines.append("  no graph breaks")
    return "\n".join(lines)


def _recompile(item):
    times = "once" if item["count"] == 1 else "%d times" % item["count"]
    return "captured again %s: %s failed%s" % (times, item["guard"], ": " + item["now"] if item["now"] else "")


def captured_share(totals):
    """Share of op calls that ran inside graphs, 0 to 1."""
    everything = totals["graph_ops"] + totals["eager_ops"]
    return totals["graph_ops"] / everything if everything else 0.0


def _totals_line(totals):
    return "%d calls, %d captured; %d ops in graphs, %d eager (%.1f %% captured); %d breaks, %d recompiles, %.1f ms " \
        "compiling, %.1f MiB of graphs" % (
            totals["calls"], totals["captured_calls"], totals["graph_ops"], totals["eager_ops"],
            100 * captured_share(totals), totals["breaks"], totals["recompiles"], totals["compile_ms"],
            totals["pool_bytes"] / 2.0**20)


def table():
    """The report of --explain: a row a function, then the breaks with their lines."""
    if not _msjit.has_jit:
        return "msjit: nothing is captured: %s" % _msjit.no_jit_reason
    found = [r for r in report()["functions"] if r["regions"] or r["breaks"]]
    lines = ["%-40s %8s %8s %6s %8s %7s" % ("function", "calls", "regions", "ops", "entries", "breaks")]
    for record in sorted(found, key=lambda r: (r["file"], r["line"])):
        name = "%s (%s:%d)" % (record["name"], record["file"].rpartition("/")[2], record["line"])
        regions = record["regions"]
        lines.append("%-40s %8d %8d %6d %8d %7d" % (
            name if len(name) <= 40 else name[:37] + "...", record["calls"], len(regions),
            sum(r["ops"] for r in regions), sum(r["entries"] for r in regions),
            sum(b["count"] for b in record["breaks"])))
    for record in found:
        for item in record["breaks"]:
            lines.append("break %s:%d %s%s, %d times" % (
                record["file"], item["line"], item["reason"], ": " + item["detail"] if item["detail"] else "",
                item["count"]))
            source = _source(record["file"], item["line"])
            if source:
                lines.append("    %s" % source)
            lines.append("    cure: %s" % item["cure"])
    for record in found:
        lines.extend("%s (%s:%d) %s" % (record["name"], record["file"], record["line"], _recompile(item))
                     for item in record["recompiles"])
    lines.append(_totals_line(stats()))
    return "\n".join(lines)
