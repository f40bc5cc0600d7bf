"""Run by mpirun with the name of a way to end: no process may wait for one that is gone."""
import os
import signal
import sys

from msjit import Tensor, ops
from msjit import communication as comm
from msjit.communication import comm_func as cf

comm.init()
RANK, way = comm.get_rank(), sys.argv[1]
ops.AllReduce()(Tensor([1.0]))
if way == "hook":
    sys.excepthook = lambda *error: print("the program's own hook")
if RANK == 1:
    if way in ("exception", "hook"):
        raise ValueError("this rank fails")
    if way == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if way == "quit":
        os._exit(0)
    if way == "left":
        sys.exit()
if way == "left":
    try:
        ops.AllReduce()(Tensor([2.0]))
    except RuntimeError as error:
        assert "[AllReduce] call, got" in str(error) and "the end of the program on rank 1" in str(error), error
        print("told so")
        sys.exit()
if way == "message":  # rank 0 waits for one that is gone
    if RANK == 0:
        try:
            cf.recv(Tensor([2.0]), 2)
        except RuntimeError as error:
            assert "[recv] rank 2, got the end of its program" in str(error), error
            print("told so")
    sys.exit()
if way == "group":  # so do ranks 0 and 2 in a group with rank 1
    comm.create_group("all", [0, 1, 2])
    ops.AllReduce("sum", "all")(Tensor([2.0]))
    if RANK != 1:
        try:
            ops.AllReduce("sum", "all")(Tensor([2.0]))
        except RuntimeError as error:
            assert "got the end of its program" in str(error) and "1" in str(error), error
            print("told so")
    sys.exit()
if way == "children":
    child = os.fork()
    if child == 0:
        try:
            ops.AllReduce()(Tensor([2.0]))
        except RuntimeError as error:
            os._exit(7 if "got a child (fork)" in str(error) else 1)
        os._exit(2)
    assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 7
    comm.release()
    try:
        comm.init()
    except RuntimeError as error:
        assert "has ended" in str(error), error
        print("released")
        sys.exit()
ops.AllReduce()(Tensor([3.0]))
