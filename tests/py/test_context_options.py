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
