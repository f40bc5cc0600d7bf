"""usage: run.py [--language | --all] [--launcher] [--python PYTHON...] [--jobs N] [--limit S] [MODULE...]

Runs modules of CPython's own test suite (the interpreter's Lib/test) plainly and under `python -m msjit` (--launcher: under the
msjit-python beside that interpreter) with every function that tensors can come to a candidate for capture, and compares them test by
test. A difference counts if a second pair of runs shows it too; so tests that are not reproducible by themselves do not count.
The modules are those named, or with --all all, or with --language those about the language, or else the quickest of these. The
interpreter is this one. The exit status is 1 if any test differs or a run under msjit crashes."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SHORT = ("test_grammar test_scope test_exceptions test_raise test_with test_generators test_sys_settrace test_call "
         "test_descr test_class test_super test_contextlib test_listcomps test_genexps").split()
LANGUAGE = SHORT + (
    "test_coroutines test_sys_setprofile test_extcall test_closures test_decorators test_dict test_list test_tuple test_set "
    "test_slice test_unpack test_unpack_ex test_dataclasses test_enum test_functools test_collections "
    "test_named_expressions test_patma test_positional_only_arg test_keywordonlyarg test_traceback test_inspect "
    "test_frame test_code test_weakref test_gc test_copy test_property test_opcodes test_peepholer test_dis "
    "test_threading_local test_fstring").split()
# These replace or measure what every evaluator shares, on any program that runs other code beside them.
LEFT_OUT = {
    "test_capi": "installs and removes frame evaluators of its own",
    "test_gdb": "needs a debugger attached to the process",
    "test_embed": "runs other interpreters, which msjit does not enter",
}
PLAIN = ["{python}", "-X", "faulthandler"]
JITTED = PLAIN + ["-m", "msjit", "--include", "*"]  # --launcher replaces it
LAUNCHER = ["{bin}/msjit-python", "-X", "faulthandler", "-X", "msjit=include:*"]
# Minutes each, most of them spent waiting: they are begun first.
LONG = ("test_asyncio test_multiprocessing_fork test_multiprocessing_forkserver test_multiprocessing_spawn test_socket "
        "test_regrtest").split()


def modules_of(python):
    """Names of the test modules and packages of an interpreter."""
    code = "import test, os; print(os.path.dirname(test.__file__))"
    folder = pathlib.Path(subprocess.check_output([python, "-c", code], universal_newlines=True).strip())
    names = {path.stem for path in folder.glob("test_*.py")}
    names |= {path.parent.name for path in folder.glob("test_*/__init__.py")}
    return names - set(LEFT_OUT)


def let_interrupt():
    """What runs in the background of a shell ignores Ctrl-C, and so would the tests of it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def kill_group(child):
    """Ends a process together with those that it has left behind."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.stdout.close()
    child.wait()


def run_module(python, module, with_msjit, limit):
    """({test id: outcome}, whether it came to an end in time, what it printed); a crash is an outcome of the module."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "outcomes")
        command = [word.format(python=python, bin=os.path.dirname(python)) for word in (JITTED if with_msjit else PLAIN)]
        command += [str(HERE / "cases.py"), module, str(path)]
        env = dict(os.environ, PYTHONHASHSEED="0", MSJIT_NUM_THREADS="1", MSJIT_STRICT="1")
        env.pop("PYTHONSTARTUP", None)
        child = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=let_interrupt)
        try:
            text = child.communicate(timeout=limit)[0].decode("utf-8", "replace")
            status = child.returncode
        except subprocess.TimeoutExpired:
            status, text = None, ""
        kill_group(child)
        outcomes = dict(map(json.loads, path.read_text().splitlines())) if path.exists() else {}
        if status:
            outcomes[module] = "exit status %d" % status
        return outcomes, status is not None, text


def differences(plain, jitted):
    """What differs between two runs. If one of them ran out of time, only tests that both completed are compared."""
    (plain, plain_ended, _), (jitted, jitted_ended, _) = plain, jitted
    tests = set(plain) | set(jitted) if plain_ended and jitted_ended else set(plain) & set(jitted)
    found = {test: (plain.get(test, "not run"), jitted.get(test, "not run")) for test in tests}
    found = {test: pair for test, pair in found.items() if pair[0] != pair[1]}
    if plain_ended and not jitted_ended:
        found["(all of it)"] = ("came to an end", "did not, after %d tests" % len(jitted))
    return found


def passes(outcome):
    return outcome in ("ok", "skip", "xfail")


def compare(python, module, limit):
    """(number of tests, differences that both pairs of runs show, output of a crash).

    Some tests lose a race now and then (those of SSL do). So a difference does not count if one of three more runs of CPython alone gives
    msjit's outcome, or if CPython alone fails and one of three more runs under msjit fails in the same way.
    """
    pairs = []
    for _ in range(2):
        plain, jitted = run_module(python, module, False, limit), run_module(python, module, True, 2 * limit)
        pairs.append((plain, jitted, differences(plain, jitted)))
        if not pairs[-1][-1]:
            return len(plain[0]), {}, ""
    (first, _, found), (again, jitted, found_again) = pairs
    steady = {test for test in found if again[0].get(test) == first[0].get(test)}
    found = {test: pair for test, pair in found_again.items() if test in steady}
    for _ in range(3):
        if found:
            shown = run_module(python, module, False, limit)[0]
            found = {test: pair for test, pair in found.items() if shown.get(test) != pair[1]}
        if not all(passes(plain) for plain, _ in found.values()):
            shown = run_module(python, module, True, 2 * limit)[0]
            found = {test: pair for test, pair in found.items() if passes(pair[0]) or shown.get(test) != pair[0]}
    return len(first[0]), found, jitted[2] if module in found else ""


def check(python, modules, limit, jobs):
    tests, differing = 0, 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        work = {pool.submit(compare, python, module, limit): module for module in modules}
        for position, done in enumerate(concurrent.futures.as_completed(work), 1):
            count, found, text = done.result()
            print("[%d/%d] %s" % (position, len(work), work[done]), file=sys.stderr, flush=True)
            tests += count
            for test, (plain, jitted) in found.items():
                print("  %s\n      plain: %s\n      msjit: %s" % (test, plain, jitted))
            differing += len(found)
            if text:
                print("\n".join("      | " + line for line in text.splitlines()[-30:]))
    print("%s: %d modules, %d tests, %d differ" % (python, len(modules), tests, differing), flush=True)
    return differing


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--language", action="store_true")
    parser.add_argument("--launcher", action="store_true")
    parser.add_argument("--python", nargs="*", default=[sys.executable])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=int, default=300, help="seconds for the plain run of a module")
    parser.add_argument("modules", nargs="*")
    options = parser.parse_args()
    if options.launcher:
        JITTED[:] = LAUNCHER
    differing = 0
    for python in options.python:
        there = modules_of(python)
        every = sorted(there, key=lambda module: (module not in LONG, module))
        wanted = options.modules or (every if options.all else LANGUAGE if options.language else SHORT)
        differing += check(python, [m for m in wanted if m in there], options.limit, options.jobs)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
