"""usage: diff_fuzz.py [--first N] [--count N] [--seconds S] [--shrink] [--keep DIR] [--show SEED] [--file PROGRAM]
                    [--psjit-every N]

Differential fuzzer: random programs (diff_gen.py, diff_stmt.py) run plainly, under PIJit and, every N-th of them, under both
levels of PSJit, several calls each; results, identities, output, exceptions with their lines, and changed objects must agree.
Level STRICT may refuse a call instead, before anything of it has happened. Programs run in child processes, so a crash is one
more finding. Prints a line a finding and, last, `N programs, N under PSJit, N captured whole, N failed`; exits 1 when any
failed. A program shrunk by hand or with --shrink belongs into tests/py/fuzz_repros.py.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
CHUNK = 100


def worker(first, count, deadline, psjit_every):
    """Checks programs, one line each on stdout: seed, and the difference or how many STRICT calls were not refused."""
    from diff_run import check
    from diff_stmt import program
    from ways import ways_of
    for seed in range(first, first + count):
        if time.time() > deadline:
            break
        print("begin %d" % seed, flush=True)
        whole = []
        text = check(program(seed), ways=ways_of(seed, psjit_every), whole=whole)
        print("end %d %s" % (seed, repr(text) if text else "ok %d" % sum(whole)), flush=True)


def run_chunk(first, count, deadline, psjit_every):
    """(programs run, those captured whole, {seed: finding}); restarts behind a crash."""
    findings, ran, whole, end = {}, 0, 0, first + count
    while first < end and time.time() < deadline:
        command = [sys.executable, "-X", "faulthandler", __file__, "--worker", "--first", str(first), "--count",
                   str(end - first), "--deadline", str(deadline), "--psjit-every", str(psjit_every)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        begun = None
        for line in done.stdout.decode("utf-8", "replace").splitlines():
            word, _, rest = line.partition(" ")
            if word == "begin":
                begun = int(rest)
            elif word == "end" and rest.startswith("%s " % begun):
                ran += 1
                text = rest.partition(" ")[2]
                if text.startswith("ok "):
                    whole += text != "ok 0"
                else:
                    findings[begun] = eval(text)
                first, begun = begun + 1, None
        if done.returncode != 0:
            errors = done.stderr.decode("utf-8", "replace")
            if begun is None:
                raise RuntimeError("the worker failed: " + errors)
            findings[begun] = "crash (status %d)\n%s" % (done.returncode, errors[-1500:])
            first, ran = begun + 1, ran + 1
        elif begun is None:
            break
    return ran, whole, findings


def fails_like(kind):
    """A predicate: a program still fails in this way; those that may crash run in a child process."""
    if kind not in ("crash", "hang:"):
        from diff_run import check

        def differs(source):
            try:
                return (check(source) or "").startswith(kind + " ")
            except Exception:  # the program lost what the harness needs
                return False
        return differs

    def fails(source):
        command = [sys.executable, __file__, "--file", "-"]
        try:
            done = subprocess.run(command, input=source.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  timeout=60)
        except subprocess.TimeoutExpired:
            return kind == "hang:"
        if done.returncode not in (0, 1):
            return kind == "crash"
        return done.returncode == 1 and done.stdout.decode().startswith(kind + " ")
    return fails


def report(seed, text, args):
    print("program %d: %s" % (seed, text), flush=True)
    if not args.shrink and not args.keep:
        return
    from diff_shrink import shrink
    from diff_stmt import program
    source = program(seed)
    if args.shrink:
        source = shrink(source, fails_like(text.split(" ", 1)[0]))
        print(source, flush=True)
    if args.keep:
        pathlib.Path(args.keep).mkdir(parents=True, exist_ok=True)
        (pathlib.Path(args.keep) / ("program_%d.py" % seed)).write_text('"""%s"""\n%s' % (
            text.replace("\\", "/").replace('"""', "'''"), source))


def check_file(path):
    from diff_run import check
    text = check(sys.stdin.read() if path == "-" else pathlib.Path(path).read_text())
    print(text or "ok")
    return 1 if text else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--deadline", type=float, default=0)
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--show", type=int)
    parser.add_argument("--file")
    parser.add_argument("--psjit-every", type=int, default=1)
    parser.add_argument("--worker", action="store_true")
    args = parser.parse_args()
    if args.show is not None:
        from diff_stmt import program
        print(program(args.show))
        return 0
    if args.file:
        return check_file(args.file)
    if args.worker:
        worker(args.first, args.count, args.deadline, args.psjit_every)
        return 0
    return run_all(args)


def run_all(args):
    deadline, programs, whole, failed = time.time() + args.seconds, 0, 0, 0
    for first in range(args.first, args.first + args.count, CHUNK):
        ran, captured, findings = run_chunk(first, min(CHUNK, args.first + args.count - first), deadline, args.psjit_every)
        programs += ran
        whole += captured
        failed += len(findings)
        for seed, text in sorted(findings.items()):
            report(seed, text, args)
    print("%d programs, %d under PSJit, %d captured whole, %d failed" % (
        programs, (programs + args.psjit_every - 1) // args.psjit_every, whole, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    os.environ.setdefault("MSJIT_STRICT", "1")
    sys.exit(main())
