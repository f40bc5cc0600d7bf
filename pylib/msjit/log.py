"""MindSpore's log functions on the standard logging module."""
import logging

_logger = logging.getLogger("msjit")

debug, info, warning, error, critical = (
    _logger.debug, _logger.info, _logger.warning, _logger.error, _logger.critical)


def _get_logger():
    """The logger that the functions of this module write to."""
    return _logger


class _LogActionOnce:
    """A decorator: the warnings of the function are logged only in the first call for a key. With no_warning, or without a logger, nothing changes."""

    _done = set()

    def __init__(self, logger=None, key="", no_warning=False, m_logger=None):
        self.logger, self.key, self.no_warning = logger or m_logger, key, no_warning

    def __call__(self, function):
        from functools import wraps

        @wraps(function)
        def once(*args, **kwargs):
            if self.logger is None or self.no_warning:
                return function(*args, **kwargs)
            said, say = self.key in self._done, getattr(self.logger, "warning", None)
            if said and say is not None:  # what the function logs was logged before
                self.logger.warning = lambda *_, **__: None
            try:
                return function(*args, **kwargs)
            finally:
                self._done.add(self.key)
                if said and say is not None:
                    self.logger.warning = say
        return once


def get_level():
    """Level as a text: '0' debug ... '4' critical."""
    return str(_logger.getEffectiveLevel() // 10 - 1)


def get_log_config():
    """Settings in use."""
    return {"GLOG_v": get_level()}
