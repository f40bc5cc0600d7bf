"""MindRecord files: rows of numbers, texts, bytes and arrays; mindspore.mindrecord's FileWriter, FileReader and MindPage."""
from .. import _paths
from ..absent import names as _absent_names
from .pages import MindPage
from .records import FileReader
from .writer import FileWriter

SUCCESS, FAILED = 0, 1

globals().update(_absent_names(__name__, "set_dec_mode set_enc_key set_enc_mode", "MindRecord files are not encrypted"))


_CONVERTERS = ("Cifar100ToMR", "Cifar10ToMR", "CsvToMR", "ImageNetToMR", "MnistToMR", "TFRecordToMR")
__all__ = ["FileWriter", "FileReader", "MindPage", "SUCCESS", "FAILED", "set_enc_key", "set_enc_mode", "set_dec_mode", *_CONVERTERS]


def __getattr__(name):
    if name in _CONVERTERS:
        from . import converters
        return getattr(converters, name)
    from .common import exceptions
    if name[:2] == "__" or not hasattr(exceptions, name):
        raise AttributeError("module 'msjit.mindrecord' has no attribute %r" % name)
    return getattr(exceptions, name)

_paths.reach(__name__)
