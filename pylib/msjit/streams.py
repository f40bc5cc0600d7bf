"""Streams and events of mindspore.hal and mindspore.runtime. There is only one stream, and its work is done when a call returns. So queries
of a stream, or of an event that was recorded, are always answered at once."""
import time


class Stream:
    """A handle of the one stream; all of them are equal.

    priority  an int; accepted, but it has no effect, as there is only one stream. Other keywords of MindSpore change nothing.
    Raises TypeError for another priority.

    >>> from msjit import runtime
    >>> stream = runtime.Stream()
    >>> with runtime.StreamCtx(stream):
    ...     pass
    >>> stream.query()
    True
    """

    id, device_id, device_name = 0, 0, "CPU"

    def __init__(self, priority=0, **kwargs):
        if isinstance(priority, bool) or not isinstance(priority, int):
            raise TypeError("[stream] priority, got %s, expected an int" % type(priority).__name__)

    def record_event(self, event=None):
        """An event, or the one given, that is recorded now."""
        event = Event() if event is None else _checked(event, Event, "record_event", "event")
        event.record(self)
        return event

    def wait_event(self, event):
        """Nothing is left to wait for."""
        _checked(event, Event, "wait_event", "event")

    def wait_stream(self, stream):
        """Nothing is left to wait for."""
        _checked(stream, Stream, "wait_stream", "stream")

    def synchronize(self):
        """Nothing is left to wait for."""

    def query(self):
        """True: all work is done."""
        return True

    def __eq__(self, other):
        return isinstance(other, Stream)

    def __hash__(self):
        return hash((Stream, self.id))

    def __repr__(self):
        return "Stream(device_name=CPU, device_id:0, stream id:0)"


class Event:
    """A moment; elapsed_time tells how far two are apart.

    enable_timing, blocking  bools. Raises TypeError for others.
    """

    def __init__(self, enable_timing=False, blocking=False):
        for name, value in (("enable_timing", enable_timing), ("blocking", blocking)):
            if not isinstance(value, bool):
                raise TypeError("[event] %s, got %s, expected a bool" % (name, type(value).__name__))
        self._timed, self._at = enable_timing, None

    def record(self, stream=None):
        """The moment is now."""
        if stream is not None:
            _checked(stream, Stream, "record", "stream")
        self._at = time.perf_counter()

    def wait(self, stream=None):
        """Nothing is left to wait for."""
        if stream is not None:
            _checked(stream, Stream, "wait", "stream")

    def synchronize(self):
        """Nothing is left to wait for."""

    def query(self):
        """True: all work before the event is done."""
        return True

    def elapsed_time(self, end_event):
        """Milliseconds from this event to another; RuntimeError if one was not recorded, or was made without enable_timing."""
        for event in (self, _checked(end_event, Event, "elapsed_time", "end_event")):
            if event._at is None or not event._timed:
                raise RuntimeError("[elapsed_time] event, got one %s, expected two recorded ones"
                                   % ("that was not recorded" if event._at is None else "without enable_timing"))
        return 1e3 * (end_event._at - self._at)

    def __repr__(self):
        return "Event(enable_timing=%d, recorded=%d)" % (self._timed, self._at is not None)


class StreamCtx:
    """A context in which `ctx_stream` is the current stream; None leaves it as it is. TypeError for anything else."""

    def __init__(self, ctx_stream):
        self.stream = ctx_stream if ctx_stream is None else _checked(ctx_stream, Stream, "stream_ctx", "ctx_stream")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def _checked(value, kind, op, name):
    if not isinstance(value, kind):
        raise TypeError("[%s] %s, got %s, expected a %s" % (op, name, type(value).__name__, kind.__name__))
    return value


_CURRENT = Stream()


def current_stream():
    """The one stream."""
    return _CURRENT


default_stream, communication_stream = current_stream, current_stream


def set_cur_stream(stream):
    """Checks its argument; the only stream stays the current one. TypeError for anything but a Stream."""
    if stream is not None:
        _checked(stream, Stream, "set_cur_stream", "stream")
