"""MindSpore's functions about processes and groups: which processes take part, and their numbers."""
import os

from . import world as _world

HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP = _world.WORLD_NAMES


class GlobalComm:
    """State of the whole program: the back end, the name of the group of all processes, whether init() was called."""

    BACKEND, WORLD_COMM_GROUP, INITED, CHECK_ENVS = "hccl", HCCL_WORLD_COMM_GROUP, False, True


def init(backend_name=None):
    """Joins the processes that mpirun has started together with this one. Without mpirun the world is this one process.

    backend_name: "mccl" or None. Raises TypeError for anything but a str, RuntimeError for another back end, and if the processes cannot
    join: with another MPI than Open MPI, without any, or under MindSpore's own launcher.
    """
    if backend_name is not None and not isinstance(backend_name, str):
        raise TypeError("[init] backend_name, got %s, expected a str" % type(backend_name).__name__)
    if backend_name not in (None, "mccl"):
        raise RuntimeError("[init] backend_name, got %r, expected 'mccl', that of CPUs" % (backend_name,))
    _world.join()
    GlobalComm.BACKEND, GlobalComm.WORLD_COMM_GROUP, GlobalComm.INITED = "mccl", MCCL_WORLD_COMM_GROUP, True
    os.environ.setdefault("RANK_ID", str(get_rank()))
    os.environ.setdefault("RANK_SIZE", str(get_group_size()))


def release():
    """Waits for all processes and leaves them; they cannot join again. The end of the program does the same."""
    _world.leave()
    GlobalComm.INITED = False


def _named(group, where):
    if not isinstance(group, str):
        raise TypeError("[%s] group, got %s, expected a str" % (where, type(group).__name__))


def _inited(where):
    if not _world.state.joined:
        raise RuntimeError("[%s] processes, got none that have joined, expected init() before" % where)


def get_rank(group=HCCL_WORLD_COMM_GROUP):
    """The number of this process in a group. Before init(): the number with which it was started, as in MindSpore."""
    _named(group, "get_rank")
    return _world.group_of(group, "get_rank").rank if _world.state.joined else _world.STARTED_RANK


def get_group_size(group=HCCL_WORLD_COMM_GROUP):
    """The number of processes in a group. Before init(): the number that was started, as in MindSpore."""
    _named(group, "get_group_size")
    return _world.group_of(group, "get_group_size").size if _world.state.joined else _world.STARTED_SIZE


def _local_ranks(group, where):
    """The ranks of the members of a group that are on this host."""
    found, hosts = _world.group_of(group, where), _world.state.hosts
    if not hosts:
        return [0]
    return [rank for rank in found.ranks if hosts[rank] == hosts[found.ranks[found.rank]]]


def get_local_rank(group=HCCL_WORLD_COMM_GROUP):
    """The number of this process among those of a group on its host. Before init(): the number with which it was started."""
    _named(group, "get_local_rank")
    if not _world.state.joined:
        return _world.started_local("RANK")
    return _local_ranks(group, "get_local_rank").index(get_rank())


def get_local_rank_size(group=HCCL_WORLD_COMM_GROUP):
    """The number of processes of a group on this host. Before init(): the number that was started."""
    _named(group, "get_local_rank_size")
    if not _world.state.joined:
        return _world.started_local("SIZE")
    return len(_local_ranks(group, "get_local_rank_size"))


def create_group(group, rank_ids, options=None):
    """Makes a group of the ranks rank_ids. Only its members call this. Ranks in a group are in ascending order.

    Raises RuntimeError before init(), TypeError for a name that is no str or ranks that are no list of ints, ValueError for ranks
    that do not exist, are repeated, or do not include this process, and for a name that another group has.
    """
    _inited("create_group")
    _named(group, "create_group")
    if not isinstance(rank_ids, list):
        raise TypeError("[create_group] rank_ids, got %s, expected a list" % type(rank_ids).__name__)
    for rank in rank_ids:
        if isinstance(rank, bool) or not isinstance(rank, int):
            raise TypeError("[create_group] rank_ids, got %s in it, expected ints" % type(rank).__name__)
    if not rank_ids:
        raise ValueError("[create_group] rank_ids, got none, expected one or more")
    if len(set(rank_ids)) != len(rank_ids):
        raise ValueError("[create_group] rank_ids, got %s, expected each rank once" % (rank_ids,))
    known = _world.state.groups.get(group)
    if known is None:
        _world.add_group(group, rank_ids)
    elif known.ranks != tuple(sorted(rank_ids)):
        raise ValueError("[create_group] rank_ids, got %s for the group %r, which has the ranks %s"
                         % (rank_ids, group, list(known.ranks)))


