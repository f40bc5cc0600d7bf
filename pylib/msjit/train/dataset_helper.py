"""DatasetHelper and data_sink, which give the rows of a dataset to programs that write their own training loop."""
from ..common.checks import check_bool
from ..nn.cell import Cell


class DatasetHelper:
    """Iterates over a dataset: each iteration over the helper gives the rows of one epoch, for epoch_num epochs (-1:
    without end).

    dataset_sink_mode and sink_size change nothing, because there is no device queue for data.
    """

    def __init__(self, dataset, dataset_sink_mode=True, sink_size=-1, epoch_num=1):
        from ..dataset import Dataset
        if not isinstance(dataset, Dataset):
            raise TypeError("[DatasetHelper] dataset, got %s, expected a dataset" % type(dataset).__name__)
        check_bool(dataset_sink_mode, "DatasetHelper", "dataset_sink_mode")
        if isinstance(sink_size, bool) or not isinstance(sink_size, int) or sink_size < -1 or sink_size == 0:
            raise ValueError("[DatasetHelper] sink_size, got %r, expected -1 or an int above 0" % (sink_size,))
        self._dataset, self._size = dataset, sink_size
        self.iter = dataset.create_tuple_iterator(num_epochs=epoch_num)

    def __iter__(self):
        return self.iter

    def sink_size(self):
        """Returns the number of rows of an epoch, or the sink_size that was given."""
        return self._dataset.get_dataset_size() if self._size == -1 else self._size

    def types_shapes(self):
        """Returns (types, shapes): the dtypes and the shapes of the columns, as output_types() and output_shapes() of the dataset give them."""
        return self._dataset.output_types(), self._dataset.output_shapes()

    def stop_send(self):
        """Stops the reading of the dataset and releases its threads."""
        self.iter.release()

    def continue_send(self):
        """Does nothing; there is no queue."""

    release = stop_send


def connect_network_with_dataset(network, dataset_helper):
    """Returns the network itself, to be called with the rows that the helper gives; there is no queue to connect it with.

    Raises TypeError for a network that is no Cell and a helper that is no DatasetHelper.
    """
    if not isinstance(network, Cell):
        raise TypeError("[connect_network_with_dataset] network, got %s, expected a Cell" % type(network).__name__)
    if not isinstance(dataset_helper, DatasetHelper):
        raise TypeError("[connect_network_with_dataset] dataset_helper, got %s, expected a DatasetHelper"
                        % type(dataset_helper).__name__)
    return network


def data_sink(fn, dataset, sink_size=1, jit_config=None, input_signature=None):
    """Returns a function that calls fn with each of the next sink_size rows of the dataset, and returns the last result.

    With a jit_config fn is compiled. After the last row it starts again with the first one. Raises ValueError for a wrong sink_size.
    """
    if isinstance(sink_size, bool) or not isinstance(sink_size, int) or sink_size <= 0:
        raise ValueError("[data_sink] sink_size, got %r, expected an int above 0" % (sink_size,))
    if jit_config is not None:
        from ..jit import jit
        fn = jit(fn, jit_config=jit_config)
    rows = dataset.create_tuple_iterator(num_epochs=-1)

    def sunk():
        result = None
        for _ in range(sink_size):
            row = next(rows, None)
            if row is None:  # the end of an epoch
                row = next(rows)
            result = fn(*row)
        return result
    return sunk
