"""What counts as a difference between two records of a sample."""
import numpy as np

# Of the larger magnitude in the two results, and absolute; by MindSpore's dtype.
TOLERANCE = {"bfloat16": 2e-2, "float16": 2e-3, "float32": 1e-5, "float64": 1e-9, "complex64": 1e-5,
             "complex128": 1e-9}
TENSORS = ("tensor", "ndarray")


def as_array(record):
    return np.frombuffer(record[4], np.dtype(record[3])).reshape(record[2])


def close(got, want, tolerance):
    with np.errstate(all="ignore"):
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        finite = np.isfinite(got) & np.isfinite(want)
        scale = np.max(np.abs(want[finite]), initial=1e-2)
        return bool(np.all(same | (finite & (np.abs(got - want) <= tolerance * (np.abs(want) + scale)))))


def brief(value):
    text = " ".join(str(value).split())
    return text if len(text) < 160 else text[:157] + "..."


def differ(got, want):
    """(kind, detail) of the first difference of two records, or None."""
    if got[0] in TENSORS and want[0] == got[0]:
        return differ_tensors(got, want)
    if got[0] != want[0]:
        return "type", "%s, MindSpore %s" % (got[0], want[0])
    if got[0] in ("tuple", "list"):
        if len(got[1]) != len(want[1]):
            return "length", "%d items, MindSpore %d" % (len(got[1]), len(want[1]))
        return next((found for found in map(differ, got[1], want[1]) if found), None)
    if got[0] == "float":
        if not close(np.asarray(got[1]), np.asarray(want[1]), 1e-6):
            return "value", "%r, MindSpore %r" % (got[1], want[1])
    elif got[1:] != want[1:]:
        return "value", "%s, MindSpore %s" % (brief(got[1:]), brief(want[1:]))
    return None


def differ_tensors(got, want):
    if got[1] != want[1]:
        return "dtype", "%s, MindSpore %s" % (got[1], want[1])
    if got[2] != want[2]:
        return "shape", "%s, MindSpore %s" % (got[2], want[2])
    mine, theirs = as_array(got), as_array(want)
    detail = "%s, MindSpore %s" % (brief(mine), brief(theirs))
    if mine.dtype.kind not in "fc":
        return None if np.all(mine == theirs) else ("value", detail)
    kind = np.complex128 if mine.dtype.kind == "c" else np.float64
    wide = mine.astype(kind), theirs.astype(kind)
    if close(*wide, TOLERANCE[got[1]]):
        return None
    return "precision" if got[1] == "float64" and close(*wide, TOLERANCE["float32"]) else "value", detail


def compare_outcomes(got, want):
    if want[0] == "raises" and got[0] == "raises":
        if want[1] != got[1]:
            return "class", "%s (%s), MindSpore %s (%s)" % (got[1], brief(got[2]), want[1], brief(want[2]))
        return None
    if want[0] == "raises":
        return "accepts", "MindSpore %s: %s" % (want[1], brief(want[2]))
    if got[0] == "raises":
        return "rejects", "%s: %s" % (got[1], brief(got[2]))
    return differ(got[1], want[1])


def compare(got, want):
    """(kind, detail) of the first difference between msjit's record and MindSpore's, or None.

    Kinds: accepts (MindSpore raises), rejects (msjit raises), class (of exception), type, length, dtype, shape,
    value, precision (of float64, which agrees as float32); "PIJit ..." where only the captured call differs, "gradient ..." where only the gradient does.
    """
    found = compare_outcomes(got["eager"], want["eager"])
    if found:
        return found
    if "PIJit" in got:
        found = compare_outcomes(got["PIJit"], want["eager"])
        if found:
            return "PIJit " + found[0], found[1]
    if "gradient" in got and "gradient" in want:
        found = compare_outcomes(got["gradient"], want["gradient"])
        if found:
            return "gradient " + found[0], found[1]
    return None
