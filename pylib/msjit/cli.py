"""The command line `python -m msjit`: runs a program as plain `python` would, and lets the JIT capture its functions."""
import argparse
import importlib.machinery
import importlib.util
import io
import os
import sys
import types

USAGE = """python -m msjit [options] script.py [args...]
       python -m msjit [options] -m module [args...]
       python -m msjit [options] -c code [args...]"""


def _parser():
    parser = argparse.ArgumentParser("python -m msjit", usage=USAGE, add_help=False, allow_abbrev=False,
                                     description="Runs a Python program under msjit.")
    add = parser.add_argument
    add("-h", "--help", action="help", help="show this text and exit")
    add("--version", action="store_true", help="show the version and exit")
    add("--mode", choices=("PIJit", "PSJit", "eager"), default="PIJit",
        help="PIJit: capture the bytecode of the script's functions (default); PSJit: that, and start in "
             "GRAPH_MODE, where a call of a Cell is compiled from its source; eager: run as it is")
    add("--include", metavar="PATTERNS", action="append", default=[],
        help="modules whose functions are candidates too, such as 'model.*,layers'")
    add("--exclude", metavar="PATTERNS", action="append", default=[], help="modules that stay eager")
    add("--explain", action="store_true", help="print at exit what was captured, and every graph break")
    add("--explain-json", metavar="FILE", help="write the same to a file as JSON")
    add("--alias", metavar="NAME", action="append", default=[], help="make `import NAME` mean msjit")
    add("--stats", action="store_true", help="print the totals at exit")
    return parser


def split(argv):
    """(options, kind, target, arguments of the program); kind is 'script', 'm', 'c' or None."""
    valued = {"--mode", "--include", "--exclude", "--explain-json", "--alias"}
    i = 0
    while i < len(argv):
        arg = argv[i]
        if arg in ("-m", "-c"):
            if i + 1 == len(argv):
                return argv[:i], arg[1], None, []
            return argv[:i], arg[1], argv[i + 1], argv[i + 2:]
        if arg.startswith(("-m", "-c")) and not arg.startswith("--"):
            return argv[:i], arg[1], arg[2:], argv[i + 1:]
        if arg == "--":
            i += 1
            break
        if arg == "-" or not arg.startswith("-"):
            break
        i += 2 if arg in valued else 1
    if i < len(argv):
        return argv[:i], "script", argv[i], argv[i + 1:]
    return argv, None, None, []


def main(argv=None):
    """Entry point; does not return normally when the program raises."""
    argv = sys.argv[1:] if argv is None else argv
    options, kind, target, arguments = split(argv)
    parser = _parser()
    parsed = parser.parse_args([o for o in options if o != "--"])
    if parsed.version:
        import msjit
        print("msjit", msjit.__version__)
        return
    if target is None:
        parser.error("argument -%s needs a value" % kind if kind else "there is no program to run")
    try:
        prepare(parsed)
    except ValueError as error:
        parser.error(str(error))
    runner = {"script": _load_script, "m": _load_module, "c": _load_text}[kind]
    try:
        code, namespace = runner(target, arguments)
    except _Refused as error:
        print(error, file=sys.stderr)
        sys.exit(error.status)
    except SyntaxError:
        _report_and_raise(0, keep_frames=False)
    if parsed.mode != "eager":
        from .importer import mark
        mark(code)
    _execute(code, namespace)


def console():
    """The command `msjit`. It replaces this process by `python -m msjit`, so that programs have the same stack frames in both cases."""
    if not sys.executable:
        return main()
    os.execv(sys.executable, [sys.executable, "-m", "msjit"] + sys.argv[1:])


class _Refused(Exception):
    """The program cannot be started. The text and the exit status are those of plain python."""

    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def prepare(parsed):
    import atexit

    from . import alias, importer
    from ._native import _msjit
    from .explain import stats, table, write_report
    if parsed.explain_json:
        path = os.path.abspath(parsed.explain_json)
        _check_can_be_written(path)
    for name in parsed.alias:
        alias.install(name)
    include = [p for group in parsed.include for p in group.split(",")]
    exclude = [p for group in parsed.exclude for p in group.split(",")]
    if parsed.mode == "PSJit":
        from . import context
        context.set_context(mode=context.GRAPH_MODE)
    if parsed.mode != "eager":
        if not _msjit.has_jit:
            print("msjit: functions run uncompiled: %s" % _msjit.no_jit_reason, file=sys.stderr)
        importer.begin()
        if [p for p in include if p.strip()]:
            importer.install(include, exclude)
    if parsed.explain:
        atexit.register(lambda: print(table(), file=sys.stderr))
    if parsed.stats:
        atexit.register(lambda: print(_stats_text(stats()), file=sys.stderr))
    if parsed.explain_json:
        atexit.register(write_report, path)


def _check_can_be_written(path):
    """Raises ValueError if the file cannot be written. Checking at the start saves a run of the program whose report would be lost."""
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        return  # a pipe or a device: opening it would be noticed at its other end
    try:
        open(path, "a").close()
    except OSError as error:
        raise ValueError("[explain-json] file, got %s (%s), expected one that can be written"
                         % (path, error.strerror)) from None


def _stats_text(totals):
    return "msjit: " + ", ".join("%s %s" % (name, round(value, 3)) for name, value in totals.items())


# -- the three kinds of programs ------------------------------------------------------------------------------------


