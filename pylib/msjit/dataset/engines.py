"""The random engines and distributions of the C++ standard library, which give MindSpore's random order for a seed.

mt19937, mt19937_64 and uniform draws are those of the C++ standard and libstdc++ (Matsumoto and Nishimura 1998). The bounded draw is
Lemire's ("Fast random integer generation in an interval", 2019).
"""
import math
import os

_WORD = (1 << 64) - 1


def fresh_seed():
    """Returns a 32-bit seed from the operating system."""
    return int.from_bytes(os.urandom(4), "little")


class Engine32:
    """Generates the words of C++'s std::mt19937; NumPy's legacy generator gives the same words for the same seed."""

    def __init__(self, seed):
        import numpy
        self._state, self._type = numpy.random.RandomState(seed % 2**32), numpy.uint32
        self._words, self._next = [], 0

    def __call__(self):
        if self._next == len(self._words):
            self._words, self._next = self._state.randint(0, 2**32, size=624, dtype=self._type).tolist(), 0
        self._next += 1
        return self._words[self._next - 1]

    def below(self, bound):
        """Draws an int in [0, bound), as uniform_int_distribution."""
        product = self() * bound
        if product & 0xffffffff < bound:
            threshold = (2**32 - bound) % bound
            while product & 0xffffffff < threshold:
                product = self() * bound
        return product >> 32

    def canonical(self):
        """Draws a float in [0, 1) from two words, as generate_canonical<double, 53>."""
        low = self()
        return min((low + self() * 2.0**32) / 2.0**64, 1 - 2.0**-53)

    def exponential(self):
        """Draws from exponential_distribution with rate 1."""
        return -math.log(1 - self.canonical())

    def shuffle(self, items):
        """Shuffles as C++'s std::shuffle does: draws two positions from one word while their product fits."""
        size = len(items)
        if size < 2:
            return
        if size * size > 2**32:
            for i in range(1, size):
                j = self.below(i + 1)
                items[i], items[j] = items[j], items[i]
            return
        start = 1
        if size % 2 == 0:
            j = self.below(2)
            items[1], items[j] = items[j], items[1]
            start = 2
        for i in range(start, size, 2):
            first, second = divmod(self.below((i + 1) * (i + 2)), i + 2)
            items[i], items[first] = items[first], items[i]
            items[i + 1], items[second] = items[second], items[i + 1]


class Engine64:
    """Generates the words of C++'s std::mt19937_64."""

    def __init__(self, seed):
        state = [seed & _WORD]
        for i in range(1, 312):
            state.append((6364136223846793005 * (state[-1] ^ (state[-1] >> 62)) + i) & _WORD)
        self._state, self._next = state, 312

    def _refill(self):
        state = self._state
        for k in range(312):
            word = (state[k] & 0xFFFFFFFF80000000) | (state[(k + 1) % 312] & 0x7FFFFFFF)
            state[k] = state[(k + 156) % 312] ^ (word >> 1) ^ (0xB5026F5AA96619E9 if word & 1 else 0)
        self._next = 0

    def __call__(self):
        if self._next == 312:
            self._refill()
        word = self._state[self._next]
        self._next += 1
        word ^= (word >> 29) & 0x5555555555555555
        word ^= (word << 17) & 0x71D67FFFEDA60000
        word ^= (word << 37) & 0xFFF7EEE000000000
        return (word ^ (word >> 43)) & _WORD
