"""python -m msjit.launch -n 4 [options] train.py [args...]: a program in several processes of this host.

It calls Open MPI's mpirun with the flags that are needed on this host. The arguments behind -n are those of `python -m msjit`. To use
several hosts, call mpirun itself: mpirun --hostfile hosts -n 8 python -m msjit train.py
"""
import os
import shutil
import subprocess
import sys

USAGE = "usage: python -m msjit.launch -n PROCESSES [options of python -m msjit] script.py [args...] | -m module [args...] | -c code [args...]"
INSTALL = "mpirun of Open MPI is needed to start processes: on Debian and Ubuntu `apt install openmpi-bin`"


def _fail(text, status=2):
    print("msjit.launch: %s" % text, file=sys.stderr)
    sys.exit(status)


def _number(text):
    if not text.isdigit() or int(text) < 1:
        _fail("number of processes, got %r, expected 1 or more\n%s" % (text, USAGE))
    return int(text)


def split(argv):
    """(number of processes, the rest) of a command line. Ends the program with status 2 if the command line is wrong."""
    if argv and argv[0] in ("-h", "--help"):
        print(USAGE)
        sys.exit(0)
    if len(argv) >= 2 and argv[0] in ("-n", "-np", "--processes"):
        count, rest = _number(argv[1]), argv[2:]
    elif argv and argv[0].startswith("-n") and argv[0] != "-np":
        count, rest = _number(argv[0][2:]), argv[1:]
    else:
        _fail("-n is missing\n%s" % USAGE)
    if not rest:
        _fail("there is no program to run\n%s" % USAGE)
    return count, rest


def find_mpirun():
    """The path of Open MPI's mpirun. Ends the program with status 1 if there is none, or one of another MPI."""
    path = shutil.which("mpirun")
    if path is None:
        _fail(INSTALL, 1)
    asked = subprocess.run([path, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = asked.stdout.decode(errors="replace")
    if "Open MPI" not in text:
        _fail("%s is of another MPI (%s). %s" % (path, text.strip().split("\n")[0], INSTALL), 1)
    return path


def command(count, rest):
    """The command line of mpirun: as many processes as asked for, whatever the number of cores, and not bound to single cores."""
    line = [find_mpirun(), "--oversubscribe", "--bind-to", "none", "-n", str(count)]
    if os.geteuid() == 0:
        line.append("--allow-run-as-root")
    return line + [sys.executable, "-m", "msjit"] + rest


def main(argv=None):
    """Replaces this process by mpirun. The cores are divided among the processes (MSJIT_NUM_THREADS, unless it is set)."""
    count, rest = split(sys.argv[1:] if argv is None else argv)
    line = command(count, rest)
    os.environ.setdefault("MSJIT_NUM_THREADS", str(max(1, len(os.sched_getaffinity(0)) // count)))
    os.execv(line[0], line)


if __name__ == "__main__":
    main()
