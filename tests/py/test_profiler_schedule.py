"""Schedules of profilers, and what is done with each round."""
import json
import pathlib

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops
from msjit.profiler import Profiler, ProfilerAction, _ExperimentalConfig, profile, schedule, tensorboard_trace_handler

LETTERS = {ProfilerAction.NONE: "-", ProfilerAction.WARM_UP: "w", ProfilerAction.RECORD: "r", ProfilerAction.RECORD_AND_SAVE: "S"}


@pytest.mark.parametrize("numbers, expected", [
    (dict(wait=1, warmup=1, active=2, repeat=2, skip_first=1), "--wrS-wrS-----"), (dict(wait=0, active=1), "S" * 14),
    (dict(wait=1, active=1, repeat=0), "-S" * 7), (dict(wait=2, active=3, repeat=1), "--rrS---------"),
    (dict(wait=0, warmup=0, active=2, repeat=3), "rSrSrS--------")])
def test_actions(numbers, expected):  # as MindSpore 2.10 gives them
    plan = schedule(**numbers)
    assert "".join(LETTERS[plan(step)] for step in range(14)) == expected


def test_numbers_of_a_schedule():
    assert repr(schedule(wait=0, active=1)) == "Schedule(wait=0, active=1, warmup=0, repeat=0, skip_first=0)"
    with pytest.warns(UserWarning):
        assert schedule(wait=-1, active=0).to_dict() == {"wait": 0, "active": 1, "warmup": 0, "repeat": 0, "skip_first": 0}
    with pytest.raises(ValueError):
        schedule(wait=0, active=1)(-1)
    for call in (lambda: schedule(1, 1), lambda: schedule(wait=1), lambda: Profiler(schedule=3, start_profile=False),
                 lambda: tensorboard_trace_handler(3), lambda: profile(start_profile=False).add_metadata("a", 1)):
        with pytest.raises(TypeError):
            call()


def work(times):
    for _ in range(times):
        ops.relu(Tensor(np.ones(3, np.float32)))


def calls(profiler):
    return sum(event.kind == "op" and event.name == "relu" for event in profiler.events)


@pytest.mark.parametrize("make", [Profiler, profile])
def test_rounds(make):
    rounds = []
    plan = schedule(wait=1, warmup=1, active=2, repeat=2)
    with make(schedule=plan, on_trace_ready=lambda p: rounds.append((p, calls(p)))) as profiler:
        for step in range(10):
            work(step + 1)
            profiler.step()
    assert [count for _, count in rounds] == [3 + 4, 7 + 8] and all(p is profiler for p, _ in rounds)
    rounds.clear()
    with make(schedule=schedule(wait=0, active=3), on_trace_ready=lambda p: rounds.append(calls(p))) as profiler:
        work(5)
        profiler.step()
        work(6)
    assert rounds == [11]  # the round that was under way at the end
    with make(on_trace_ready=lambda p: rounds.append(calls(p))):
        work(2)
    assert rounds == [11, 2]


def test_a_step_needs_a_schedule():
    with profile() as profiler:
        with pytest.raises(RuntimeError):
            profiler.step()
    stopped = profile(schedule=schedule(wait=0, active=1), start_profile=False)
    with pytest.raises(RuntimeError):
        stopped.step()
    work(1)
    assert not stopped.events


def test_traces(tmp_path):
    handler = tensorboard_trace_handler(str(tmp_path), "worker")
    config = _ExperimentalConfig(profiler_level=ms.profiler.ProfilerLevel.Level1)
    with profile(schedule=schedule(wait=0, active=1, repeat=2), on_trace_ready=handler, experimental_config=config) as profiler:
        profiler.add_metadata("run", "first")
        profiler.add_metadata_json("sizes", "[1, 2]")
        for _ in range(3):
            work(1)
            profiler.step()
    files = sorted(pathlib.Path(str(tmp_path)).glob("worker_*/trace_view.json"))
    assert len(files) == 2
    for file in files:
        trace = json.loads(file.read_text())
        assert any(event["name"] == "relu" for event in trace["traceEvents"]) and trace["otherData"]["run"] == "first"
    with profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path / "none"), analyse_flag=False)):
        work(1)
    assert not (tmp_path / "none").exists()


def test_a_file_names_the_steps(tmp_path):
    """It is read again when it changes; as a callback, the monitor takes the numbers of Model.train."""
    def config(**entries):
        (tmp_path / "profiler_config.json").write_text(json.dumps(entries))

    def found():
        return sorted(path.name for path in out.glob("*"))

    out = tmp_path / "out"
    monitor = ms.profiler.DynamicProfilerMonitor(str(tmp_path), str(out))
    assert json.loads((tmp_path / "profiler_config.json").read_text())["start_step"] == -1
    config(start_step=2, stop_step=3, activities=["CPU"], prof_path="./")
    for number in range(1, 8):
        work(number)
        monitor.step()
        if number == 2:
            assert not out.exists()
        if number == 4:
            config(start_step=6, stop_step=6, analyse=True)
    assert found() == ["rank0_start2_stop3", "rank0_start6_stop6"]
    counts = []
    for name in found():
        (trace,) = (out / name).glob("*/trace_view.json")
        counts.append(sum(event["name"] == "relu" for event in json.loads(trace.read_text())["traceEvents"]))
    assert counts == [2 + 3, 6]
    config(start_step=9, stop_step=8)
    with pytest.warns(UserWarning, match="start_step, got 9, expected at most stop_step, 8"):
        monitor.step()
    config(start_step=1, stop_step=1, prof_path=str(out / "model"))
    net = ms.nn.Dense(2, 1)
    data = ms.dataset.NumpySlicesDataset((np.ones((3, 2), np.float32), np.ones((3, 1), np.float32)), ["x", "y"]).batch(1)
    ms.train.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1)).train(
        1, data, callbacks=[ms.profiler.DynamicProfilerMonitor(str(tmp_path), str(out))])
    assert len(list((out / "model").glob("rank0_start1_stop1/*/trace_view.json"))) == 1
    with pytest.raises(TypeError, match="cfg_path, got int"):
        ms.profiler.DynamicProfilerMonitor(3)


def test_analyse_finds_written_traces(tmp_path):
    profiler = Profiler(output_path=str(tmp_path / "run"))
    ops.relu(Tensor([1.0]))
    profiler.analyse()
    trace = tmp_path / "run" / "trace_view.json"
    events = json.loads(trace.read_text())
    assert trace.read_text().count("\n") == 1
    assert ms.profiler.analyse(str(tmp_path), pretty=True) is None
    assert trace.read_text().count("\n") > 1 and json.loads(trace.read_text()) == events
    with pytest.warns(UserWarning, match="expected a folder with a trace_view.json"):
        ms.profiler.analyse(str(tmp_path / "absent"))
    with pytest.raises(TypeError, match="profiler_path, got int"):
        ms.profiler.analyse(3)
