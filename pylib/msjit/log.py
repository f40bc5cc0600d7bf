"""MindSpore's log functions on the standard logging module."""
import logging

_logger = logging.getLogger("msjit")

debug, info, warning, error, critical = (
    _logger.debug, _logger.info, _logger.warning, _logger.error, _logger.critical)


def get_level():
    """Level as a text: '0' debug ... '4' critical."""
    return str(_logger.getEffectiveLevel() // 10 - 1)


def get_log_config():
    """Settings in use."""
    return {"GLOG_v": get_level()}
