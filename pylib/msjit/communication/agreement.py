"""Before a collective call, the members of a group exchange what they are about to call. Different shapes, dtypes or calls are an error on all.

They exchange one number, a digest of a text that describes the call. That costs a small all-reduce (1 us if processes do not share a core).
Only if the numbers differ do they exchange the texts.
"""
from .._native import Tensor, _msjit
from .world import processes

_TEXT_SIZE = 512
_KEPT = 4096
_digests = {}
_SPREAD, _MASK = 0x9E3779B97F4A7C15, (1 << 63) - 1
_GOODBYE = "the end of the program"


def _digest(text):
    """A number of 64 bits that is the same in every process; that of hash() is not."""
    from hashlib import blake2b
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little", signed=True)


def tensor_text(x):
    """float32 (2, 3)"""
    return "%s %s" % (str(x.dtype).lower(), tuple(x.shape))


def check(group, where, *details, call=0):
    """Raises if the members differ in the call (RuntimeError), the dtype (TypeError) or other details (ValueError).
    details: Tensors, whose shapes and dtypes are compared, or texts. call: the number of the recorded call that a gradient belongs to.
    """
    key = (where,) + tuple([(d.dtype, d.shape) if isinstance(d, Tensor) else d for d in details])
    known = _digests.get(key)
    if known is None:
        dtypes = " ".join(str(d.dtype).lower() for d in details if isinstance(d, Tensor))
        text = ", ".join(tensor_text(d) if isinstance(d, Tensor) else str(d) for d in details)
        if len(_digests) >= _KEPT:
            _digests.clear()
        known = _digests[key] = _digest(repr((where, dtypes, text))), "\n".join((where, dtypes, text))
    group.calls += 1
    if not processes.agree(group.number, known[0] ^ (call * _SPREAD & _MASK)):
        _raise_difference(group, where, exchange(group, known[1] + (" of call %d" % call if call else "")))


def say_goodbye(group):
    """Waits until all members are at the end of the program. A collective call that another member still makes raises there."""
    if group.size == 1:
        return
    with group.lock:
        while not processes.agree(group.number, _digest(_GOODBYE)):
            exchange(group, "\n".join((_GOODBYE, "", "")))


def exchange(group, text):
    """The texts of all members, shortened to what fits."""
    own = text.encode()[:_TEXT_SIZE].ljust(_TEXT_SIZE, b"\0")
    sent = Tensor(list(own), _msjit.dtypes["uint8"])
    received = Tensor([0] * (_TEXT_SIZE * group.size), _msjit.dtypes["uint8"])
    processes.all_gather(group.number, sent, received, [_TEXT_SIZE] * group.size)
    whole = bytes(received.tolist())
    parts = [whole[i:i + _TEXT_SIZE].rstrip(b"\0").decode(errors="replace") for i in range(0, len(whole), _TEXT_SIZE)]
    return [(part.split("\n") + ["", ""])[:3] for part in parts]


def _raise_difference(group, where, said):
    calls, dtypes = {call for call, _, _ in said}, {dtype for _, dtype, _ in said}
    by_text = {}
    for rank, (call, _, details) in zip(group.ranks, said):
        if len(calls) == 1:
            text = details
        else:
            text = "%s of %s" % (call, details) if details else call
        by_text.setdefault(text, []).append(rank)
    found = "; ".join("%s on %s %s" % (text, "rank" if len(ranks) == 1 else "ranks", ", ".join(map(str, ranks)))
                      for text, ranks in by_text.items())
    if len(calls) > 1:
        raise RuntimeError("[%s] call, got %s, expected the same on all ranks" % (where, found))
    kind, what = (TypeError, "dtype") if len(dtypes) > 1 else (ValueError, "input")
    raise kind("[%s] %s, got %s, expected the same on all ranks" % (where, what, found))
