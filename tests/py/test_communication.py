"""Programs of several processes, started by mpirun (processes/*.py), and the world of one process without it."""
import os
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops
from msjit import communication as comm
from msjit.communication import comm_func as cf
from msjit.mint import distributed as dist

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "processes")
MPIRUN = shutil.which("mpirun")
needs_mpirun = pytest.mark.skipif(MPIRUN is None, reason="mpirun of Open MPI is not installed (apt install openmpi-bin)")


def environment(**more):
    """Without what an mpirun around the tests may have set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "PMI_", "RANK_"))}
    return dict(kept, MSJIT_NUM_THREADS="1", **more)


def run(*words, **more):
    """(status, output, seconds) of a command line of python."""
    begin = time.time()
    done = subprocess.run([sys.executable] + list(words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240,
                          env=environment(**more), check=False)
    return done.returncode, done.stdout.decode(errors="replace"), time.time() - begin


def started(count, *words):
    """As `run`, for `python -m msjit.launch`. The program's own functions are not captured."""
    return run("-m", "msjit.launch", "-n", str(count), "--mode", "eager", *words)


@pytest.mark.costly
@needs_mpirun
@pytest.mark.parametrize("count", [2, 4])
def test_calls(count):
    status, output, _ = started(count, os.path.join(HERE, "calls.py"))
    assert status == 0 and all("done %d" % rank in output for rank in range(count)), output


@pytest.mark.costly
@needs_mpirun
@pytest.mark.parametrize("count, who, broken", [(2, "all", 0), (4, "first", 0), (3, "all", 2), (2, "first", 1)])
def test_captured_calls(count, who, broken):
    """Calls in captured graphs, with all processes compiled or one of them, also where regions end everywhere."""
    more = {"MSJIT_BREAK_EVERY": str(broken)} if broken else {}
    words = ("-m", "msjit.launch", "-n", str(count), "--mode", "eager", os.path.join(HERE, "captured.py"), who)
    status, output, _ = run(*words, MSJIT_STRICT="1", MSJIT_CACHE_DIR="", **more)
    assert status == 0 and all("done %d" % rank in output for rank in range(count)), output


@pytest.mark.costly
@needs_mpirun
def test_training():
    status, output, _ = started(4, os.path.join(HERE, "training.py"))
    assert status == 0 and all("done %d" % rank in output for rank in range(4)), output


@pytest.mark.costly
@needs_mpirun
@pytest.mark.parametrize("count", [2, 4])
def test_sharded_optimizers(count):
    status, output, _ = started(count, os.path.join(HERE, "sharded.py"))
    assert status == 0 and all("done %d" % rank in output for rank in range(count)), output


def saved(folder, task, count):
    return started(count, os.path.join(HERE, "saved.py"), str(folder), task)


def check_killed(ended, rank):
    """All have ended soon after one was killed, with an error that names it."""
    (status, output, _), now = ended, time.time()
    assert status != 0 and "process rank %d" % rank in output and "signal 9" in output, output
    seconds = now - float(output.split("killed at ")[1].split()[0])
    assert seconds < 30, (seconds, output)


@pytest.mark.costly
@needs_mpirun
def test_sharded_checkpoints(tmp_path):
    """What two processes save, whole or in parts, three and one read back."""
    for count, task in ((2, "write"), (3, "read"), (1, "read"), (2, "uneven")):
        status, output, _ = saved(tmp_path, task, count)
        assert status == 0 and all("done %d" % rank in output for rank in range(count)), (task, output)


@pytest.mark.costly
@needs_mpirun
def test_killed_and_resumed(tmp_path):
    """If a process is killed, all end, and what was saved is whole. Another number of processes goes on from there."""
    check_killed(saved(tmp_path, "killed", 4), 3)
    kept = [name for name in os.listdir(str(tmp_path / "kept")) if name.endswith(".ckpt")]
    status, output, _ = saved(tmp_path, "model", 2)
    assert status == 0 and "begins with epoch 4" in output, output
    alone = tmp_path / "alone"
    alone.mkdir()
    status, output, _ = saved(alone, "model", 1)
    assert status == 0 and "begins with epoch 1" in output, output
    want, got = ms.load_checkpoint(str(alone / "result.ckpt")), ms.load_checkpoint(str(tmp_path / "result.ckpt"))
    assert all(np.allclose(got[name].asnumpy(), want[name].asnumpy(), atol=1e-6) for name in want)
    names = list(ms.load_checkpoint(str(alone / "kept" / "net-6_6.ckpt")))
    assert len(kept) == 2 and all(sorted(ms.load_checkpoint(str(tmp_path / "kept" / name))) == sorted(names) for name in kept), kept
    check_killed(saved(tmp_path, "torn", 2), 1)
    assert int(ms.load_checkpoint(str(tmp_path / "torn.ckpt"))["step"]) == 2


