"""Programs the differential fuzzer found, shrunk: each is a function of (x, xs, d, o) and must behave as without msjit for
every argument set of test_fuzz_repros.py, in that order."""
from msjit import ops

REPROS = []


def repro(fn):
    REPROS.append(fn)
    return fn


@repro
def membership_of_a_key(x, xs, d, o):
    y = ops.maximum(x, x)
    return "b" in d, y


@repro
def attribute_read_for_nothing(x, xs, d, o):
    y = x + 1
    o.extra
    return y


@repro
def key_read_for_nothing(x, xs, d, o):
    y = x + 1
    d["b"]
    return y


@repro
def attribute_set_and_deleted(x, xs, d, o):
    y = x + 1
    o.fresh = 1
    del o.fresh
    return y


@repro
def containers_of_themselves(x, xs, d, o):
    print("begin", len(d))
    n = 0
    while n < 30:
        n += 1
        d.setdefault("l", []).append({**d, "k": n})
    print("end", n)
    return x + n, len(d["l"])


@repro
def prints_in_the_arms_of_a_branch(x, xs, d, o):
    if (x.sum() > 0).any():
        print("large")
        y = x + 1
    else:
        y = x - 1
    while y.sum() < 20:
        print("more")
        y = y + 3
    return y


@repro
def functions_are_told_apart(x, xs, d, o):
    def c1(v, k=len(xs)):  # noqa: B008 - evaluated when the inner function is made
        return v, k

    def c3(v, **more):
        return v

    x[0] = 1.0
    return c1, c3


@repro
def dict_grows_during_iteration(x, xs, d, o):
    y = x * 2
    for k in d:
        d["new" + k] = y


@repro
def dict_values_change_during_iteration(x, xs, d, o):
    out = []
    for _, v in d.items():
        d["b"] = x + len(out)
        out.append(v)
    return out


@repro
def keys_move_during_iteration(x, xs, d, o):
    out = []
    for k in d:
        if len(out) < 4:
            d[k] = d.pop(k)
        out.append(k)
    return out, x + 1


@repro
def list_grows_during_iteration(x, xs, d, o):
    out = []
    for v in xs:
        if len(xs) < 6:
            xs.append(x + len(xs))
        x[0] = len(out)
        out.append(v)
    return out


@repro
def exhausted_iterators_stay_exhausted(x, xs, d, o):
    it = iter(xs)
    first = list(it)
    xs.append(x * 2)
    x[0] = 1.0
    return first, list(it)


@repro
def reversed_keeps_its_start(x, xs, d, o):
    out = []
    for v in reversed(xs):
        xs.append(v)
        out.append(v)
    x[0] = 1.0
    return out, x
