"""usage: run_tests.py [--only JOB...] [--all] [--until TIME] [--break-every N...] [--pytest ARGS]

Runs every test that `make test` set up: the C++ tests; pytest on each interpreter, the JIT tests again with a side exit forced at
every n-th instruction (--break-every names other distances than a version's own), and some of CPython's own tests, also under
msjit-python; some of pytest on an extension with ASan and UBSan (build/asan), then these and the C++ tests with such a core too
(build/coreasan). Shows how far they are, then prints a table, the compile time of each extension and, as the last line,
`N passed, N failed`.
JOB: cpp, asan, coreasan, py3.X, break3.X, cpython3.X, launcher3.X; a prefix will do.

Tests marked `costly` are shared: where four or more interpreters are tested, each runs on two of them, and with forced exits on
one. --all runs all of them everywhere; so does a run of fewer interpreters.
--until: at this time (seconds since 1970) the jobs that are not done are given up, and the last line names them. The run fails if a
REQUIRED one is among them, or if one had shown a failure.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time

from progress import Progress

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
JIT_VERSIONS = {"3." + path.stem[3:] for path in (ROOT / "bytecode/versions").glob("py3*.cc")}
LIMIT_S = 2400  # a command
REQUIRED = ("py", "cpp")  # jobs without which nothing is known
progress = Progress(0, sys.stdout)  # of the jobs that main runs
running = set()  # processes


class OutOfTime(Exception):
    """The time of --until has come; the argument is the number of failures that the command had shown by then."""


class Deadline:
    at = float("inf")

    @classmethod
    def left(cls):
        return max(0.0, cls.at - time.time())


class Result:
    def __init__(self, name):
        self.name, self.passed, self.failed, self.skipped, self.seconds = name, 0, 0, 0, 0.0
        self.finished = True

    def add(self, other):
        self.finished = self.finished and other.finished
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.seconds += other.seconds

    def add_parts(self, *parts):
        """Adds the results of functions that each run a part of the job, until there is no time left. What has failed stays failed."""
        for part in parts:
            try:
                self.add(part())
            except OutOfTime as end:
                self.finished = False
                self.failed += end.args[0]
                return


def environment(**extra):
    env = dict(os.environ, MSJIT_STRICT="1", OMP_WAIT_POLICY="PASSIVE", PYTHONDONTWRITEBYTECODE="1", MSJIT_CACHE_DIR="")
    for name in ("PYTHONPATH", "PYTHONHOME", "MAKEFLAGS"):
        env.pop(name, None)
    env.update(extra)
    return env


def end(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def failures_shown(text):
    """Failures in the output of a command that was ended: pytest's letters, GoogleTest's lines."""
    letters = "".join(re.findall(r"(?m)^[.sxXFE]+(?=$| +\[)", text))
    return letters.count("F") + letters.count("E") + len(re.findall(r"(?m)^\[  FAILED  \]", text))


def run(command, log, env):
    """Exit status (None: timed out) and output, which stands in build/test-logs/LOG.log. LOG: a job, or JOB-PART."""
    if not Deadline.left():
        raise OutOfTime(0)
    path = BUILD / "test-logs" / (log + ".log")
    path.parent.mkdir(exist_ok=True)
    with open(str(path), "wb") as file:
        progress.step(log.split("-")[0], path)
        # Of a session of its own, so that what it has started ends with it.
        process = subprocess.Popen(command, cwd=str(ROOT), env=env, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
        running.add(process)
        try:
            code = process.wait(min(LIMIT_S, Deadline.left()))
        except subprocess.TimeoutExpired:
            code = None
            end(process)
        running.discard(process)
    text = path.read_text("utf-8", "replace")
    if code is None and not Deadline.left():
        raise OutOfTime(failures_shown(text))
    return code, text


def count(text, pattern):
    return sum(int(n) for n in re.findall(pattern, text))


def finish(result, code, text, started):
    """Completes a result; a crash, a hang or an unread failure counts as one failed test."""
    result.seconds = time.time() - started
    if code != 0 and not result.failed:
        result.failed = 1
    if result.failed:
        why = "timed out" if code is None else "exit status %s" % code
        progress.say("---- %s: %s\n%s" % (result.name, why, "\n".join(text.splitlines()[-60:])))
    return result


def gtest(name, binary, env):
    started = time.time()
    if not binary.exists():
        return finish(Result(name), 1, "%s was not built" % binary, started)
    code, text = run([str(binary), "--gtest_brief=1"], name, env)
    result = Result(name)
    result.passed = count(text, r"(?m)^\[  PASSED  \] (\d+) test")
    result.failed = count(text, r"(?m)^\[  FAILED  \] (\d+) test")
    result.skipped = count(text, r"(?m)^\[  SKIPPED \] (\d+) test")
    return finish(result, code, text, started)


def cpp():
    return gtest("cpp", BUILD / "msjit_tests", environment())


# The Python tests that also run under the sanitizers: those of wrong arguments, dying objects and shared memory.
SANITIZED = ["tests/py/test_%s.py" % name for name in (
    "bad_input", "guards", "image_kernels", "jit_api", "jit_bad_input", "jit_finalizers", "jit_growing_lists", "jit_hooks",
    "jit_known_arrays", "views_under_gradients", "jit_view_positions", "jit_loop_writes", "jit_signatures")]
# Not under the sanitizers: tests that measure time, memory or stack, because the sanitizers need more of each.
UNSANITIZED = ["tests/py/" + name for name in (
    "test_guards.py::test_memory_is_flat_over_recompiles_and_calls", "test_guards.py::test_the_check_of_a_model_is_cheap",
    "test_jit_bad_input.py::test_recursion_in_a_thread_with_a_small_stack")]


def sanitized_version(versions):
    """The version whose extension is built with the sanitizers."""
    return "3.11" if "3.11" in versions else versions[-1]


def build_sanitized(job, version, options, targets):
    """Builds `targets` of build/JOB; (exit status, output) of the first command that fails, else of the last."""
    python = subprocess.check_output([str(BUILD / "venv" / version / "bin/python"), "-c", "import sys; print(sys.base_prefix)"])
    folder = "build/" + job
    configure = ["cmake", "-S", ".", "-B", folder, "-G", "Ninja", "-DMSJIT_SANITIZE=address,undefined",
                 "-DMSJIT_PYTHONS=%s/bin/python%s" % (python.decode().strip(), version), *options]
    build = ["cmake", "--build", folder, "-j", os.environ.get("JOBS") or str(os.cpu_count()), "--target"]
    for command in (configure, *(build + [target] for target in targets)):
        code, text = run(command, job + "-build", environment())
        if code != 0 and "unknown target" not in text:
            return code, text
    return 0, text


UNDEFINED = {"UBSAN_OPTIONS": "print_stacktrace=1"}


def pytest_sanitized(job, version, args):
    """The Python tests on the extension in build/JOB. The interpreter is not built with the sanitizers, so their library is preloaded,
    and leaks are not reported. Stack frames of code built with them are large: the deepest recursion allowed needs more than the usual
    stack."""
    library = subprocess.check_output([os.environ.get("CXX", "c++"), "-print-file-name=libasan.so"]).decode().strip()
    chosen = [*args, *("--deselect=" + name for name in UNSANITIZED)]
    return pytest(job + "-py", version, SANITIZED, chosen, prefix=["bash", "-c", 'ulimit -s hard; exec "$@"', "stack"],
                  LD_PRELOAD=library, ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1", PYTHONMALLOC="malloc",
                  PYTHONPATH=str(BUILD / job / "pkg"), **UNDEFINED)


def asan(version, args):
    """Some of the tests in Python, on an extension with AddressSanitizer and UndefinedBehaviorSanitizer and on the ordinary core."""
    started = time.time()
    core = ["-DMSJIT_BUILT_CORE=%s" % (BUILD / "pkg/msjit")]
    code, text = build_sanitized("asan", version, core, ["msjit_py" + version.replace(".", "")])
    if code != 0:
        return finish(Result("asan"), code, text, started)
    result = Result("asan")
    result.add_parts(lambda: pytest_sanitized("asan", version, args))
    result.seconds = time.time() - started
    return result


def core_asan(version, args):
    """The C++ tests, and the same tests in Python, where the core too has the sanitizers."""
    started = time.time()
    code, text = build_sanitized("coreasan", version, [], ["msjit_tests", "msjit_py" + version.replace(".", ""), "msjit_llvm"])
    if code != 0:
        return finish(Result("coreasan"), code, text, started)
    env = environment(ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1",
                      LSAN_OPTIONS="suppressions=%s:print_suppressions=0" % (ROOT / "tests/tools/lsan.supp"), **UNDEFINED)
    result = Result("coreasan")
    result.add_parts(lambda: gtest("coreasan", BUILD / "coreasan/msjit_tests", env),
                     lambda: pytest_sanitized("coreasan", version, args))
    result.seconds = time.time() - started
    return result


def pytest(name, version, targets, args, prefix=(), **extra):
    started = time.time()
    python = str(BUILD / "venv" / version / "bin/python")
    command = [*prefix, python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", *args, *targets]
    code, text = run(command, name, environment(**extra))
    last = text.strip().splitlines()[-1] if text.strip() else ""
    result = Result(name)
    result.passed = count(last, r"(\d+) (?:passed|xfailed)")
    result.failed = count(last, r"(\d+) (?:failed|error|xpassed)")
    result.skipped = count(last, r"(\d+) skipped")
    return finish(result, 0 if code == 5 else code, text, started)  # 5: nothing to collect


def break_distances(version, versions):
    """Instructions between forced side exits: 1 on each version. The oldest, a middle and the newest version each try one longer distance too."""
    longer = {versions[-1]: 7, versions[len(versions) // 2]: 3, versions[0]: 2}
    return (1, longer[version]) if version in longer else (1,)


def part_of(version, versions, everything, times):
    """The option that gives a version its part of the costly tests, so that each runs on so many `times`."""
    parts = 1 if everything else max(1, len(versions) // times)
    return "--part=%d/%d" % (versions.index(version) % parts, parts)


def break_every(version, args, distances):
    """The JIT tests with forced side exits; results must not change."""
    tests = ROOT / "tests/py"
    targets = sorted(str(p.relative_to(ROOT)) for p in tests.rglob("test_*.py")
                     if p.name.startswith(("test_jit", "test_guards")))
    targets.append("tests/py/test_opcode_corpus.py::test_behaves_the_same")
    total = Result("break" + version)
    total.add_parts(*(lambda n=n: pytest("break%s-%d" % (version, n), version, targets, args, MSJIT_BREAK_EVERY=str(n))
                      for n in distances if targets))
    return total


def cpython(name, version, *args):
    """A few of CPython's own tests, plainly and under msjit; a difference counts as a failure."""
    started = time.time()
    python = str(BUILD / "venv" / version / "bin/python")
    code, text = run([python, "tests/cpython/run.py", *args], name, environment())
    result = Result(name)
    result.failed = count(text, r"(?m), (\d+) differ$")
    result.passed = count(text, r"(?m), (\d+) tests, \d+ differ$") - result.failed
    if not result.passed:
        code = code or 1  # it has run nothing
    return finish(result, code, text, started)