@pytest.mark.costly
@needs_mpirun
@pytest.mark.parametrize("way", ["exception", "hook", "killed", "quit", "left", "children", "message", "group"])
def test_end(way):
    """If a process dies, the others end too. If one reaches its end normally, processes that wait for it get an error."""
    status, output, seconds = started(3, os.path.join(HERE, "failures.py"), way)
    assert seconds < 30, (seconds, output)
    if way in ("exception", "hook"):
        assert status != 0 and "rank 1 ends all processes: it has raised ValueError" in output, output
        assert ("this rank fails" if way == "exception" else "the program's own hook") in output, output
    elif way in ("killed", "quit"):
        assert status != 0, output
    else:
        said, times = ("released", 3) if way == "children" else ("told so", 1 if way == "message" else 2)
        assert (status, output.count(said)) == (0, times), output


@pytest.mark.costly
@needs_mpirun
def test_mpirun_itself(tmp_path):
    """The command that docs/parallel.md shows, with a captured function. Rank and size are known before init()."""
    script = tmp_path / "program.py"
    script.write_text("from msjit import Tensor, communication, ops\n"
                      "before = communication.get_rank(), communication.get_group_size()\n"
                      "communication.init()\n"
                      "def mean(x):\n"
                      "    return ops.AllReduce()(x * 2) / communication.get_group_size()\n"
                      "for _ in range(3):\n"
                      "    y = mean(Tensor([1.0 + before[0]]))\n"
                      "assert before == (communication.get_rank(), 2), before\n"
                      "print('mean %s\\n' % y, end='')\n")
    line = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, "-m", "msjit", str(script)]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, env=environment(), check=False)
    assert done.returncode == 0 and done.stdout.decode().count("mean [3.]") == 2, done.stdout.decode()
    program = "import msjit; msjit.communication.init(); msjit.ops.AllReduce()(msjit.Tensor([1.0]))"
    status, output, _ = run("-c", program, PMI_SIZE="2")
    assert status == 1 and "expected Open MPI's mpirun" in output, output
    status, output, _ = run("-c", program, MS_WORKER_NUM="4", MS_ROLE="MS_WORKER")
    assert status == 1 and "python -m msjit.launch -n 4" in output, output
    status, output, _ = run("-c", program.replace("msjit.communication.init(); ", ""), OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="0")
    assert status == 1 and "got 2 that have not joined, expected init() before" in output, output


@needs_mpirun
def test_other_libraries(tmp_path):
    """If another library than Open MPI is found, the error names it."""
    program = "import msjit; msjit.communication.init()"
    names = ("libmpi.so.40", "libmpi.so", "libmpi.so.12", "libmpich.so.12")
    for name in names:
        (tmp_path / name).write_text("no library")
    status, output, _ = run("-c", program, OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="0", LD_LIBRARY_PATH=str(tmp_path))
    assert status == 1 and "MPI library, got none, expected Open MPI's libmpi.so.40" in output, output
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C compiler to make another MPI with")
    source = tmp_path / "other.c"
    source.write_text("#include <string.h>\nint MPI_Get_library_version(char* text, int* length) {\n"
                      "  strcpy(text, \"MPICH Version: 4.0\\nand more\"); *length = 18; return 0; }\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", str(source), "-o", str(tmp_path / names[0])], check=True)
    status, output, _ = run("-c", program, OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="0", LD_LIBRARY_PATH=str(tmp_path))
    assert status == 1 and "got MPICH Version: 4.0 (libmpi.so.40), expected Open MPI" in output, output


@pytest.mark.costly
def test_command_line():
    for words, text in (((), "-n is missing"), (("-n", "0", "x.py"), "got '0'"), (("-n", "2"), "no program to run"), (("-n2",), "no program")):
        status, output, _ = run("-m", "msjit.launch", *words)
        assert status == 2 and text in output, output
    status, output, _ = run("-m", "msjit.launch", "-n", "2", "x.py", PATH="/nowhere")
    assert status == 1 and "apt install openmpi-bin" in output, output


def test_one_process():
    """Without mpirun every call gives what it does in a group of one, in compiled functions too."""
    comm.init()
    assert (comm.get_rank(), comm.get_group_size(), comm.get_local_rank(), comm.get_local_rank_size()) == (0, 1, 0, 1)
    assert comm.get_process_group_ranks() == [0] and dist.is_initialized() and dist.get_world_size() == 1
    x = Tensor([1.0, 2.0])
    calls = [ops.AllReduce(), ops.AllReduce("avg"), ops.AllGather(), ops.ReduceScatter(), ops.Reduce(0), lambda x: ops.Broadcast(0)((x,))[0],
             ops.CollectiveGather(0), ops.CollectiveScatter(), ops.AlltoAll(1, 0, 0), lambda x: cf.all_reduce(x)[0],
             lambda x: ops.AlltoAllV()(x, [2], [2]), lambda x: cf.all_to_all_single_with_output_shape((2,), x)[0]]
    for call in calls:
        assert call(x).asnumpy().tolist() == [1, 2]
        assert ms.grad(lambda x: (call(x) ** 2).sum())(x).asnumpy().tolist() == [2, 4]  # noqa: B023
    explained = ms.explain(lambda x: ops.AllReduce()(x) + 1, x)
    assert not explained.breaks
    comm.create_group("alone", [0])
    assert ops.AllReduce("sum", "alone")(x).asnumpy().tolist() == [1, 2]
    comm.destroy_group("alone")
    found = [None]
    dist.all_gather_object(found, {"a": 1})
    assert found == [{"a": 1}]
    y = Tensor([3.0])
    dist.all_reduce(y), dist.broadcast(y, 0), dist.barrier()
    assert float(y) == 3
    comm.release()
    assert not comm.GlobalComm.INITED and comm.get_rank() == 0


