"""Summaries for MindInsight, which are not offered."""


class SummaryRecord:
    """MindSpore's writer of summary files. Making one raises NotImplementedError; the name is there to be imported."""

    def __init__(self, log_dir, file_prefix="events", file_suffix="_MS", num_process=32, network=None, max_file_size=None,
                 raise_exception=False, export_options=None):
        raise NotImplementedError("[summary_record] files of summaries for MindInsight are not written; use a Callback")