def compile_times():
    """Seconds of compiling and linking an extension, summed over its steps, from the last build of each."""
    seconds = {}
    log = BUILD / ".ninja_log"
    for line in log.read_text().splitlines()[1:] if log.exists() else []:
        start, end, _, output, _ = line.split("\t")
        match = re.search(r"msjit_py3(\d+)\.dir|_msjit\.cpython-3(\d+)", output)
        if match:
            steps = seconds.setdefault(int(match.group(1) or match.group(2)), {})
            steps[output] = (int(end) - int(start)) / 1000
    return {"3.%d" % minor: sum(steps.values()) for minor, steps in sorted(seconds.items())}


def plan(versions, options):
    """What must run comes first, and last the job that compiles everything again."""
    args = shlex.split(options.pytest)
    jobs = []
    for v in versions:
        part = part_of(v, versions, options.all, 2)
        jobs.append(("py" + v, lambda v=v, part=part: pytest("py" + v, v, ["tests/py"], [part, *args])))
    jobs.append(("cpp", cpp))
    with_jit = [v for v in versions if v in JIT_VERSIONS]
    for v in with_jit:
        part, distances = part_of(v, with_jit, options.all, 1), options.break_every or break_distances(v, with_jit)
        jobs.append(("break" + v, lambda v=v, part=part, distances=distances: break_every(v, [part, *args], distances)))
    jobs.append(("asan", lambda: asan(sanitized_version(versions), args)))
    for v in with_jit:
        jobs.append(("cpython" + v, lambda v=v: cpython("cpython" + v, v)))
        if (BUILD / "venv" / v / "bin/msjit-python").exists():
            jobs.append(("launcher" + v, lambda v=v: cpython("launcher" + v, v, "--launcher")))
    jobs.append(("coreasan", lambda: core_asan(sanitized_version(versions), args)))
    return [job for job in jobs if not options.only or any(job[0].startswith(o) for o in options.only)]


