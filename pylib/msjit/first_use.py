"""Names of modules that are found at their first use. They stay in the module from then on, so that captured code reads them as it
reads any other attribute; a capture asks for a name that is not there yet, and goes on."""
import builtins

from .absent import Absent


def kept(find, names=None):
    """Makes the `__getattr__` of a module out of find(name), and keeps what it gives in `names`, the dict of the module (default: that of
    the module where `find` is defined).

    Stand-ins for absent names are not kept, nor are names of builtins, as code of the module means the builtins by them.
    """
    names = find.__globals__ if names is None else names

    def __getattr__(name):
        found = find(name)
        if name[:2] != "__" and not isinstance(found, Absent) and not hasattr(builtins, name):
            names[name] = found
        return found
    return __getattr__
