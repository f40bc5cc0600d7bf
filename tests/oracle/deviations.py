"""Where msjit means to differ from MindSpore. The page docs/deviations.md is written from this table.

A row of deviation_rows.py: title, reason, and lines "kind: pattern" of the samples it covers, or "kind says: pattern" of
what is reported for them ("kind says ~: pattern" for the samples of variations.py alone); `*` in a pattern stands for any
text, and the kinds are those of compare.py. A line that covers no difference any more is reported, so that it can be removed.
"""
import re
import textwrap

ROWS = []


def deviation(title, reason, *lines):
    ROWS.append((title, " ".join(reason.split()), [tuple(line.split(": ", 1)) for line in lines]))


class Table:
    """Looks differences up and remembers which lines were needed."""

    def __init__(self):
        self.lines, self.used = [], set()
        for title, _, lines in ROWS:
            for kind, pattern in lines:
                regex = re.compile(".*".join(re.escape(part) for part in pattern.split("*")) + "$")
                self.lines.append((title, kind, pattern, regex))

    def find(self, name, kind, detail):
        """The title of the row that covers a difference, or None."""
        hits = [i for i, (_, k, _, regex) in enumerate(self.lines)
                if (k == kind and regex.match(name)) or (k == kind + " says" and regex.match(detail))
                or (k == kind + " says ~" and name.endswith(" ~") and regex.match(detail))]
        self.used.update(hits)
        return self.lines[hits[0]][0] if hits else None

    def stale(self):
        return ["%s: %s" % line[1:3] for i, line in enumerate(self.lines) if i not in self.used]


HEAD = """# Where msjit differs from MindSpore, on purpose

Written by `tests/tools/gen_docs.py` from `tests/oracle/deviation_rows.py`; do not edit. `make test-oracle` compares msjit with
MindSpore's CPU backend, call by call; every difference it finds is mended or stands here. `accepts` means that MindSpore
raises, `rejects` that msjit does, `class` that both do with different classes; the others say in what the results differ.
"""


def page():
    out = [HEAD]
    for title, reason, lines in ROWS:
        out += ["## %s" % title, "", *textwrap.wrap(reason, 120), ""]
        out += ["- %s: `%s`" % line for line in lines] + [""]
    return "\n".join(out).rstrip("\n") + "\n"