def _new_main(**attributes):
    """A fresh __main__ in place of this package's."""
    module = types.ModuleType("__main__")
    module.__dict__.update({"__builtins__": sys.modules["builtins"], "__spec__": None, "__package__": None,
                            "__doc__": None, "__loader__": None}, **attributes)
    if sys.version_info < (3, 14):
        module.__dict__["__annotations__"] = {}
    _keep.append(sys.modules.get("__main__"))
    sys.modules["__main__"] = module
    return module.__dict__


_keep = []  # the replaced __main__ must outlive the program


def _set_path(first):
    """Puts `first` on sys.path where plain python would put it: in place of the entry that `-m` added."""
    if getattr(sys.flags, "safe_path", False) or sys.flags.isolated:
        sys.path.insert(0, first)
    else:
        sys.path[0:1] = [first]


def _load_script(path, arguments):
    sys.argv[:] = [path] + arguments
    if path == "-":
        _set_path("")
        return compile(sys.stdin.read(), "<stdin>", "exec"), _new_main()
    if sys.version_info >= (3, 9):  # as CPython: not normalized
        path = os.path.join(os.getcwd(), path)
    if os.path.isdir(path) or (os.path.isfile(path) and _is_zip(path)):
        return _load_folder(path)
    try:
        with io.open_code(path) if hasattr(io, "open_code") else open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        raise _Refused("%s: can't open file %r: [Errno %s] %s" % (
            sys.executable, path, error.errno, error.strerror), status=2) from None
    _set_path(os.path.dirname(os.path.realpath(path)))
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    namespace = _new_main(__file__=path, __cached__=None, __loader__=loader)
    if path.endswith(".pyc"):
        loader = importlib.machinery.SourcelessFileLoader("__main__", path)
        namespace["__loader__"] = loader
        return loader.get_code("__main__"), namespace
    return compile(source, path, "exec", dont_inherit=True), namespace


def _is_zip(path):
    import zipfile
    return not path.endswith((".py", ".pyc")) and zipfile.is_zipfile(path)


def _load_folder(path):
    """A directory or zip file with a __main__ module."""
    _set_path(path)
    spec = importlib.machinery.PathFinder.find_spec("__main__", [path])
    if spec is None or spec.loader is None:
        raise _Refused("%s: can't find '__main__' module in %r" % (sys.executable, path))
    code = spec.loader.get_code("__main__")
    return code, _new_main(__file__=spec.origin, __cached__=spec.cached, __loader__=spec.loader, __spec__=spec,
                           __package__="")


def _load_module(name, arguments):
    sys.argv[:] = ["-m"] + arguments
    _set_path(os.getcwd())
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            package, name = name, name + ".__main__"
            spec = importlib.util.find_spec(name)
            if spec is None:
                raise _Refused("%s: No module named %s; %r is a package and cannot be directly executed"
                               % (sys.executable, name, package))
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise _Refused("%s: Error while finding module specification for %r (%s: %s)" % (
            sys.executable, name, type(error).__name__, error)) from None
    if spec is None or spec.loader is None:
        raise _Refused("%s: No module named %s" % (sys.executable, name))
    code = spec.loader.get_code(name) if hasattr(spec.loader, "get_code") else None
    if code is None:
        raise _Refused("%s: No code object available for %s" % (sys.executable, name))
    sys.argv[0] = spec.origin
    return code, _new_main(__file__=spec.origin, __cached__=spec.cached, __loader__=spec.loader, __spec__=spec,
                           __package__=spec.parent)


def _load_text(text, arguments):
    sys.argv[:] = ["-c"] + arguments
    _set_path("")
    if sys.version_info >= (3, 13):  # tracebacks show the lines of the text there
        import linecache
        linecache.cache["<string>"] = len(text), None, [line + "\n" for line in text.splitlines()], "<string>"
    return compile(text, "<string>", "exec", dont_inherit=True), _new_main()


# -- running ------------------------------------------------------------------------------------------------------


RUNPY_FRAMES = 2  # below the code of a module or folder


def _execute(code, namespace):
    """Runs the program. It sees no frames below its own, except those of runpy where plain python has them. Its excepthook sees none."""
    from ._native import _msjit
    below = RUNPY_FRAMES if namespace["__spec__"] else 0
    try:
        if _msjit.has_jit:
            _msjit.run_program(code, namespace, below)
        else:
            exec(code, namespace)
    except SystemExit:
        raise
    except BaseException:
        _report_and_raise(below)


def _outermost(count):
    """The outermost frames of this thread, the inner ones first."""
    frames, frame = [], sys._getframe()
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    return frames[len(frames) - count:]


def _report_and_raise(below, keep_frames=True):
    """Prints the exception without the frames of this package but with the `below` outermost frames in their place. Then raises
    it again, so that it ends the process as usual."""
    from ._native import _msjit
    kind, value, trace = sys.exc_info()
    while trace is not None and trace.tb_frame.f_globals.get("__name__") in (__name__, "__main__") \
            and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    for frame in _outermost(below):
        trace = types.TracebackType(trace, frame, frame.f_lasti, frame.f_lineno)
    if not keep_frames:
        trace = None
    hook = sys.excepthook
    if _msjit.has_jit:
        _msjit.call_at_the_bottom(hook, kind, value.with_traceback(trace), trace)
    else:
        hook(kind, value.with_traceback(trace), trace)
    sys.excepthook = lambda *unused: None  # already reported
    raise value
