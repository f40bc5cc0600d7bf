"""auto_parallel_context: the settings of set_auto_parallel_context as an object with get_NAME and set_NAME."""
from .. import context as _context

_ASKED = ("device_num_is_set", "global_rank_is_set", "full_batch_is_set", "parameter_broadcast_is_set")


class _Settings:
    """get_NAME() gives a setting; set_NAME(value) keeps one, as context.set_auto_parallel_context does.

    get_NAME_is_set(), for the names of _ASKED, says whether the program has given one.
    """

    def __getattr__(self, name):
        what, _, key = name.partition("_")
        if what == "get" and key in _ASKED:
            return lambda: key[:-len("_is_set")] in _context._parallel_set
        if what not in ("get", "set") or key not in _context._PARALLEL:
            raise AttributeError("[auto_parallel_context] there is no attribute %r" % name)
        if what == "get":
            return lambda: _context.get_auto_parallel_context(key)
        return lambda value: _context.set_auto_parallel_context(**{key: value})

    def reset(self):
        """As context.reset_auto_parallel_context."""
        _context.reset_auto_parallel_context()


_settings = _Settings()


def auto_parallel_context():
    """The settings of this process."""
    return _settings
