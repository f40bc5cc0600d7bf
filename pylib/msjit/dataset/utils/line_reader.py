"""LineReader: reads lines of a text file by number."""
import os


class LineReader:
    """Reads lines of a text file by number, counted from 1; it remembers where each line begins."""

    def __init__(self, filename):
        if not isinstance(filename, (str, os.PathLike)):
            raise TypeError("[LineReader] filename, got %s, expected a str" % type(filename).__name__)
        if not os.path.isfile(filename):
            raise RuntimeError("[LineReader] filename, got %s, expected a file that is there" % (filename,))
        self._file, self._starts, at = open(filename, "rb"), [], 0  # noqa: SIM115 - closed by close
        for line in self._file:
            self._starts.append(at)
            at += len(line)

    def len(self):
        """Returns the number of lines."""
        return len(self._starts)

    __len__ = len

    def readline(self, line):
        """Returns a line without its end. Raises ValueError for a number that the file does not have."""
        if isinstance(line, bool) or not isinstance(line, int):
            raise TypeError("[LineReader] line, got %s, expected an int" % type(line).__name__)
        if not 1 <= line <= len(self._starts):
            raise ValueError("[LineReader] line, got %d, expected 1 to %d" % (line, len(self._starts)))
        if self._file.closed:
            self._file = open(self._file.name, "rb")  # noqa: SIM115 - closed by close
        self._file.seek(self._starts[line - 1])
        return self._file.readline().decode("utf-8").rstrip("\r\n")

    def __getitem__(self, line):
        """Returns a line as readline; the first one has the number 1."""
        return self.readline(line)

    def close(self):
        """Closes the file; the next readline opens it again."""
        self._file.close()
