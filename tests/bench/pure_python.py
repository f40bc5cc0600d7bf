"""Five call-heavy programs without tensors, for what msjit costs code it has no business with: timed without it, with msjit
imported and in use by other code, and captured transparently by `python -m msjit --include '*'`."""


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def run_fib():
    return fib(21)


def queens(n, row, columns, up, down):
    if row == n:
        return 1
    total = 0
    for column in range(n):
        if not (columns >> column & 1 or up >> (row + column) & 1 or down >> (row - column + n) & 1):
            total += queens(n, row + 1, columns | 1 << column, up | 1 << (row + column), down | 1 << (row - column + n))
    return total


def run_queens():
    return queens(6, 0, 0, 0, 0)


class Shape:
    def __init__(self, width, height):
        self.width, self.height = width, height

    def area(self):
        return self.width * self.height

    def scaled(self, factor):
        return type(self)(self.width * factor, self.height * factor)


class Square(Shape):
    def __init__(self, side):
        super().__init__(side, side)

    def scaled(self, factor):
        return Square(self.width * factor)


def run_methods():
    total = 0
    for i in range(3000):
        total += (Square(i) if i % 2 else Shape(i, 2)).scaled(2).area()
    return total


def leaves(depth):
    if depth == 0:
        yield 1
        return
    for leaf in leaves(depth - 1):
        yield leaf
    for leaf in leaves(depth - 1):
        yield leaf


def run_generators():
    return sum(leaves(10))


def run_closures():
    def compose(f, g):
        return lambda x: f(g(x))

    def adder(n):
        return lambda x: x + n

    total = 0
    for i in range(1500):
        total += compose(adder(i), adder(-i))(i)
    return sum(map(lambda x: x % 7, filter(lambda x: x & 1, range(total % 5000))))


PROGRAMS = {"python fib": run_fib, "python queens": run_queens, "python methods": run_methods,
            "python generators": run_generators, "python closures": run_closures}
