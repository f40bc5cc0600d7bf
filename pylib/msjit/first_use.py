"""Names of modules that are found at their first use. They stay in the module from then on, so that captured code reads them as it
reads any other attribute; a region ends where a module has to be asked for a name."""
import builtins

from .absent import Absent


def kept(find):
    """Makes the `__getattr__` of a module out of find(name), a function of that module, and keeps what it gives.

    Stand-ins for absent names are not kept, nor are names of builtins, as code of the module means the builtins by them.
    """
    names = find.__globals__

    def __getattr__(name):
        found = find(name)
        if name[:2] != "__" and not isinstance(found, Absent) and not hasattr(builtins, name):
            names[name] = found
        return found
    return __getattr__
