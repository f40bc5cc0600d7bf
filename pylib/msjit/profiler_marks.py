"""mstx: marks in the profiles of NPUs, which change nothing here."""


class mstx:
    """Functions of marks; ids of ranges are 0, as in MindSpore on a CPU."""

    enable = False

    @staticmethod
    def mark(message, stream=None, domain="default"):
        """Nothing is marked."""

    @staticmethod
    def range_start(message, stream=None, domain="default"):
        """0"""
        return 0

    @staticmethod
    def range_end(range_id, domain="default"):
        """Nothing ends."""