def perform(job):
    started = time.time()
    result = Result(job[0])
    result.add_parts(job[1])
    if not result.finished:
        result.seconds = time.time() - started
        result.failed += job[0].startswith(REQUIRED)
    progress.end(job[0], "%d passed, %d failed, %d skipped, %.0f s%s" % (
        result.passed, result.failed, result.skipped, result.seconds, "" if result.finished else "; given up: no time left"))
    return result


def report(results, seconds):
    print("\n%-12s %8s %8s %8s %9s" % ("job", "passed", "failed", "skipped", "seconds"))
    for r in results:
        print("%-12s %8d %8d %8d %9.1f" % (r.name, r.passed, r.failed, r.skipped, r.seconds))
    times = compile_times()
    if times:
        print("extension compile time (s, all steps, ccache included): "
              + ", ".join("%s %.1f" % item for item in times.items()))
    print("tests took %.0f s" % seconds)
    failed = sum(r.failed for r in results)
    given_up = [r.name for r in results if not r.finished]
    print("%d passed, %d failed" % (sum(r.passed for r in results), failed)
          + (", not run for lack of time: " + " ".join(given_up) if given_up else ""))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--until", type=float, default=float("inf"))
    parser.add_argument("--break-every", nargs="*", type=int)
    parser.add_argument("--pytest", default="")
    options = parser.parse_args()
    started = time.time()
    versions = (BUILD / "stamps/versions-test").read_text().split()
    Deadline.at = options.until
    jobs = plan(versions, options)
    progress.total = len(jobs)
    with progress, concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        try:
            results = list(pool.map(perform, jobs))
        except KeyboardInterrupt:
            Deadline.at = 0.0  # no other job begins
            for process in list(running):
                end(process)
            raise
    return report(results, time.time() - started)


if __name__ == "__main__":
    sys.exit(main())
