"""Names that programs import from MindSpore and that mean nothing here: importing one works, calling it raises."""


class _Refused(type):
    """A class whose calls and attributes raise; it may be a base of classes, and stand in isinstance."""

    def __call__(cls, *args, **kwargs):
        raise NotImplementedError("[%s] is not offered: %s" % (cls.__name__, cls._why))

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotImplementedError("[%s] is not offered: %s" % (cls.__name__, cls._why))


def refused(module, names, why):
    """A dict of such classes, of the names in a text."""
    return {name: _Refused(name, (), {"__module__": module, "__doc__": "Not offered: %s." % why, "_why": why})
            for name in names.split()}
