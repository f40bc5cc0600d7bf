"""The parts of the oracle, without MindSpore: the values of a text, what counts as a difference, which line covers it."""
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import msjit

ORACLE = pathlib.Path(__file__).resolve().parents[1] / "oracle"
sys.path.insert(0, str(ORACLE))

import compare  # noqa: E402
import deviations  # noqa: E402
import samples  # noqa: E402
import values  # noqa: E402


def record(array):
    array = np.asarray(array)
    return "tensor", array.dtype.name, array.shape, array.dtype.str, array.tobytes()


def gives(array):
    return {"eager": ("gives", record(array))}


ONES = np.ones(3, np.float32)


@pytest.mark.parametrize("got, want, kind", [
    (gives(ONES), gives(ONES * np.float32(1 + 1e-6)), None),
    (gives(ONES), gives(ONES * np.float32(1 + 1e-3)), "value"),
    (gives(ONES.astype(np.float64)), gives(ONES.astype(np.float64) + 1e-7), "precision"),
    (gives(ONES), gives(ONES.astype(np.float64)), "dtype"),
    (gives(ONES), gives(ONES[:2]), "shape"),
    (gives([np.nan, np.inf]), gives([np.nan, np.inf]), None),
    (gives([np.nan, np.inf]), gives([np.nan, -np.inf]), "value"),
    (gives([1, 2]), gives([1, 3]), "value"),
    (gives(ONES), {"eager": ("raises", "TypeError", "no")}, "accepts"),
    ({"eager": ("raises", "TypeError", "no")}, gives(ONES), "rejects"),
    ({"eager": ("raises", "TypeError", "no")}, {"eager": ("raises", "ValueError", "no")}, "class"),
    (dict(gives(ONES), PIJit=gives(ONES * 2)["eager"]), gives(ONES), "PIJit value"),
    (dict(gives(ONES), gradient=gives(ONES * 2)["eager"]), dict(gives(ONES), gradient=gives(ONES)["eager"]), "gradient value"),
    ({"eager": ("gives", ("tuple", [record(ONES)]))}, {"eager": ("gives", ("tuple", [record(ONES), record(ONES)]))}, "length")])
def test_what_is_a_difference(got, want, kind):
    found = compare.compare(got, want)
    assert (found and found[0]) == kind


def test_lines_of_the_table(monkeypatch):
    monkeypatch.setattr(deviations, "ROWS", [("Title", "why", [("value", "ops.f(a) | f32[*"), ("class says", "*MindSpore RuntimeError*"), ("dtype", "never")])])
    table = deviations.Table()
    assert table.find("ops.f(a) | f32[2]", "value", "") == "Title" and table.find("ops.f(a) | f64[2]", "value", "") is None
    assert table.find("ops.g(a)", "class", "ValueError (x), MindSpore RuntimeError (y)") == "Title"
    assert table.find("ops.f(a) | f32[2]", "dtype", "") is None and table.stale() == ["dtype: never"]


def test_values_of_a_text():
    for spec in ("f32[2,3]", "i8[4]!", "b[]", "f16[0,3]", "u8[5]+", "bf16[2]", "i64[9]<4"):
        first, again = values.make(spec, msjit), values.make(spec, msjit)
        assert first.dtype == again.dtype and first.shape == again.shape
        np.testing.assert_array_equal(first.astype(msjit.float64).asnumpy(), again.astype(msjit.float64).asnumpy())
    assert set(values.make("i64[50]<4", msjit).tolist()) == {0, 1, 2, 3}
    assert isinstance(values.make("f32[2]p", msjit), msjit.Parameter) and values.make("(1, 2.5)", msjit) == (1, 2.5)
    assert not values.is_tensor("[1, 2]") and values.is_float("f16[2]") and not values.is_float("i32[2]")


def test_a_worker_records_each_sample(tmp_path):
    import sides
    chosen = [samples.Sample("ops.sin(a)", ("f32[2]",), True), samples.Sample("ops.sin(a)", ("2.5",), True)]
    found = sides.run_side(sys.executable, "msjit", chosen, tmp_path)
    first, second = [found[s.name] for s in chosen]
    assert first["eager"][0] == first["PIJit"][0] == first["gradient"][0] == "gives"
    assert second["eager"][:2] == ("raises", "TypeError")


@pytest.mark.costly
def test_a_sample_that_ends_its_process(tmp_path):
    import sides
    chosen = [samples.Sample(call, (), False) for call in ("1", "__import__('os')._exit(3)", "2")]
    found = sides.run_side(sys.executable, "msjit", chosen, tmp_path)
    assert [found[s.name]["eager"][1] for s in chosen] == [("int", 1), "ends the process", ("int", 2)]


@pytest.mark.costly
def test_every_case_compiles():
    done = subprocess.run([sys.executable, "-c", "import samples; print(len([compile(s.call, s.name, 'eval') for s in samples.load()"
                           " if s.call]))"], cwd=str(ORACLE), stdout=subprocess.PIPE)
    assert int(done.stdout) > 15000
