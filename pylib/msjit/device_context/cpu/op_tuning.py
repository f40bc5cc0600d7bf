"""How operators run on the CPU."""


def threads_num(num):
    """The number is checked and forgotten: MSJIT_NUM_THREADS says it when the process starts."""
    if isinstance(num, bool) or not isinstance(num, int):
        raise TypeError("[threads_num] num, got %s, expected an int" % type(num).__name__)
    if num < 1:
        raise ValueError("[threads_num] num, got %d, expected 1 or more" % num)


__all__ = ["threads_num"]
