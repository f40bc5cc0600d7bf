"""MindPage: the rows of a MindRecord file that have the same value in a field, page by page."""
import json

from .common.exceptions import MRMDefineCategoryError, ParamValueError
from .records import open_shards


class MindPage:
    """Reads rows by the value of an index field, `category_field`.

    >>> import os, tempfile
    >>> from msjit.mindrecord import FileWriter, MindPage
    >>> path = os.path.join(tempfile.mkdtemp(), "rows.mindrecord")
    >>> writer = FileWriter(path)
    >>> _ = writer.add_schema({"x": {"type": "int32"}, "kind": {"type": "string"}}), writer.add_index(["kind"])
    >>> _ = writer.write_raw_data([{"x": i, "kind": "ab"[i % 2]} for i in range(5)]), writer.commit()
    >>> page = MindPage(path)
    >>> page.category_field = "kind"
    >>> [row["x"] for row in page.read_at_page_by_name("a", 0, 2)], [row["x"] for row in page.read_at_page_by_id(0, 1, 2)]
    ([0, 2], [4])
    """

    def __init__(self, file_name, num_consumer=4):
        if isinstance(num_consumer, bool) or not isinstance(num_consumer, int) or num_consumer < 1:
            raise ParamValueError("[MindPage] num_consumer, got %r, expected 1 or more" % (num_consumer,))
        self._shards = open_shards(file_name, "MindPage")
        self._field, self._groups = None, None

    @property
    def candidate_fields(self):
        """The fields that may be the category_field: those of the index."""
        return [field["index_field"] for field in self._shards[0].head["index_fields"] or ()]

    @property
    def category_field(self):
        """The field by which rows are read, or None."""
        return self._field

    @category_field.setter
    def category_field(self, category_field):
        """MRMDefineCategoryError for a field that is no candidate."""
        if category_field not in self.candidate_fields:
            raise MRMDefineCategoryError("[MindPage] category_field, got %r, expected one of %s" % (category_field, self.candidate_fields))
        self._field, groups = category_field, {}
        for shard in self._shards:
            for i in range(len(shard)):
                groups.setdefault(shard.row(i, [category_field])[category_field], []).append((shard, i))
        self._groups = sorted(groups.items())

    def _chosen(self):
        if self._field is None:
            raise RuntimeError("[MindPage] category_field, got none, expected it to be set before")
        return self._groups

    def read_category_info(self):
        """The values of the category_field, with a number and how many rows each has, as JSON."""
        found = [{"count": len(rows), "id": i, "name": str(value)} for i, (value, rows) in enumerate(self._chosen())]
        return json.dumps({"categories": found, "key": self._field + "_0"}, separators=(",", ":"))

    def read_at_page_by_id(self, category_id, page, num_row):
        """The rows of page `page`, of num_row each, of a value by its number: a list of dicts. RuntimeError where there are none."""
        self._check("category_id", category_id, 0)
        groups = self._chosen()
        if category_id >= len(groups):
            raise RuntimeError("[MindPage] category_id, got %d, expected at most %d" % (category_id, len(groups) - 1))
        return self._page(groups[category_id][1], page, num_row)

    def read_at_page_by_name(self, category_name, page, num_row):
        """As read_at_page_by_id, of a value as text."""
        if not isinstance(category_name, str):
            raise ParamValueError("[MindPage] category_name, got %s, expected a str" % type(category_name).__name__)
        for value, rows in self._chosen():
            if str(value) == category_name:
                return self._page(rows, page, num_row)
        raise RuntimeError("[MindPage] category_name, got %r, expected a value of %r" % (category_name, self._field))

    @staticmethod
    def _check(name, value, low):
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise ParamValueError("[MindPage] %s, got %r, expected an int of %d or more" % (name, value, low))

    def _page(self, rows, page, num_row):
        self._check("page", page, 0)
        self._check("num_row", num_row, 1)
        found = rows[page * num_row:(page + 1) * num_row]
        if not found:
            raise RuntimeError("[MindPage] page, got %d, expected at most %d" % (page, (len(rows) - 1) // num_row))
        return [shard.row(i) for shard, i in found]
