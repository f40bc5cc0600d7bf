"""The interpreter `msjit-python` (launcher/) calls this module before and after `site`. It applies the options behind -X msjit."""
import argparse
import sys

HELP = """-X msjit[=ITEM,...] captures the functions of the program; several such options add up. Items:
  PIJit             capture the bytecode of the program's functions (default)
  PSJit             the same, and start in GRAPH_MODE: a call of a Cell is compiled from its source
  eager             capture nothing, report only; what MSJIT_AUTO says still holds
  include:PATTERN   functions of these modules too, such as include:model.*
  exclude:PATTERN   but of these not
  alias:NAME        make `import NAME` mean msjit
  explain           print at exit what was captured, and every graph break
  explain-json:FILE write the same to a file as JSON
  stats             print the totals at exit
  help              print this text
MSJIT_AUTO=PATTERN,... names modules as include: does, for child processes as well; alone it leaves the program's own file out."""
_LISTS = ("include", "exclude", "alias")
_KNOWN = "PIJit, PSJit, eager, include:PATTERN, exclude:PATTERN, alias:NAME, explain, explain-json:FILE, stats or help"
_program_is_candidate = False


def start(options):
    """Starts msjit with the options; returns None, or a text that is to be printed instead of running a program."""
    global _program_is_candidate
    items = [item.strip() for option in options for item in option.split(",")]
    if "help" in items:
        return HELP
    parsed = parse(filter(None, items))
    if options:  # importing the package has already installed what MSJIT_AUTO says
        from . import cli
        cli.prepare(parsed)
        _program_is_candidate = parsed.mode != "eager"
    return None


def expect_program():
    """Called when `site` has run, after which only the program runs."""
    from ._native import _msjit
    from .importer import mark
    # If `site` has started a tracer, the interpreter runs the program anyway.
    if _program_is_candidate and _msjit.has_jit and sys.gettrace() is None:
        _msjit.observe_main(mark)


def parse(items):
    """The items as options of `python -m msjit`."""
    parsed = argparse.Namespace(mode="PIJit", include=[], exclude=[], alias=[], explain=False, explain_json=None, stats=False)
    for item in items:
        name, colon, value = item.partition(":")
        if item in ("PIJit", "PSJit", "eager"):
            parsed.mode = item
        elif item in ("explain", "stats"):
            setattr(parsed, item, True)
        elif name in _LISTS and value:
            getattr(parsed, name).append(value)
        elif name == "explain-json" and value:
            parsed.explain_json = value
        else:
            raise ValueError("[-X msjit] item, got %r, expected %s" % (item, _KNOWN))
    return parsed
