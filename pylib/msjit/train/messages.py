"""Messages of protocol buffers as objects: what programs do with the classes that protoc makes.

A class lists its fields: {name: (number, kind, whether it is a list)}. A kind is "int", "text", "bytes" or a class of messages. Reading runs no
code, and compares every length with what is left of the data.
"""
from ..checkpoint_file import BadFile, _Bytes, _field, _text, _varint

_EMPTY = {"int": 0, "text": "", "bytes": b""}
_ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


def _checked(value, kind, name):
    wanted = {"int": int, "text": str, "bytes": (bytes, bytearray, memoryview)}.get(kind, kind)
    if not isinstance(value, wanted) or isinstance(value, bool):
        raise TypeError("[%s] value, got %s, expected %s" % (name, type(value).__name__, kind if isinstance(kind, str) else kind.__name__))
    return bytes(value) if kind == "bytes" else value


class Repeated(list):
    """The values of a field that is a list."""

    def __init__(self, kind, name):
        super().__init__()
        self._kind, self._name = kind, name

    def append(self, value):
        super().append(_checked(value, self._kind, self._name))

    def extend(self, values):
        for value in values:
            self.append(value)

    def add(self, **fields):
        """Appends a new message and returns it; only for lists of messages."""
        if isinstance(self._kind, str):
            raise AttributeError("[%s] a list of %s has no add" % (self._name, self._kind))
        super().append(self._kind(**fields))
        return self[-1]


class Message:
    """Base of the classes of messages."""

    FIELDS = {}

    def __init__(self, **fields):
        for name, value in fields.items():
            kind, listed = self._about(name)
            if listed:
                getattr(self, name).extend(value)
            elif isinstance(kind, str):
                setattr(self, name, value)
            else:
                getattr(self, name).CopyFrom(value)

    @classmethod
    def _about(cls, name):
        if name not in cls.FIELDS:
            raise ValueError("[%s] field, got %r, expected one of %s" % (cls.__name__, name, ", ".join(cls.FIELDS)))
        return cls.FIELDS[name][1:]

    def __getattr__(self, name):
        if name not in type(self).FIELDS:
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        kind, listed = self._about(name)
        if isinstance(kind, str) and not listed:
            return _EMPTY[kind]
        vars(self)[name] = Repeated(kind, name) if listed else kind()
        return vars(self)[name]

    def __setattr__(self, name, value):
        if name not in self.FIELDS:
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        kind, listed = self._about(name)
        if listed or not isinstance(kind, str):
            raise AttributeError("Assignment not allowed to field %r of %s: change what it holds" % (name, type(self).__name__))
        vars(self)[name] = _checked(value, kind, name)

    def __eq__(self, other):
        return type(self) is type(other) and self.SerializeToString() == other.SerializeToString()

    __hash__ = None

    def __repr__(self):
        return "".join("%s\n" % line for line in self._lines())

    def _lines(self):
        """The lines of the text format of protocol buffers."""
        for name, value in self._present():
            if isinstance(value, Message):
                yield name + " {"
                for line in value._lines():
                    yield "  " + line
                yield "}"
            else:
                yield "%s: %s" % (name, value if isinstance(value, int) else _quoted(value))

    def _present(self):
        """(name, value) of each field that is set, a pair for each value of a list."""
        for name, (_, kind, listed) in self.FIELDS.items():
            value = vars(self).get(name)
            if listed:
                for item in value or ():
                    yield name, item
            elif value is not None and (isinstance(kind, str) or vars(value)):
                yield name, value

    def HasField(self, name):
        """Whether a field that is no list is set."""
        if self._about(name)[1]:
            raise ValueError("[HasField] field, got the list %r, expected a field of one value" % name)
        return any(found == name for found, _ in self._present())

    def ClearField(self, name):
        """Empties a field."""
        self._about(name)
        vars(self).pop(name, None)

    def Clear(self):
        """Empties all fields."""
        vars(self).clear()

    def CopyFrom(self, other):
        """Takes a copy of everything in another message of the class."""
        _checked(other, type(self), "CopyFrom")
        self.ParseFromString(other.SerializeToString())

    def SerializeToString(self):
        """The message as bytes."""
        parts = []
        for name, value in self._present():
            number, kind, _ = self.FIELDS[name]
            if kind == "int":
                parts.append(_varint(number << 3) + _varint(value & (1 << 64) - 1))
            else:
                data = value.encode("utf-8") if kind == "text" else value if kind == "bytes" else value.SerializeToString()
                parts.append(_field(number, data))
        return b"".join(parts)

    def ByteSize(self):
        """The number of those bytes."""
        return len(self.SerializeToString())

    def ParseFromString(self, data):
        """Replaces the contents by those of `data` and returns how many bytes it has. Raises ValueError if it is no such message."""
        self.Clear()
        return self.MergeFromString(data)

    def MergeFromString(self, data):
        """As ParseFromString, but lists grow and fields that `data` lacks stay."""
        names = {number: name for name, (number, _, _) in self.FIELDS.items()}
        for number, value in _Bytes(memoryview(data)).fields():
            if number in names and value is not None:
                self._take(names[number], value)
        return len(data)

    def _take(self, name, value):
        kind, listed = self._about(name)
        if kind == "int" and listed and isinstance(value, memoryview):  # packed, several numbers in one block
            packed = _Bytes(value)
            while packed.at < len(value):
                getattr(self, name).append(_signed(packed.varint()))
            return
        if (kind == "int") != isinstance(value, int):
            raise BadFile("field %r of a %s has another kind" % (name, type(self).__name__))
        if isinstance(kind, str):
            value = _signed(value) if kind == "int" else _text(value, name) if kind == "text" else bytes(value)
            getattr(self, name).append(value) if listed else setattr(self, name, value)
        else:
            (getattr(self, name).add() if listed else getattr(self, name)).MergeFromString(value)


def _quoted(value):
    if isinstance(value, str):
        return '"%s"' % "".join(_ESCAPES.get(ord(letter), letter) for letter in value)
    return '"%s"' % "".join(_ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else "\\%03o" % byte) for byte in value)


def _signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def message(module, name, **fields):
    """Makes a class of messages."""
    return type(name, (Message,), {"__module__": module, "__doc__": "A message: %s." % ", ".join(fields), "FIELDS": fields})
