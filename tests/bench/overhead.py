"""Works that time what surrounds the kernels: checking guards, capturing, and running Python code that msjit leaves alone."""

from pure_python import PROGRAMS
from works import rand

STATEMENTS = 500  # of the function whose first call is timed; each is at least six instructions
CHECKS = 1000


def cells(depth):
    """A chain of `depth` cells around dense layers: four cells and two parameters for every two levels."""
    import msjit as ms
    from msjit import nn

    class Block(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(4, 4)

        def construct(self, x):
            return self.fc(x)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList([Block() for _ in range(depth)])

        def construct(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    net = Net()
    return (lambda x: net(x)), ms.Tensor(rand(4, 4))


def guards(depth):
    """Time of one check of the guards of a network of 2 * `depth` parameters."""
    import msjit as ms

    f, x = cells(depth)
    jitted = ms.jit(f, mode="PIJit")
    for _ in range(5):
        jitted(x)
    return "check(f, (x,), %d)" % CHECKS, {"check": ms._msjit._debug.check_cost, "f": f, "x": x}, CHECKS


def capture():
    """The first call of a function of STATEMENTS statements: capture, passes, plan and the run of it."""
    import msjit as ms

    lines = ["    y = y + x * %d.0" % (i % 7) for i in range(STATEMENTS)]
    space = {}
    exec("def f(x):\n    y = x\n%s\n    return y" % "\n".join(lines), space)  # noqa: S102
    return "reset(); f(x)", {"reset": ms._msjit.reset, "f": ms.jit(space["f"], mode="PIJit"), "x": ms.Tensor(rand(4, 4))}


def graph_mode():
    """The first call of ResNet-50 under GRAPH_MODE: parse, capture, passes and plan; a sixteenth of its channels and an
    image of 32 x 32, so that hardly any of the time is the run."""
    import msjit as ms
    from msjit.psjit import source
    from resnet import ResNet50

    net, x = ResNet50(10, thinner=16).set_train(False), ms.Tensor(rand(1, 3, 32, 32))
    ms.set_context(mode=ms.GRAPH_MODE)

    def reset():
        ms.reset()
        source.forget()
    return "reset(); net(x)", {"reset": reset, "net": net, "x": x}


def use_msjit():
    """A captured function and live tensors elsewhere in the process."""
    import msjit as ms

    f, x = cells(2)
    jitted = ms.jit(f, mode="PIJit")
    return [jitted(x) for _ in range(5)]


def of_msjit(work):
    if work == "guards mlp":
        return guards(3)
    if work == "guards 160 params":
        return guards(80)
    if work == "graph mode resnet50":
        return graph_mode()
    return capture() if work == "capture" else None


def of_python(work, loaded):
    if work not in PROGRAMS:
        return None
    return "run()", {"run": PROGRAMS[work], "kept": use_msjit() if loaded else None}


WORKS = {
    "guards mlp": "one guard check of 3 dense layers",
    "guards 160 params": "one guard check of 80 dense layers, as many parameters as ResNet-50 has",
    "graph mode resnet50": "first call of ResNet-50, a sixteenth of its channels, under GRAPH_MODE",
    "capture": "first call of a function of %d statements" % STATEMENTS,
    **{name: "call-heavy, without tensors" for name in PROGRAMS},
}
