"""Settings of MindSpore's parameter servers (parallel._ps_context), which there are none of: every process is a worker.

Settings are those of a program without servers, and one that would ask for them raises NotImplementedError.
"""

_DEFAULTS = {"enable_ps": False, "config_file_path": "", "scheduler_manage_port": 0, "enable_ssl": False, "client_password": "",
             "server_password": ""}


def ps_context():
    """The settings, as a new dict."""
    return dict(_DEFAULTS)


def set_ps_enable(enable):
    """Accepts False: there are no parameter servers."""
    _set_ps_context(enable_ps=enable)


def _set_ps_context(**kwargs):
    for key, value in kwargs.items():
        if key not in _DEFAULTS:
            raise ValueError("[set_ps_context] key, got %r, expected one of %s" % (key, ", ".join(_DEFAULTS)))
        if value != _DEFAULTS[key]:
            raise NotImplementedError("[set_ps_context] %s, got %r, expected %r: parameter servers are not offered" % (key, value, _DEFAULTS[key]))


def _get_ps_context(attr_key):
    if attr_key not in _DEFAULTS:
        raise ValueError("[get_ps_context] attr_key, got %r, expected one of %s" % (attr_key, ", ".join(_DEFAULTS)))
    return _DEFAULTS[attr_key]


def _reset_ps_context():
    """Nothing was set."""


def _no(*args):
    """False"""
    return False


_is_role_sched = _is_role_worker = _is_role_pserver = _is_ps_mode = _enable_distributed_mindrt = _need_reset_device_target_for_ps = _no