def destroy_group(group):
    """Removes a group. Only its members call this. ValueError for the group of all processes, and for an unknown name."""
    _inited("destroy_group")
    _named(group, "destroy_group")
    if group in _world.WORLD_NAMES:
        raise ValueError("[destroy_group] group, got that of all processes, expected one that create_group made")
    _world.group_of(group, "destroy_group")
    _world.drop_group(group)


def get_world_rank_from_group_rank(group, group_rank_id):
    """The number in the world of the process that has the number group_rank_id in a group."""
    _inited("get_world_rank_from_group_rank")
    found = _world.group_of(group, "get_world_rank_from_group_rank")
    _check_int(group_rank_id, "get_world_rank_from_group_rank", "group_rank_id")
    if not 0 <= group_rank_id < found.size:
        raise ValueError("[get_world_rank_from_group_rank] group_rank_id, got %d, expected one from 0 to %d"
                         % (group_rank_id, found.size - 1))
    return found.ranks[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id, group):
    """The number in a group of the process that has the number world_rank_id in the world."""
    _inited("get_group_rank_from_world_rank")
    found = _world.group_of(group, "get_group_rank_from_world_rank")
    return place_in_group(world_rank_id, found, "get_group_rank_from_world_rank")


def place_in_group(world_rank, group, where):
    """The number in a Group of a rank of the world. TypeError for no int, ValueError for one that is no member."""
    _check_int(world_rank, where, "rank")
    if world_rank not in group.ranks:
        raise ValueError("[%s] rank, got %d, expected one of the group's: %s" % (where, world_rank, list(group.ranks)))
    return group.ranks.index(world_rank)


def group_or_world(group, where):
    """The Group of a name, that of all processes for None."""
    return _world.group_of(GlobalComm.WORLD_COMM_GROUP if group is None else group, where)


def _check_int(value, where, what):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[%s] %s, got %s, expected an int" % (where, what, type(value).__name__))


def get_process_group_ranks(group=HCCL_WORLD_COMM_GROUP):
    """The ranks of the world that are members of a group, as a list."""
    _inited("get_process_group_ranks")
    return list(_world.group_of(group, "get_process_group_ranks").ranks)


def get_comm_name(group=HCCL_WORLD_COMM_GROUP):
    """The name of a group's communicator: here the group's own."""
    _inited("get_comm_name")
    return _world.group_of(group, "get_comm_name").name


# -- what packages take from MindSpore's _comm_helper ------------------------------------------------------------------------

def _is_initialized():
    """Whether init() was called."""
    return GlobalComm.INITED


def _is_available():
    """True: processes can communicate."""
    return True


_is_mpi_available = _is_available


def _is_hccl_available():
    """False: that is the library of other devices."""
    return False


_is_nccl_available = _is_hccl_available


def _get_group_map():
    """{name: ranks} of the groups that create_group made."""
    return {name: list(group.ranks) for name, group in _world.state.groups.items() if name not in _world.WORLD_NAMES}


def _get_group_ranks(group):
    """The ranks of a group, as get_process_group_ranks."""
    return get_process_group_ranks(group)


def _remove_group_info(group_name):
    """Accepted for compatibility: destroy_group removes everything about a group."""


__all__ = ["init", "release", "get_rank", "get_local_rank", "get_group_size", "get_local_rank_size",
           "get_world_rank_from_group_rank", "get_comm_name", "get_group_rank_from_world_rank", "create_group", "destroy_group",
           "get_process_group_ranks", "HCCL_WORLD_COMM_GROUP", "NCCL_WORLD_COMM_GROUP", "MCCL_WORLD_COMM_GROUP"]
