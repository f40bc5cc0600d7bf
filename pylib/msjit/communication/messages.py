"""Messages from one process to another, and the handles of messages that are not complete yet."""
from .world import processes

_TAGS = 32767  # what MPI guarantees


class CommHandle:
    """A message that may not be complete: wait() returns when its Tensors may be used. Without a number it is complete already."""

    def __init__(self, number=None):
        self._number = number

    def wait(self):
        """Waits; a second call does nothing. ValueError or TypeError if the received tensor differs from the expected one."""
        number, self._number = self._number, None
        if number is not None:
            processes.collective("wait")
            processes.wait_message(number)

    def __repr__(self):
        return "CommHandle(%s)" % ("done" if self._number is None else "on its way")


def _check(rank, group, tag, where):
    if isinstance(tag, bool) or not isinstance(tag, int):
        raise TypeError("[%s] tag, got %s, expected an int" % (where, type(tag).__name__))
    if not 0 <= tag <= _TAGS:
        raise ValueError("[%s] tag, got %d, expected one from 0 to %d" % (where, tag, _TAGS))
    if not 0 <= rank < group.size:
        raise ValueError("[%s] rank, got %d, expected one from 0 to %d" % (where, rank, group.size - 1))
    if rank == group.rank:
        raise ValueError("[%s] rank, got %d, the process itself, expected another" % (where, group.ranks[rank]))


def begin_send(x, rank, group, tag):
    """Starts to send a Tensor to the member `rank`. It must not change before the handle's wait()."""
    _check(rank, group, tag, "send")
    processes.collective("send")
    return CommHandle(processes.begin_send(group.number, x.detach(), rank, tag))


def begin_receive(out, rank, group, tag):
    """Starts to receive from the member `rank` into a Tensor. That is complete after the handle's wait()."""
    _check(rank, group, tag, "recv")
    processes.collective("recv")
    return CommHandle(processes.begin_receive(group.number, out, rank, tag))


def send(x, rank, group, tag):
    """Sends a Tensor to the member `rank`."""
    begin_send(x, rank, group, tag).wait()


def receive(out, rank, group, tag):
    """Receives from the member `rank` into a Tensor."""
    begin_receive(out, rank, group, tag).wait()