@pytest.mark.parametrize("kind, text, call", [
    (TypeError, "[get_rank] group, got int, expected a str", lambda: comm.get_rank(3)),
    (RuntimeError, "expected init() before", lambda: comm.create_group("g", [0])),
    (RuntimeError, "expected init() before", lambda: comm.get_process_group_ranks()),
    (TypeError, "got int, expected a str", lambda: comm.init(3)),
    (RuntimeError, "got 'nccl', expected 'mccl'", lambda: comm.init("nccl")),
    (TypeError, "[AllReduce] op, got int, expected a str of ReduceOp", lambda: ops.AllReduce(3)),
    (ValueError, "[AllReduce] op, got 'mean'", lambda: ops.AllReduce("mean")),
    (TypeError, "[AllGather] group, got int", lambda: ops.AllGather(3)),
    (TypeError, "[all_reduce] argument, got list, expected a Tensor", lambda: cf.all_reduce([1.0])),
    (ValueError, "without axes", lambda: ops.AllGather()(Tensor(1.0))),
    (ValueError, "the process itself", lambda: cf.send(Tensor([1.0]), 0)),
    (ValueError, "got 1, expected one of the group's: [0]", lambda: cf.send(Tensor([1.0]), 1)),
    (ValueError, "split_count, got 2, expected 1", lambda: ops.AlltoAll(2, 0, 0)),
    (TypeError, "[all_reduce] op, got float, expected a str of ReduceOp", lambda: cf.all_reduce(Tensor([1.0]), 1.0)),
    (TypeError, "[P2POp] peer, got str, expected an int", lambda: cf.P2POp("isend", Tensor([1.0]), "0")),
    (ValueError, "[P2POp] op, got 'send'", lambda: cf.P2POp("send", Tensor([1.0]), 1)),
    (NotImplementedError, "NeighborExchange is not offered", lambda: ops.NeighborExchange()),
])
def test_refused(kind, text, call):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


def test_context():
    ms.reset_auto_parallel_context()
    get = ms.get_auto_parallel_context
    assert (get("parallel_mode"), get("gradients_mean"), get("device_num"), get("global_rank")) == ("stand_alone", False, 1, 0)
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, device_num=2)
    assert (get("parallel_mode"), get("gradients_mean"), get("device_num")) == ("data_parallel", True, 2)
    net = nn.Dense(2, 1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 1.0))
    assert step.reducer_flag and step.grad_reducer.degree == 2
    ms.reset_auto_parallel_context()
    plain = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 1.0))
    assert not plain.reducer_flag and get("parallel_mode") == "stand_alone"
    weight, x, y = net.weight.asnumpy().copy(), Tensor(np.ones((1, 2), np.float32)), Tensor([[3.0]])
    plain(x, y)
    change = net.weight.asnumpy() - weight
    net.weight.set_data(Tensor(weight)), net.bias.set_data(Tensor(net.bias.asnumpy() * 0))
    assert np.abs(change).max() > 0
    ms.set_auto_parallel_context(enable_parallel_optimizer=True)
    with pytest.raises(RuntimeError, match="parallel_mode, got 'stand_alone', expected 'data_parallel'"):  # as MindSpore does
        nn.Adam(net.trainable_params())
    ms.set_auto_parallel_context(parallel_mode="data_parallel")
    assert len(nn.Adam(net.trainable_params()).moment1) == 2  # in one process nothing is divided
    ms.reset_auto_parallel_context()
    for kind, keywords in ((ValueError, {"nope": 1}), (ValueError, {"parallel_mode": "x"}), (ValueError, {"device_num": 0}),
                           (TypeError, {"gradients_mean": 1}), (NotImplementedError, {"parallel_mode": "auto_parallel"})):
        with pytest.raises(kind):
            ms.set_auto_parallel_context(**keywords)
    with pytest.raises(ValueError):
        get("nope")
    assert nn.DistributedGradReducer(net.trainable_params(), True, 4)((Tensor([8.0]),))[0].asnumpy().tolist() == [2]
