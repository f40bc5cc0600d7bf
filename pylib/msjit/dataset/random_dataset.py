"""RandomDataset: rows of random numbers, as a Schema says."""
import numpy as np

from .images import no_cache
from .samplers import choose, pipeline_seed
from .schema import as_schema, numpy_type
from .sources import Source
from .workers import wanted


class RandomDataset(Source):
    """Draws total_rows random rows with the columns of a schema, or with one to four columns of random types and shapes."""

    _where = "RandomDataset"

    def __init__(self, total_rows=None, schema=None, columns_list=None, num_samples=None, num_parallel_workers=None, cache=None,
                 shuffle=None, num_shards=None, shard_id=None):
        no_cache(cache, self._where)
        self._seed = pipeline_seed()
        draws = np.random.RandomState(self._seed % 2 ** 32)
        if schema is None:
            made = [("c%d" % i, draws.choice(["int8", "uint8", "int32", "int64", "float32", "float64"]),
                     tuple(draws.randint(1, 32, draws.randint(1, 4)))) for i in range(draws.randint(1, 5))]
        else:
            schema = as_schema(schema, self._where)
            total_rows = total_rows or schema.get_num_rows()
            made = [(column["name"], numpy_type(column), [max(size, 1) for size in column.get("shape", ())]) for column in schema.columns]
        self._total_rows = int(total_rows or draws.randint(1, 1000))
        known = {name: (np.dtype(kind or np.str_), tuple(shape)) for name, kind, shape in made}
        for name in columns_list or ():
            if name not in known:
                raise RuntimeError("[RandomDataset] columns_list, got %r, expected columns of %s" % (name, list(known)))
        self._columns = tuple(columns_list or known)
        self._kinds = [known[name] for name in self._columns]
        self._workers = wanted(num_parallel_workers, self._where)
        self._sampler = choose(None, shuffle, num_samples, num_shards, shard_id)

    def _total(self):
        return self._total_rows

    def _row(self, index):
        draws = np.random.RandomState((self._seed + index) % 2 ** 32)
        return tuple(self._value(draws, kind, shape) for kind, shape in self._kinds)

    @staticmethod
    def _value(draws, kind, shape):
        if kind.kind == "U":
            return np.full(shape, "random")
        if kind.kind == "f":
            return np.asarray(draws.standard_normal(shape), kind)
        if kind.kind == "b":
            return np.asarray(draws.randint(0, 2, shape), kind)
        return np.frombuffer(draws.bytes(int(np.prod(shape, dtype=int)) * kind.itemsize), kind).reshape(shape)
