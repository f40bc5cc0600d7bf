"""MindRecord files: rows of numbers, texts, bytes and arrays; mindspore.mindrecord's FileWriter and FileReader."""
from .records import FileReader
from .writer import FileWriter

SUCCESS, FAILED = 0, 1
