"""Functions that stand for settings of devices which are not here."""

# The first parameter of a setting, where it is not "mode".
_PARAMETERS = {"aclinit_config": "config", "debug_option": "option_value", "execute_timeout": "op_timeout", "conv_allow_hf32": "value",
               "matmul_allow_hf32": "value", "op_precision_mode": "path", "aclnn_cache": "enable_global_cache", "aoe_job_type": "config",
               "aoe_tune_mode": "tune_mode", "op_compile": "value", "conv_allow_tf32": "value", "matmul_allow_tf32": "value"}


def setting(module, name):
    """A function of one argument, and of keywords, that changes nothing."""
    known = _PARAMETERS.get(name, "mode")

    def function(*args, **kwargs):
        if len(args) + len(kwargs) < 1 or len(args) > 1 and name != "aclnn_cache":
            raise TypeError("[%s] arguments, got %d, expected %s" % (name, len(args) + len(kwargs), known))
    function.__name__ = function.__qualname__ = name
    function.__module__, function.__doc__ = module, "Takes %s, which changes nothing: such a device is not here." % known
    return function
