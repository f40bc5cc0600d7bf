"""JitConfig: options of the compiler as one object."""

_CHOICES = (("jit_level", ("", "O0", "O1", "O2")), ("exc_mode", ("auto", "sink", "no_sink")),
            ("jit_syntax_level", ("", "STRICT", "LAX")), ("debug_level", ("RELEASE", "DEBUG")),
            ("infer_boost", ("on", "off")))
OPTIONS = tuple(name for name, _ in _CHOICES) + ("exec_mode",)


class JitConfig:
    """Options of jit() and of Cell.set_jit_config(), with MindSpore's names.

    jit_syntax_level    "STRICT": code outside the strict language raises CompileError; "LAX": the interpreter runs code that
                        cannot be captured; "": as set_context(jit_syntax_level=...) says
    jit_level           "O0", "O1" or "O2": accepted; every level here runs all passes
    exc_mode (or exec_mode), debug_level, infer_boost and other keywords are kept in jit_config_dict and change nothing

    Raises ValueError for another value of these.
    """

    def __init__(self, jit_level="", exc_mode="auto", jit_syntax_level="", debug_level="RELEASE", infer_boost="off",
                 **kwargs):
        exc_mode = kwargs.pop("exec_mode", exc_mode)
        given = dict(jit_level=jit_level, exc_mode=exc_mode, jit_syntax_level=jit_syntax_level,
                     debug_level=debug_level, infer_boost=infer_boost)
        for name, allowed in _CHOICES:
            if given[name] not in allowed:
                raise ValueError("[jit_config] %s, got %r, expected one of %s" % (name, given[name], list(allowed)))
        if jit_level:
            kwargs.setdefault("backend", "GE" if jit_level == "O2" else "ms_backend")
        self.jit_config_dict = dict(given, **kwargs)  # As in MindSpore, any other keyword is accepted as an option of the backend

    @property
    def syntax_level(self):
        """The level as JitFunction takes it: "STRICT", False for LAX, None if none was given."""
        return {"STRICT": "STRICT", "LAX": False}.get(self.jit_config_dict["jit_syntax_level"])


__all__ = ["JitConfig"]
