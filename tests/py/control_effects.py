"""Branches and loops on the value of a tensor whose arms do more, or other things, than assign tensors."""

G = 0


class Box:
    pass


class Slot:
    def __init__(self, v):
        self.v = v

    def add(self, d):
        self.v = self.v + d
        return self


def counts_in_a_global(x):
    global G
    if x.sum() > 0:
        G += 1
    return x * G


def replaces_an_attribute(x):
    b = Box()
    b.v = x
    if x.sum() > 0:
        b.v = x * 2
    return b.v + 1


def adds_an_attribute(x):
    b = Box()
    if x.sum() > 0:
        b.w = x * 2
    return x * 2, hasattr(b, "w")


def counts_in_a_cell(x):
    n = 1

    def inc():
        nonlocal n
        n = n + 1
        return x

    if x.sum() > 0:
        y = inc()
    else:
        y = x
    return y * n


def replaces_an_item(x):
    d = {"a": x}
    if x.sum() > 0:
        d["a"] = x * 2
    return d["a"], len(d)


def adds_an_item(x):
    d = {}
    if x.sum() > 0:
        d["b"] = x * 2
    return sorted(d), x * 3


def deletes_a_local(x):
    y = x * 2
    if x.sum() > 0:
        del y
        y = x
    return y


def raises_in_an_arm(x):
    try:
        if x.sum() > 0:
            y = x.reshape((5,))
        else:
            y = x
    except ValueError as e:
        y = x * 7
    return y


def finally_behind(x):
    y = x
    try:
        if x.sum() > 0:
            y = x * 3
        else:
            y = x * 4
    finally:
        y = y + 1
    return y


def comprehensions(x):
    if x.sum() > 0:
        y = sum([x * i for i in range(3)])
    else:
        y = sum([x + i for i in range(3)])
    return y


def calls_a_method(x):
    s = Slot(x)
    if x.sum() > 0:
        s.add(x)
    else:
        s.add(-x)
    return s.v


def takes_from_an_iterator(x):
    it = iter([x, x * 2, x * 3])
    a = next(it)
    if x.sum() > 0:
        a = next(it)
    return a + next(it)


def unrolled_loop(x):
    r = []
    for i in range(3):
        if x.sum() > i:
            x = x + 1
        else:
            x = x - 1
        r.append(x)
    return r


def asserts(x):
    assert x.sum() > -100, "no"
    return x * 2


def loop_with_finally(x):
    while x.sum() < 50:
        try:
            x = x * 2 + 4
        finally:
            x = x + 1
    return x


def generator(x):
    def gen():
        for i in range(3):
            if x.sum() > i:
                yield x * i
            else:
                yield x

    return list(gen())


def picks_a_function(x):
    f = (lambda v: v * 2) if x.sum() > 0 else (lambda v: v * 3)
    return f(x)


def picks_a_list(x):
    a = [x, x + 1]
    b = a
    if x.sum() > 0:
        b = list(a)
    b.append(x)
    return len(a), len(b)


def picks_a_tuple(x):
    a = (x, x + 1)
    if x.sum() > 0:
        a = (x + 1, x)
    p, q = a
    return p - q


def lists_in_a_loop(x):
    while x.sum() < 30:
        y = [x, x * 2]
        x = y[0] + y[1] + 4
    return x


def in_place_in_a_loop(x):
    y = x + 1
    while y.sum() < 30:
        y += 5
    return y


def in_place_behind(x):
    a = x * 1
    y = a if x.sum() > 0 else x
    a += 10
    return y, a


def view_behind(x):
    v = x.reshape((1, 2))
    y = v if x.sum() > 0 else v * 2
    y += 1
    return y, x


def all_and_any(x):
    t = x.sum()
    return all([t > 0, t > 2]), any([t > 0, t > 2])


def maximum(x):
    return max(x.sum(), x[0] * 3)


def sorts(x):
    return sorted([x[0], x[1], x.sum()])


def formats(x):
    if x.sum() > 0:
        r = f"{x.shape}"
    else:
        r = f"{x.shape}"
    return r, x * 2


def returns_nothing(x):
    if x.sum() > 0:
        return
    return x


def loops_side_by_side(x):
    while True:
        while x.sum() < 20:
            x = x + 3
        if x.sum() > 50:
            break
        x = x * 2
    return x


def bounded_loop(x):
    i = 0
    while x.sum() < 1e4 and i < 5:
        x = x * 2 + 4
        i += 1
    return x, i


def aliases_in_a_loop(x):
    a = b = x * 1.0
    n = x.sum() * 0
    while n < 4:
        if n > 1:
            b = a
        a = a + 1
        n = n + 1
    b += 100
    return a, b


EFFECTS = [
    counts_in_a_global,
    replaces_an_attribute,
    adds_an_attribute,
    counts_in_a_cell,
    replaces_an_item,
    adds_an_item,
    deletes_a_local,
    raises_in_an_arm,
    finally_behind,
    comprehensions,
    calls_a_method,
    takes_from_an_iterator,
    unrolled_loop,
    asserts,
    loop_with_finally,
    generator,
    picks_a_function,
    picks_a_list,
    picks_a_tuple,
    lists_in_a_loop,
    in_place_in_a_loop,
    in_place_behind,
    view_behind,
    all_and_any,
    maximum,
    sorts,
    formats,
    returns_nothing,
    loops_side_by_side,
    bounded_loop,
    aliases_in_a_loop,
]
