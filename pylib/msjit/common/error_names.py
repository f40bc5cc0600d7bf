"""Errors under the name of the function or layer that the program called.

A function made of several kernels gets their errors: `ops.std` those of the sum. It runs them in a `try` block, which costs nothing while there is
no error, and a captured call has no trace of it:

    try:
        return _k.sum(x, axis)
    except ERRORS as error:
        rename(error, "std")
        raise
"""

ERRORS = (TypeError, ValueError, IndexError)


def rename(error, where, text=None):
    """Puts `where` in the place of the kernel's name that the text of an error begins with, `[name] ...`.

    With `text`, that becomes the rest of it. An error without such a name in front, such as one of the program's own, stays as it is.
    """
    old = error.args[0] if len(error.args) == 1 else None
    if not isinstance(old, str) or old[:1] != "[":
        return
    name, found, rest = old[1:].partition("] ")
    if found and name.isidentifier() and name.islower():
        error.args = ("[%s] %s" % (where, rest if text is None else text),)


def wrong_channels(x, wanted, what):
    """What an error says of an input with another number of channels (axis 1) than a layer was made for; None for others."""
    if getattr(x, "ndim", 0) < 2 or x.shape[1] == wanted:
        return None
    return "channels of the input, got %d in shape %s, expected %s, %d" % (x.shape[1], x.shape, what, wanted)
