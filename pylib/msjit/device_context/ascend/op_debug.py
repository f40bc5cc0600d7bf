"""Settings of operators of NPUs: taken, so that a program for them runs here too, and forgotten."""
from .._elsewhere import setting

aclinit_config, debug_option, execute_timeout = [setting(__name__, name) for name in ("aclinit_config", "debug_option", "execute_timeout")]
__all__ = ["aclinit_config", "debug_option", "execute_timeout"]
