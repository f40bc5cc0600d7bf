"""How the Parameters of a network are divided over processes. Here they are not, so there is no metadata."""


def get_strategy_metadata(network, rank_id=None):
    """None, as in MindSpore for a network that is whole in every process."""


def get_current_strategy_metadata(network):
    """None, as get_strategy_metadata()."""


def enable_save_strategy_online():
    """Accepted for compatibility."""


def clear_strategy_metadata():
    """Accepted for compatibility."""
