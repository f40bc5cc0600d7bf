"""One MindRecord file that is being written, and its index, a SQLite database with the places of its rows."""
import json
import os
import shutil
import sqlite3
import struct

_PLACES = ("ROW_ID", "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END", "ROW_GROUP_ID", "PAGE_ID_BLOB",
           "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END")


class ShardFile:
    """One file under its temporary name."""

    def __init__(self, path, header_size, page_size):
        self.path, self.header_size, self.page_size = path, header_size, page_size
        self.temporary = "%s.%d.tmp" % (path, os.getpid())
        try:
            self.file = open(self.temporary, "wb")  # noqa: SIM115 - closed by finish or drop
        except OSError as error:
            error.filename = path
            raise
        self.pages, self.places, self.rows, self.resumed = [], [], 0, False
        self.raw, self.blob, self.first = bytearray(), bytearray(), 0
        self._page, self._group, self._numbers = 0, 0, {"RAW_DATA": 0, "BLOB_DATA": 0}

    @classmethod
    def behind(cls, shard):
        """A copy of a Shard that is there, for more rows behind its own."""
        made = cls(shard.path, int(shard.head["header_size"]), int(shard.head["page_size"]))
        made.file.close()
        shutil.copyfile(shard.path, made.temporary)
        shutil.copyfile(shard.path + ".db", made.temporary + ".db")
        made.file = open(made.temporary, "r+b")  # noqa: SIM115 - closed by finish or drop
        made.pages, made.rows, made.first, made.resumed = list(shard.head["page"]), len(shard), len(shard), True
        for page in made.pages:
            made._page = max(made._page, page["page_id"] + 1)
            made._numbers[page["page_type"]] = max(made._numbers[page["page_type"]], page["page_type_id"] + 1)
            made._group = max([made._group] + [group["id"] + 1 for group in page["row_group_ids"]])
        return made

    def add(self, raw, blob, indexed):
        raw, blob = struct.pack("<Q", len(raw)) + raw, struct.pack("<Q", len(blob)) + blob
        if max(len(raw), len(blob)) > self.page_size:
            raise RuntimeError("[FileWriter] row, got %d bytes, expected at most page_size, %d"
                               % (max(len(raw), len(blob)), self.page_size))
        if max(len(self.raw) + len(raw), len(self.blob) + len(blob)) > self.page_size:
            self.flush()
        at, page = (len(self.raw), len(self.blob)), self._page
        self.raw += raw
        self.blob += blob
        self.places.append((self.rows, page + 1, at[0], len(self.raw), self._group, page, at[1], len(self.blob)) + indexed)
        self.rows += 1

    def flush(self):
        """A page of blobs and a page of numbers: one group of rows."""
        if self.first == self.rows:
            return
        for kind, data, start, end in (("BLOB_DATA", self.blob, self.first, self.rows), ("RAW_DATA", self.raw, 0, 0)):
            page, number = self._page, self._numbers[kind]
            self.file.seek(self.header_size + page * self.page_size)
            self.file.write(data)
            self.pages.append({"end_row_id": end, "page_id": page, "page_size": len(data), "page_type": kind,
                               "page_type_id": number, "row_group_ids": [{"id": self._group, "offset": 0}],
                               "start_row_id": start})
            self._page, self._numbers[kind] = page + 1, number + 1
        self._group += 1
        self.raw, self.blob, self.first = bytearray(), bytearray(), self.rows

    def finish(self, head, index_fields):
        self.flush()
        data = json.dumps(dict(head, page=[dict(p, shard_id=head["shard_id"]) for p in self.pages])).encode()
        if len(data) + 8 > self.header_size:
            raise RuntimeError("[FileWriter] head, got %d bytes, expected at most header_size, %d"
                               % (len(data) + 8, self.header_size))
        self.file.seek(0)
        self.file.write(struct.pack("<Q", len(data)) + data)
        self.file.seek(0, 2)
        if self.file.tell() < self.header_size:
            self.file.truncate(self.header_size)
        self.file.close()
        self._index(index_fields)
        os.replace(self.temporary, self.path)
        os.replace(self.temporary + ".db", self.path + ".db")

    def _index(self, index_fields):
        if not self.resumed and os.path.exists(self.temporary + ".db"):
            os.remove(self.temporary + ".db")
        database = sqlite3.connect(self.temporary + ".db")
        try:
            if not self.resumed:
                self._tables(database, index_fields)
            marks = ", ".join("?" * (len(_PLACES) + 2 * len(index_fields)))
            database.executemany("INSERT INTO INDEXES VALUES(%s)" % marks, self.places)
            database.commit()
        finally:
            database.close()

    def _tables(self, database, index_fields):
        fields = "".join(", INC_%d INT, %s_0 %s" % (i, name, kind) for i, (name, kind) in enumerate(index_fields))
        keys = "".join(", INC_%d" % i for i in range(len(index_fields)))
        database.execute("CREATE TABLE INDEXES(%s%s, PRIMARY KEY(ROW_ID%s))"
                         % (", ".join(name + " INT NOT NULL" for name in _PLACES), fields, keys))
        database.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
        database.execute("INSERT INTO SHARD_NAME VALUES(?)", (os.path.basename(self.path),))

    def drop(self):
        self.file.close()
        for path in (self.temporary, self.temporary + ".db"):
            if os.path.exists(path):
                os.remove(path)
