"""usage: lint.py [--format | --all]

Runs every static check: layers, names, calls of CPython, sizes, messages, clang-format, ruff, and clang-tidy on the files that differ from the main
branch (--all: on every file). --format rewrites the sources instead.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import sources

RUFF = str(sources.ROOT / "build/venv/tools/bin/ruff")
TIDY_LIMIT = 12  # files a run; a file takes seconds


def run(command, **kwargs):
    return subprocess.run(command, cwd=sources.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, **kwargs)


def git(*args):
    return run(["git", *args]).stdout.split()


def changed_files():
    """Files that differ from the main branch; on the main branch itself, those of the last commit."""
    for base in ("origin/main", "main", "HEAD~1"):
        merge_base = git("merge-base", base, "HEAD")
        if len(merge_base) == 1 and len(merge_base[0]) == 40 and merge_base != git("rev-parse", "HEAD"):
            return git("diff", "--name-only", merge_base[0])
    return git("diff", "--name-only", "HEAD")


def tidy_database():
    """Writes a copy of compile_commands.json to build/tidy and returns its text. It includes GCC's precompiled headers as text. Clang 14
    cannot read the headers of CPython 3.13 and later, so entries with these are left out; files that are also compiled for other
    interpreters are checked with the headers of those."""
    folder = sources.ROOT / "build/tidy"
    folder.mkdir(parents=True, exist_ok=True)

    def plain(match):
        header = pathlib.Path(match.group(1))
        copy = folder / (header.parent.name + ".hxx")
        shutil.copy(header, copy)
        return "-include %s" % copy

    entries = json.loads((sources.ROOT / "build/compile_commands.json").read_text())
    text = json.dumps([entry for entry in entries if not re.search(r"/python3\.1[34]", entry["command"])], indent=1)
    text = re.sub(r"-Winvalid-pch -include ([^ ]*cmake_pch\.hxx)", plain, text)
    (folder / "compile_commands.json").write_text(text)
    return text


def tidy(everything):
    known = tidy_database()
    wanted = sources.files(".cc") if everything else changed_files()
    chosen = [f for f in wanted if f.endswith(".cc") and '/%s"' % f in known]
    if not everything:
        chosen = chosen[:TIDY_LIMIT]
    if not chosen:
        return 0, "no changed files"
    gcc = run(["g++", "-print-file-name=include"]).stdout.strip()
    # Clang 14 knows _Float16 only with the instructions for it.
    extra = ["-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument", "-Wno-everything", "-mavx512fp16",
             "-idirafter" + gcc]
    command = ["xargs", "-n1", "-P%d" % (os.cpu_count() or 1), "clang-tidy", "--quiet", "-p", "build/tidy"]
    command += ["--extra-arg=" + flag for flag in extra]
    done = run(command, input="\n".join(chosen))
    text = "\n".join(line for line in done.stdout.splitlines() if "warnings generated" not in line)
    return done.returncode, (text + "\n" if text.strip() else "") + "%d files" % len(chosen)


def clang_format(rewrite):
    paths = sources.files(*sources.CPP)
    if not paths:
        return 0, "no files"
    done = run(["xargs", "-n20", "clang-format", *(["-i"] if rewrite else ["--dry-run", "-Werror"])], input="\n".join(paths))
    offences = [line for line in done.stdout.splitlines() if " error:" in line or "error: " in line]
    dirty = sorted({line.split(":")[0] for line in offences})
    return len(dirty), "\n".join(dirty + ["%d of %d files need `make format`" % (len(dirty), len(paths))])


def script(name):
    done = run([sys.executable, "tests/tools/" + name])
    return done.returncode, done.stdout.strip()


def ruff(*args):
    done = run([RUFF, *args, "."])
    return done.returncode, done.stdout.strip()


def main(args):
    if "--format" in args:
        clang_format(rewrite=True)
        print(ruff("check", "--fix", "-q")[1])
        return 0
    checks = [
        ("layers", lambda: script("check_layers.py")),
        ("names", lambda: script("check_names.py")),
        ("calls of CPython", lambda: script("check_host_calls.py")),
        ("sizes", lambda: script("check_sizes.py")),
        ("messages", lambda: script("check_messages.py")),
        ("clang-format", lambda: clang_format(rewrite=False)),
        ("ruff", lambda: ruff("check", "--output-format", "concise")),
        ("clang-tidy", lambda: tidy("--all" in args)),
    ]
    failed = 0
    for name, check in checks:
        code, text = check()
        print("== %s: %s" % (name, "FAILED" if code else "ok"))
        print(text)
        failed += code != 0
    print("%d passed, %d failed" % (len(checks) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
