"""usage: fit_polynomials.py

Prints the coefficients of kernels/core/scalar_trig.h and scalar_power.h with the greatest errors of the polynomials, and the
windows of 2 / pi; says so where a header holds other numbers. Needs mpmath, as gen_accuracy.py does.
"""

import pathlib
import re
import sys

from mpmath import atan, atanh, cos, log, lu_solve, matrix, mp, mpf, nint, nstr, pi, polyval, sin, sqrt

CORE = pathlib.Path(__file__).resolve().parents[2] / "kernels/core"
mp.dps = 50


def of_square(function, power):
    """The function of z = x^2 that stands beside x^power in an odd or even function's tail."""
    return lambda z: function(sqrt(z)) / sqrt(z) ** power


def interpolant(function, low, high, count):
    """The polynomial through the function's values at the Chebyshev nodes of a range, lowest power first."""
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    powers = matrix(count, count)
    for i, x in enumerate(nodes):
        for k in range(count):
            powers[i, k] = x**k
    found = lu_solve(powers, matrix([function(x) for x in nodes]))
    return [found[k] for k in range(count)]


def greatest_error(function, coefficients, low, high):
    points = [low + (high - low) * mpf(k) / 1001 for k in range(1, 1001)]
    return max(abs(function(x) - polyval(coefficients[::-1], x)) for x in points)


def exp2_tail(x):
    return (mpf(2) ** x - 1) / x if abs(x) > mpf(10) ** -30 else log(2)


def fits():
    """(name, function, range, coefficients wanted, what they are multiplied by)"""
    # A little beyond 5 pi / 16, tan(pi / 8) and (sqrt(2) - 1) / (sqrt(2) + 1).
    turn, eighth, root = (mpf(limit) ** 2 for limit in ("0.985", "0.41421357", "0.17157288"))
    yield "sine", of_square(lambda x: sin(x) - x, 3), 0, turn, 4, 1
    yield "cosine", of_square(lambda x: cos(x) - 1 + x**2 / 2, 4), 0, turn, 4, 1
    yield "arctangent, float32", of_square(lambda x: atan(x) - x, 3), 0, eighth, 5, 1
    yield "arctangent, float64", of_square(lambda x: atan(x) - x, 3), 0, eighth, 12, 1
    yield "2^x", exp2_tail, mpf(-1) / 2, mpf(1) / 2, 6, 1
    yield "log2, float32", of_square(lambda x: atanh(x) - x, 3), 0, root, 4, 2 / log(2)
    yield "log, float64", of_square(lambda x: atanh(x) - x - x**3 / 3, 5), 0, root, 8, 2


def windows():
    """2 / pi times a power of two less a multiple of 4, in two doubles, again divided by that power."""
    for power in (0, 27, 53, 79):
        with mp.workdps(100):
            scaled = mpf(2) ** power * 2 / pi
            scaled -= 4 * nint(scaled / 4)
            high = float(scaled)
            yield power, high * 2.0**-power, float(scaled - high) * 2.0**-power


def main():
    text = "".join((CORE / name).read_text() for name in ("scalar_trig.h", "scalar_power.h"))
    held = {float(number) for number in re.findall(r"\d+\.\d+(?:e-?\d+)?", text)}
    held |= {float.fromhex(number) for number in re.findall(r"0x1\.[0-9a-f]+p-?\d+", text)}
    missing = 0

    def show(number, as_text):
        nonlocal missing
        known = any(abs(abs(number) - other) <= 1e-15 * other for other in held)
        missing += not known
        print("  %s%s" % (as_text, "" if known else "   not in the headers"))

    for name, function, low, high, count, factor in fits():
        found = interpolant(function, mpf(low), mpf(high), count)
        print("%s: error 2^%.1f" % (name, log(greatest_error(function, found, mpf(low), mpf(high)), 2)))
        for number in found:
            show(number * factor, nstr(number * factor, 21))
    for power, high, low in windows():
        print("2 / pi from 2^%d" % power)
        show(high, high.hex())
        show(low, low.hex())
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
