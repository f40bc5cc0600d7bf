"""Errors of mindrecord; they are errors of Python's classes too: ValueError, TypeError or RuntimeError."""


class MindRecordException(Exception):
    """Base class."""


class ParamTypeError(MindRecordException, TypeError):
    """An argument of another type than expected."""


class ParamValueError(MindRecordException, ValueError):
    """An argument out of its range."""


class MRMInvalidSchemaError(MindRecordException, ValueError):
    """A schema that is none."""


class MRMAddSchemaError(MindRecordException, RuntimeError):
    """A second schema."""


class MRMDefineIndexError(MindRecordException, ValueError):
    """A field that cannot be an index."""


class MRMDefineCategoryError(MindRecordException, ValueError):
    """A field that is no category."""
