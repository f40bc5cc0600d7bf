"""Checkpoints lie in files of this machine. MindIO, which keeps them in the memory of a cluster, is not supported."""


def set_mindio_server_info(data_block_pool_capacity_in_gb=100):
    """Accepted for compatibility: there is no server of MindIO."""


def mindio_preload(ckpt_file_name):
    """False: there is no MindIO that could read a checkpoint ahead."""
    return False
