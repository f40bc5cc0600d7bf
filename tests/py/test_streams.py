"""Streams and events: one stream, whose work is done when a call returns."""
import pytest

from msjit import hal, runtime


def test_streams():
    stream = runtime.Stream(priority=1)
    assert stream == runtime.default_stream() == hal.communication_stream() and hash(stream) == hash(runtime.current_stream())
    assert stream != 3 and stream.query() and "CPU" in repr(stream)
    event = stream.record_event()
    assert stream.record_event(event) is event and event.query()
    stream.wait_event(event)
    stream.wait_stream(runtime.default_stream())
    with runtime.StreamCtx(stream), runtime.StreamCtx(None):
        assert runtime.current_stream() == stream
    runtime.set_cur_stream(stream)
    stream.synchronize()


def test_events():
    first, second = runtime.Event(enable_timing=True), runtime.Event(enable_timing=True)
    first.record()
    second.record(runtime.default_stream())
    second.wait()
    second.synchronize()
    assert 0 <= first.elapsed_time(second) < 1e4
    with pytest.raises(RuntimeError, match=r"\[elapsed_time\] event, got one that was not recorded"):
        first.elapsed_time(runtime.Event(enable_timing=True))


@pytest.mark.parametrize("call", [
    lambda: runtime.Stream(priority="high"), lambda: runtime.Event(enable_timing=1), lambda: runtime.StreamCtx(3),
    lambda: runtime.set_cur_stream(3), lambda: runtime.Event().record(3), lambda: runtime.Stream().wait_event(3)])
def test_wrong_arguments(call):
    with pytest.raises(TypeError, match="expected a"):
        call()
