"""The plot of scaling.py as SVG: the time of a step over the number of processes, on logarithmic axes."""
import math

import scaling_model

WIDTH, HEIGHT, PANEL, LEFT, TOP, BOTTOM = 860, 380, 350, 60, 40, 320
COLOURS = {"digits": "#1f6fb2", "wide": "#b2451f"}
STYLE = "text{font:12px sans-serif;fill:#333} .grid{stroke:#ddd} .axis{stroke:#333;fill:none} .line{fill:none;stroke-width:2}"


class Panel:
    """One pair of axes: processes from 1 to 1,024 across, milliseconds up."""

    def __init__(self, place, title, low, high):
        self.left, self.low, self.high = LEFT + place * (PANEL + 70), math.floor(math.log10(low)), math.ceil(math.log10(high))
        self.parts = ['<text x="%d" y="24">%s</text>' % (self.left, title)]
        for count in (1, 4, 16, 64, 256, 1024):
            x = self.x(count)
            self.parts.append('<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>'
                              % (x, TOP, x, BOTTOM, x, BOTTOM + 18, format(count, ",")))
        for power in range(self.low, self.high + 1):
            y = self.y(10.0 ** power)
            self.parts.append('<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%g</text>'
                              % (self.left, y, self.left + PANEL, y, self.left - 6, y + 4, 10.0 ** power))
        self.parts.append('<rect class="axis" x="%d" y="%d" width="%d" height="%d"/>' % (self.left, TOP, PANEL, BOTTOM - TOP))

    def x(self, count):
        return self.left + PANEL * math.log2(count) / 10

    def y(self, ms):
        return BOTTOM - (BOTTOM - TOP) * (math.log10(ms) - self.low) / (self.high - self.low)

    def line(self, points, colour, dashes=""):
        path = " ".join("%.1f,%.1f" % (self.x(count), self.y(1e3 * t)) for count, t in points)
        self.parts.append('<polyline class="line" points="%s" stroke="%s" stroke-dasharray="%s"/>' % (path, colour, dashes))

    def dots(self, points, colour):
        for count, t in points:
            self.parts.append('<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>' % (self.x(count), self.y(1e3 * t), colour))


def _weak(found, model):
    """({network: measured points}, {network: the model on this host}, {network: the prediction}) for 64 rows in each process."""
    counts, rows = sorted(map(int, found)), scaling_model.WEAK
    names = list(found["1"]["steps"])
    return ({n: [(c, found[str(c)]["steps"][n][str(rows)]) for c in counts] for n in names},
            {n: [(c, scaling_model.host_time(model, n, c, rows)) for c in counts] for n in names},
            {n: [(c, scaling_model.network_time(model, n, c, rows)) for c in scaling_model.COUNTS] for n in names})


def draw(found, model):
    """The whole picture."""
    measured, host, weak = _weak(found, model)
    strong = {n: [(c, scaling_model.network_time(model, n, c, scaling_model.STRONG / c)) for c in scaling_model.COUNTS] for n in measured}
    panels = []
    for place, (title, lines) in enumerate((("weak: ms of a step, %d rows in each process" % scaling_model.WEAK, [measured, host, weak]),
                                            ("strong: ms of a step, %s rows together" % format(scaling_model.STRONG, ","), [strong]))):
        times = [1e3 * t for curves in lines for points in curves.values() for _, t in points]
        panels.append(Panel(place, title, min(times), max(times)))
    for name in measured:
        panels[0].line(weak[name], COLOURS[name], "6 4")
        panels[0].line(host[name], COLOURS[name])
        panels[0].dots(measured[name], COLOURS[name])
        panels[1].line(strong[name], COLOURS[name], "6 4")
    legend = "".join('<text x="%d" y="%d" style="fill:%s">%s</text>' % (LEFT + 80 * i, HEIGHT - 12, COLOURS[n], n) for i, n in enumerate(measured))
    legend += '<text x="%d" y="%d">dots: measured; line: model on this host; dashes: prediction, a host for each process</text>' % (
        LEFT + 170, HEIGHT - 12)
    return '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d"><style>%s</style>\n<rect width="100%%" height="100%%" fill="white"/>\n%s\n%s\n</svg>\n' % (
        WIDTH, HEIGHT, WIDTH, HEIGHT, STYLE, "\n".join("\n".join(panel.parts) for panel in panels), legend)
