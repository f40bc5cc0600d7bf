"""The table of samples: what the files of cases/ declare."""
import importlib
import pathlib

CASES = pathlib.Path(__file__).parent / "cases"


class Sample:
    """One call to compare: an expression over the arguments a, b, c, ... and their texts."""

    def __init__(self, call, specs, gradient, unusual=False):
        self.call, self.specs, self.gradient, self.unusual = call, specs, gradient, unusual
        self.name = call + ("" if not specs else " | " + "; ".join(specs)) + (" ~" if unusual else "")

    @property
    def parameters(self):
        return "abcdefgh"[:len(self.specs)]


_samples = {}


def case(call, *variants, **options):
    """Declares one sample a variant: a text, or a tuple of texts, for the arguments of the expression `call`.

    gradient=False leaves out the comparison of gradients with respect to the floating-point arguments; unusual=True
    is of variations.py.
    """
    for specs in variants or ((),):
        sample = Sample(call, (specs,) if isinstance(specs, str) else tuple(specs), options.get("gradient", True),
                        options.get("unusual", False))
        if sample.name[:-2] not in _samples or not sample.unusual:
            _samples.setdefault(sample.name, sample)


def calls(pattern, names, *variants, **options):
    """The same samples for several names: calls("ops.%s(a)", "sin cos", "f32[2]")."""
    for name in names.split():
        case(pattern.replace("%s", name), *variants, **options)


def pairs(firsts, seconds):
    """All combinations of two lists of texts."""
    return [(a, b) for a in firsts for b in seconds]


def load(wanted=""):
    """All samples whose name contains `wanted`, in the order of declaration."""
    for path in sorted(CASES.glob("*.py")):
        importlib.import_module("cases." + path.stem)
    return [s for s in _samples.values() if wanted in s.name]
