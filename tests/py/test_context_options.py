"""set_context: what is checked of keywords that change nothing. Which errors come is what MindSpore 2.10 does."""
import os

import pytest

import msjit as ms


@pytest.fixture(autouse=True)
def restored():
    from msjit import context
    kept = dict(context._state)
    yield
    context._state.update(kept)


@pytest.mark.parametrize("name, value, shown", [
    ("save_graphs", True, 2), ("save_graphs", 3, 3), ("device_id", 0, 0), ("max_call_depth", 50, 50), ("memory_optimize_level", "O1", 1),
    ("max_device_memory", "2GB", 1024.0), ("mempool_block_size", "2GB", 1.0), ("enable_graph_kernel", True, True),
    ("deterministic", "OFF", "OFF"), ("debug_level", 1, 1), ("op_timeout", 0, 0), ("ascend_config", {}, {}), ("exec_order", "dfs", "dfs"),
    ("save_graphs_path", "graphs", os.path.abspath("graphs")), ("inter_op_parallel_num", 3, 3), ("disable_format_transform", True, False),
    ("precompile_only", True, True)])
def test_accepted(name, value, shown):
    ms.set_context(**{name: value})
    assert ms.get_context(name) == shown


@pytest.mark.parametrize("name, value, error", [
    ("save_graphs", 4, ValueError), ("save_graphs", "x", TypeError), ("device_id", -1, ValueError), ("device_id", 4096, ValueError),
    ("device_id", "0", TypeError), ("max_call_depth", 0, ValueError), ("max_call_depth", 1.5, TypeError), ("deterministic", "x", ValueError),
    ("deterministic", True, TypeError), ("enable_graph_kernel", 1, TypeError), ("save_graphs_path", "", ValueError),
    ("max_device_memory", 2, TypeError), ("memory_optimize_level", 1, ValueError), ("mode", "x", TypeError), ("mode", 5, ValueError),
    ("device_target", 1, TypeError), ("device_target", "TPU", ValueError), ("jit_syntax_level", "x", TypeError), ("ascend_config", "x", TypeError),
    ("runtime_num_threads", -1, ValueError), ("aoe_tune_mode", "x", ValueError), ("nothing", 1, ValueError)])
def test_refused(name, value, error):
    with pytest.raises(error, match=r"\[set_context\]"):
        ms.set_context(**{name: value})


@pytest.mark.parametrize("device", [{"device_target": "Mars"}, {"device_id": "0"}])
def test_a_refused_device_changes_nothing_else(device):
    ms.set_context(mode=ms.PYNATIVE_MODE, max_call_depth=500)
    with pytest.raises((TypeError, ValueError), match=r"\[set_context\] device"):
        ms.set_context(mode=ms.GRAPH_MODE, max_call_depth=50, **device)
    assert ms.get_context("mode") == ms.PYNATIVE_MODE and ms.get_context("max_call_depth") == 500


def test_names_of_parallel_modes():
    modes = ["stand_alone", "data_parallel", "hybrid_parallel", "semi_auto_parallel", "auto_parallel"]
    assert ms.ParallelMode.MODE_LIST == modes and ms.get_auto_parallel_context("parallel_mode") in ms.ParallelMode.MODE_LIST


def test_which_parallel_settings_are_given():
    """Training cells of older programs ask whether device_num has been set before they take it."""
    from msjit.parallel.settings import auto_parallel_context
    settings, names = auto_parallel_context(), ("device_num", "global_rank", "full_batch", "parameter_broadcast")
    try:
        assert [getattr(settings, "get_%s_is_set" % name)() for name in names] == [False] * 4
        ms.set_auto_parallel_context(device_num=1, parameter_broadcast=False)
        assert [getattr(settings, "get_%s_is_set" % name)() for name in names] == [True, False, False, True]
    finally:
        ms.reset_auto_parallel_context()
    assert not settings.get_device_num_is_set()
    with pytest.raises(AttributeError, match="get_parallel_mode_is_set"):
        settings.get_parallel_mode_is_set()


@pytest.mark.parametrize("name, default, other", [
    ("communi_parallel_mode", "all_group_parallel", "same_server_group_parallel"), ("optimizer_weight_shard_size", -1, 2),
    ("optimizer_weight_shard_aggregated_save", False, True), ("sharding_propagation", False, True), ("init_param_in_compile", True, False),
    ("auto_parallel_new_interface", False, True)])
def test_parallel_settings_that_change_nothing(name, default, other):
    try:
        assert ms.get_auto_parallel_context(name) == default
        ms.set_auto_parallel_context(**{name: other})
        assert ms.get_auto_parallel_context(name) == other
    finally:
        ms.reset_auto_parallel_context()


def test_accumulation_is_read_but_not_set():
    assert ms.get_auto_parallel_context("grad_accumulation_step") == 1
    with pytest.raises(ValueError, match=r"\[set_auto_parallel_context\] grad_accumulation_step, got 2"):
        ms.set_auto_parallel_context(grad_accumulation_step=2)
