"""The version of MindSpore whose API this is, as programs ask for it."""
__version__ = "2.10.0"
