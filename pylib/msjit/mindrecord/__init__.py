"""MindRecord files: rows of numbers, texts, bytes and arrays; mindspore.mindrecord's FileWriter, FileReader and MindPage."""
from ..absent import names as _absent_names
from .pages import MindPage
from .records import FileReader
from .writer import FileWriter

SUCCESS, FAILED = 0, 1

globals().update(_absent_names(__name__, "Cifar100ToMR Cifar10ToMR CsvToMR ImageNetToMR MnistToMR TFRecordToMR",
                               "read the files with the dataset of their kind, and write them with its method save"))
globals().update(_absent_names(__name__, "set_dec_mode set_enc_key set_enc_mode", "MindRecord files are not encrypted"))
