"""The processes that mpirun has started, groups of them, and how they end together.

MPI is not loaded before `join()`. Under mpirun the environment tells the rank and the number of processes before that.
Without mpirun the world is this one process, and MPI is not used.
"""
import atexit
import os
import sys

from .._native import _msjit

processes = _msjit.processes
WORLD_NAMES = ("hccl_world_group", "nccl_world_group", "mccl_world_group")
INSTALL = "on Debian and Ubuntu: apt install openmpi-bin"


class Group:
    """Processes that communicate: `ranks` are their numbers in the world, in ascending order; `rank` is this one's place among them.

    A group of one has no number and needs no MPI. A call consists of several messages, which threads must not mix: `with group:` is a lock.
    """

    def __init__(self, name, ranks, rank, number=None):
        self.name, self.ranks, self.rank, self.number = name, tuple(ranks), rank, number
        self.size = len(ranks)

    def __deepcopy__(self, memo):
        return self  # copies of objects that communicate do so in the same group

    def calling(self, where):
        """The lock, for a call with this name that is no operator. A region of captured code ends here, before anything is done."""
        processes.collective(where)
        return self

    def __enter__(self):
        processes.lock(self.number)
        return self

    def __exit__(self, *raised):
        processes.unlock(self.number)


class _State:
    """`groups`: the groups by name; that of all processes has three names. Empty before join()."""

    joined, joined_by, groups, hosts = False, None, {}, ()


state = _State
_ALONE = Group("world", (0,), 0)


def _variable(*names):
    for name in names:
        text = os.environ.get(name, "")
        if text.isdigit():
            return int(text)
    return None


# The rank and the number of processes at the start: from mpirun, or from RANK_ID and RANK_SIZE as in MindSpore; else 0 and 1.
STARTED_RANK = _variable("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "RANK_ID") or 0
STARTED_SIZE = _variable("OMPI_COMM_WORLD_SIZE", "RANK_SIZE") or 1


def started_local(what):
    """The rank ("RANK") or number ("SIZE") among the processes of this host that the program was started with."""
    return _variable("OMPI_COMM_WORLD_LOCAL_%s" % what) or (1 if what == "SIZE" else 0)


def _is_started_by_mpi():
    """Whether Open MPI's mpirun has started this process. RuntimeError if another launcher has."""
    if _variable("OMPI_COMM_WORLD_SIZE", "PMIX_RANK") is not None:
        return True
    if (_variable("PMI_SIZE") or 1) > 1:
        raise RuntimeError("[init] launcher, got that of another MPI (PMI_SIZE is set), expected Open MPI's mpirun (%s)" % INSTALL)
    if (_variable("MS_WORKER_NUM") or 1) > 1 or (_variable("RANK_SIZE") or 1) > 1:
        raise RuntimeError("[init] launcher, got MindSpore's (MS_WORKER_NUM or RANK_SIZE is set), expected mpirun, or "
                           "python -m msjit.launch -n %d ..." % (_variable("MS_WORKER_NUM", "RANK_SIZE") or 2))
    return False


def join():
    """Joins the other processes of mpirun; without it the world is this process. A second call changes nothing."""
    if state.joined:
        return
    group = Group(WORLD_NAMES[0], (0,), 0)
    if _is_started_by_mpi():
        processes.collective("init")
        rank, size, _ = processes.join_processes()
        group = Group(WORLD_NAMES[0], range(size), rank, 0)
        state.joined_by = os.getpid()
        _end_together(size)
        state.hosts = _hosts(group)
    state.groups = dict.fromkeys(WORLD_NAMES, group)
    state.joined = True


def _hosts(group):
    """The names of the hosts of all ranks."""
    if group.size == 1:
        return ("",)
    from socket import gethostname

    return tuple(processes.exchange(group.number, gethostname()))


def leave():
    """Waits for all other processes to do the same, and ends MPI. It cannot be joined again."""
    if state.joined_by == os.getpid():
        _say_goodbye()
        processes.leave_processes()
        state.joined_by = None
    state.joined, state.groups = False, {}


def group_of(name, where):
    """The Group with a name. TypeError for anything but a str, RuntimeError if init() has not been called, ValueError for an unknown name."""
    if not isinstance(name, str):
        raise TypeError("[%s] group, got %s, expected a str" % (where, type(name).__name__))
    found = state.groups.get(name)
    if found is not None:
        return found
    if name in WORLD_NAMES and not state.joined and STARTED_SIZE == 1:
        return _ALONE
    if not state.joined:
        raise RuntimeError("[%s] processes, got %d that have not joined, expected init() before" % (where, STARTED_SIZE))
    raise ValueError("[%s] group, got %r, expected one that create_group made and this process is a member of: %s"
                     % (where, name, ", ".join(sorted(state.groups))))


def add_group(name, ranks):
    """Makes a group. Only its members call this; they make their groups in the same order."""
    processes.collective("create_group")
    world, ranks = state.groups[WORLD_NAMES[0]], sorted(ranks)
    for rank in ranks:
        if not 0 <= rank < world.size:
            raise ValueError("[create_group] rank_ids, got %d, expected ranks from 0 to %d" % (rank, world.size - 1))
    if world.rank not in ranks:
        raise ValueError("[create_group] rank_ids, got %s, expected this process among them, which is rank %d: members "
                         "alone make a group" % (ranks, world.rank))
    number = None
    if len(ranks) > 1:
        from zlib import crc32
        number = processes.make_process_group(ranks, crc32(name.encode()) & 0x7FFF)
    state.groups[name] = Group(name, ranks, ranks.index(world.rank), number)


def drop_group(name):
    """Forgets a group."""
    processes.collective("destroy_group")
    group = state.groups.pop(name)
    if group.number is not None:
        processes.free_process_group(group.number)


# -- the end: all processes end together ----------------------------------------------------------------------------


def _end_together(size):
    """If this process dies by an exception, ends the others, which would wait for it for ever."""
    atexit.register(_at_exit)
    if size == 1:
        return
    hook = sys.excepthook

    def report_and_abort(kind, value, trace):
        hook(kind, value, trace)
        if state.joined_by == os.getpid():
            _abort("it has raised %s" % kind.__name__)
    sys.excepthook = report_and_abort


def _abort(why):
    """Ends all processes, with status 1."""
    print("msjit: rank %d ends all processes: %s" % (state.groups[WORLD_NAMES[0]].rank, why), file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue  # closed: nobody reads it
    processes.abort_processes(1)


def _at_exit():
    """The last value is there where the program has put another hook in place of ours."""
    if state.joined_by != os.getpid():
        return
    if getattr(sys, "last_value", None) is not None and not hasattr(sys, "ps1"):
        _abort("it has raised %s" % type(sys.last_value).__name__)
    leave()


def _say_goodbye():
    """Returns when all processes are here. If another process still makes a collective call, that call raises."""
    from .agreement import say_goodbye
    processes.say_farewell()
    say_goodbye(state.groups[WORLD_NAMES[0]])
