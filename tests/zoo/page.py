"""docs/zoo.md: a table of all results that are kept, with the dates and versions they come from."""
import pathlib
import platform

from compare import Row, summary

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = """# Networks compared with MindSpore

Written by `make zoo ARGS="--kept --write"`; do not edit. The networks of {packages}, unchanged, under
`python -m msjit --alias mindspore` and with MindSpore {mindspore}, on CPython {python}: the same weights by the names of
Parameters, the same input, batch 1. Runs of {dates}; of {known} registered networks {run} have been run here, {asked} with both.

{summary}.

{alone}
A distance is the norm of the difference relative to that of MindSpore's result (of PIJit's to eager's where MindSpore fails), for
gradients the greatest over all Parameters; a `-` under MindSpore says that it has not been asked. `!` marks one above 1e-3, `~` one
that changing the input by a millionth makes as well. One region and no break: all of the call, or of the call with its gradients, is one graph.

| network | runs | MindSpore | outputs: eager, PIJit | gradients: eager, PIJit | regions, breaks | with gradients |
| --- | --- | --- | --- | --- | --- | --- |
"""


def _version(folder, name):
    """The version of an installed package, by the name of the folder that pip keeps on it."""
    found = sorted(folder.glob(name + "-*.dist-info"))
    return found[0].name[len(name) + 1:-len(".dist-info")] if found else "?"


def _line(row):
    name, runs, oracle, outputs, gradients, regions, breaks, more_regions, more_breaks = row.cells(False)
    return "| %s | %s | %s | %s | %s | %s, %s | %s, %s |" % (
        name, runs, oracle, outputs.replace(" ", ", "), gradients.replace(" ", ", "), regions, breaks, more_regions, more_breaks)


def _alone(rows):
    """What the networks come to that MindSpore has not been asked for."""
    return "" if not rows else "The other %d: %d run, %d of them with the same results under PIJit, %d in one region.\n" % (
        len(rows), sum(r.runs for r in rows), sum(r.equal for r in rows), sum(r.whole for r in rows))


def text(ours, theirs):
    """The page; a network is in it when it has been run here."""
    rows, dates, networks = [], set(), sorted(ours.networks())
    for package, _, name in networks:
        mine, other = ours.kept(package, name), theirs.kept(package, name) or {}
        if mine:
            rows.append(Row(name, mine, other))
            dates |= {facts["date"] for facts in (mine, other) if "date" in facts}
    both = [r for r in rows if r.asked]
    packages = ROOT / "build/zoo/packages"
    (site,) = (ROOT / "build/peers/mindspore/lib").glob("python*/site-packages")
    head = HEAD.format(packages=" and ".join("%s %s" % (p, _version(packages, p)) for p in ("mindcv", "mindyolo")),
                       mindspore=_version(site, "mindspore"), python=platform.python_version(),
                       dates=" to ".join(sorted({min(dates), max(dates)})) if dates else "no date", known=len(networks),
                       run=len(rows), asked=len(both), summary=summary(both), alone=_alone([r for r in rows if not r.asked]))
    notes = ["- `%s`: %s" % (row.name, note.replace("<", "&lt;")) for row in rows for note in row.remarks()]
    return head + "\n".join(_line(row) for row in rows) + "\n" + ("\n## What fails, differs or breaks\n\n" + "\n".join(notes) + "\n"
                                                                 if notes else "")


def write(ours, theirs):
    (ROOT / "docs/zoo.md").write_text(text(ours, theirs))
