"""usage: api_signatures.py [PREFIX] | api_signatures.py --read PYTHON

Compares the names, order and kinds of parameters of functions and constructors with MindSpore's. MindSpore itself is not needed: its
signatures stand in tests/oracle/mindspore_signatures.txt, which --read writes with an interpreter that has it: a line
"name a b=? * c=?" for each callable, =? where there is a default and * before what is given by keyword alone.

Operators take MindSpore's names of parameters beside their own, which no signature shows; so each name is tried: a call with that
keyword alone must not say that it does not know it.
"""
import importlib
import inspect
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIGNATURES = ROOT / "tests/oracle/mindspore_signatures.txt"
SPACES = """mindspore Tensor nn ops mint mint.nn mint.nn.functional mint.linalg mint.special mint.optim numpy train amp dataset dataset.vision
    dataset.transforms dataset.text dataset.audio mindrecord common.initializer communication.comm_func experimental.optim
    experimental.optim.lr_scheduler scipy.linalg nn.probability.distribution nn.probability.bijector""".split()

READER = """
import importlib, inspect, sys, warnings
warnings.simplefilter("ignore")
import mindspore
for space in sys.argv[1:]:
    if space == "Tensor":
        holder, names = mindspore.Tensor, dir(mindspore.Tensor)
    else:
        holder = mindspore if space == "mindspore" else importlib.import_module("mindspore." + space)
        names = [n for n in getattr(holder, "__all__", ()) if isinstance(n, str)] or dir(holder)
    for name in sorted(set(names)):
        value = getattr(holder, name, None)
        if name[0] == "_" or not callable(value) or not str(getattr(value, "__module__", "")).startswith("mindspore"):
            continue
        try:
            found = list(inspect.signature(value.__init__ if isinstance(value, type) else value).parameters.values())
        except (TypeError, ValueError):
            continue
        if (isinstance(value, type) or space == "Tensor") and found:
            found = found[1:]
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in found):
            continue
        words, only = [space + "." + name], False
        for p in found:
            if p.kind == p.KEYWORD_ONLY and not only:
                only = True
                words.append("*")
            words.append(p.name + ("" if p.default is p.empty else "=?"))
        print("SIGNATURE", *words)
"""


def read(python):
    """Writes SIGNATURES with an interpreter that has MindSpore."""
    run = subprocess.run([python, "-c", READER] + SPACES, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    lines = [line[len("SIGNATURE "):] for line in run.stdout.decode().splitlines() if line.startswith("SIGNATURE ")]
    SIGNATURES.write_text("\n".join(lines) + "\n")


def stored(prefix=""):
    """(space, name, parameters) of each callable."""
    for line in SIGNATURES.read_text().splitlines():
        words = line.split()
        if words and words[0].startswith(prefix):
            space, _, name = words[0].rpartition(".")
            yield space, name, words[1:]


def holder_of(space):
    import msjit
    if space == "Tensor":
        return msjit.Tensor([[1.0, 2.0]])
    return msjit if space == "mindspore" else importlib.import_module("msjit." + space)


def unknown_keywords(value, names):
    """The names that a call does not accept as keywords."""
    found = []
    for name in names:
        try:
            value(**{name: None})
        except Exception as error:
            text = str(error)
            if name in text and any(word in text for word in ("unexpected keyword", "keyword argument, got", "no keyword", "attribute, got")):
                found.append(name)
    return found


def plain(value):
    """Parameters of a Python function or of a constructor, or None where no signature says them."""
    try:
        found = list(inspect.signature(value.__init__ if isinstance(value, type) else value).parameters.values())
    except (TypeError, ValueError):
        return None
    if isinstance(value, type):
        found = found[1:]
    return None if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in found) else found


def differences(space, name, parameters):
    """What differs for one callable, as texts."""
    from msjit import absent
    value = getattr(holder_of(space), name, None)
    if value is None or isinstance(value, absent.Absent) or str(getattr(value, "__doc__", "")).startswith("Not offered"):
        return []  # tests/tools/api_names.py knows about these
    names = [word.partition("=")[0] for word in parameters if word != "*"]
    found = plain(value)
    if found is None or not {p.name for p in found}.issuperset(names):  # an operator, which has names beside those it shows
        return ["unknown keyword %s" % n for n in unknown_keywords(value, names)] if callable(value) else ["is not callable"]
    shown = [p.name for p in found if p.name in names]
    by_place = parameters[:parameters.index("*")] if "*" in parameters else parameters
    by_place = [word.partition("=")[0] for word in by_place]
    out = []
    if shown[:len(by_place)] != by_place:
        out.append("order %s, MindSpore %s" % (shown, names))
    needed = {p.name for p in found if p.default is p.empty and p.kind is not p.KEYWORD_ONLY}
    out += ["%s is required" % word[:-2] for word in parameters if word.endswith("=?") and word[:-2] in needed]
    out += ["%s is required, and MindSpore has none" % n for n in sorted(needed - set(names))]
    out += ["%s by keyword alone" % p.name for p in found if p.name in by_place and p.kind is p.KEYWORD_ONLY]
    return out


def main():
    if sys.argv[1:2] == ["--read"]:
        read(sys.argv[2])
        return 0
    count = 0
    for space, name, parameters in stored(*sys.argv[1:2]):
        for text in differences(space, name, parameters):
            print("%s.%s: %s" % (space, name, text))
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
