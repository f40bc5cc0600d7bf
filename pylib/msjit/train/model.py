"""Model: training, evaluation and prediction loops over datasets."""
import numbers
from contextlib import closing

from .. import _checkparam as Validator  # noqa: F401 - subclasses of Model take it from here
from .. import context as _context
from ..amp import build_train_network
from ..common.checks import check_bool, check_count, refuse_others
from ..common.tensor import Tensor
from ..communication.collectives import check_equal
from ..communication.management import get_group_size
from ..communication.world import WORLD_NAMES, group_of
from ..context import ParallelMode, get_auto_parallel_context, is_data_parallel  # noqa: F401
from ..nn.cell import Cell
from ..nn.data_parallel import share_parameters
from ..nn.wrap import WithEvalCell, WithLossCell
from .callback import (  # noqa: F401
    Callback,
    InternalCallbackParam,
    LambdaCallback,
    RunContext,
    TimeMonitor,
    _CallbackManager,
    _InternalCallbackParam,
)
from .dataset_helper import DatasetHelper, connect_network_with_dataset  # noqa: F401
from .metrics import Loss, get_metrics

context = _context  # subclasses of Model written for MindSpore import it from here


class _StepSync(Callback):
    """Waits at the end of each step until all is computed, as it always is here."""

    @staticmethod
    def step_end(run_context):
        """Nothing is left to wait for."""


def _transfer_tensor_to_tuple(inputs):
    """Returns a Tensor as a tuple of one, anything else unchanged."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs


class Model:
    """Bundles a network with its loss, optimizer and metrics: train(epochs, dataset), fit, eval(dataset), predict(x).

    The keywords loss_scale_manager and keep_batchnorm_fp32 are those of amp.build_train_network. Raises TypeError or ValueError for wrong
    arguments, and for metrics without a loss_fn or an eval_network.

    >>> import numpy as np
    >>> import msjit as ms
    >>> x = np.random.RandomState(0).standard_normal((64, 4)).astype(np.float32)
    >>> data = ms.dataset.NumpySlicesDataset((x, (x[:, 0] > 0).astype(np.int32)), ["x", "y"], shuffle=False).batch(16)
    >>> net = ms.nn.Dense(4, 2)
    >>> model = ms.Model(net, ms.nn.CrossEntropyLoss(), ms.nn.Adam(net.trainable_params(), 0.1), metrics={"accuracy"})
    >>> model.train(10, data, dataset_sink_mode=False)
    >>> bool(model.eval(data, dataset_sink_mode=False)["accuracy"] > 0.9)
    True
    """

    def __init__(self, network, loss_fn=None, optimizer=None, metrics=None, eval_network=None, eval_indexes=None,
                 amp_level="O0", boost_level="O0", **kwargs):
        refuse_others("model", kwargs, ("keep_batchnorm_fp32", "loss_scale_manager"))
        if boost_level not in ("O0", "0"):
            raise NotImplementedError("[model] boost_level, got %r, expected 'O0'" % (boost_level,))
        if not isinstance(network, Cell):
            raise TypeError("[model] network must be a Cell, got %s" % type(network).__name__)
        if loss_fn is not None and not callable(loss_fn):
            raise TypeError("[model] loss_fn, got %s, expected a Cell or a function" % type(loss_fn).__name__)
        if eval_indexes is not None and (not isinstance(eval_indexes, (list, tuple)) or len(eval_indexes) != 3):
            raise ValueError("[model] eval_indexes must be 3 ints, got %s" % (eval_indexes,))
        if optimizer is None and amp_level not in (None, "O0"):
            raise ValueError("[model] amp_level, got %r without an optimizer, expected 'O0'" % (amp_level,))
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._eval_network, self._eval_indexes, self._shown_eval_network = eval_network, eval_indexes, None
        self._metrics = get_metrics(metrics) or {}
        if self._metrics and eval_network is None and loss_fn is None:
            raise ValueError("[model] metrics need a loss_fn or an eval_network")
        self._loss_scale_manager, self._amp_level, self._step_options = kwargs.get("loss_scale_manager"), amp_level, kwargs
        self._train_network, self._is_shared = self._build_train_network(), False
        self._is_training = True  # the mode that this model has set last

    def _build_train_network(self):
        """The training step. A class of the program may build another one."""
        if self._optimizer is None:
            return self._network if self._loss_fn is None else WithLossCell(self._network, self._loss_fn)
        options = {k: v for k, v in self._step_options.items() if k == "loss_scale_manager" or v is not None}
        return build_train_network(self._network, self._optimizer, self._loss_fn, self._amp_level, **options)

    @property
    def train_network(self):
        """The training step that train runs: network, loss and optimizer as one Cell."""
        return self._train_network

    @property
    def predict_network(self):
        """The network itself, as predict calls it."""
        return self._network

    @property
    def eval_network(self):
        """The network whose outputs are the inputs of the metrics.

        By default it returns (loss, output, label), made from the network and loss_fn.
        """
        if self._eval_network is None and self._loss_fn is not None and self._shown_eval_network is None:
            self._shown_eval_network = WithEvalCell(self._network, self._loss_fn, self._amp_level in ("O2", "O3", "auto"))
        return self._eval_network or self._shown_eval_network or self._network

    def build(self, train_dataset=None, valid_dataset=None, sink_size=-1, epoch=1, sink_mode=True):
        """Does nothing; graphs are compiled at the first steps."""

    def train(self, epoch, train_dataset, callbacks=None, dataset_sink_mode=False, sink_size=-1, initial_epoch=0):
        """Trains for the epochs after initial_epoch up to `epoch`, one step for each row of the dataset.

        dataset_sink_mode and sink_size change nothing.
        """
        check_bool(dataset_sink_mode, "model", "dataset_sink_mode")
        self._check_epochs("train", epoch, initial_epoch, train_dataset)
        self._run(epoch, train_dataset, _callbacks(callbacks), initial_epoch, None, lambda number: False)

    def fit(self, epoch, train_dataset, valid_dataset=None, valid_frequency=1, callbacks=None, dataset_sink_mode=False,
            valid_dataset_sink_mode=False, sink_size=-1, initial_epoch=0):
        """Trains as train, and evaluates valid_dataset after every valid_frequency epochs (an int) or after the epochs of a list.

        Callbacks find the results as metrics and eval_results in the state. Arguments and errors are those of train; raises ValueError for a
        valid_dataset without metrics, TypeError for another valid_frequency.
        """
        check_bool(dataset_sink_mode, "model", "dataset_sink_mode")
        check_bool(valid_dataset_sink_mode, "model", "valid_dataset_sink_mode")
        self._check_epochs("fit", epoch, initial_epoch, train_dataset)
        if isinstance(valid_frequency, bool) or not isinstance(valid_frequency, (int, list)):
            raise TypeError("[model] valid_frequency must be an int or a list, got %s" % type(valid_frequency).__name__)
        if valid_dataset is not None and not self._metrics:
            raise ValueError("[model] fit with a valid_dataset needs metrics")

        def due(number):
            if isinstance(valid_frequency, list):
                return number in valid_frequency
            return number % valid_frequency == 0
        self._run(epoch, train_dataset, _callbacks(callbacks), initial_epoch, valid_dataset, due)

    @staticmethod
    def _check_epochs(where, epoch, initial_epoch, dataset):
        if isinstance(epoch, bool) or not isinstance(epoch, numbers.Integral):
            raise TypeError("[model] epoch, got %s, expected an int" % type(epoch).__name__)
        if epoch <= 0:
            raise ValueError("[model] epoch must be a positive int, got %r" % (epoch,))
        if check_count(initial_epoch, "model", "initial_epoch") >= epoch:
            raise ValueError("[model] epoch of %s must be above initial_epoch, got %d and %d" % (where, epoch, initial_epoch))
        if _checked_dataset(where, dataset).get_dataset_size() == 0:
            raise ValueError("[model] the dataset of %s is empty" % where)

    def _state(self, mode, callbacks, **more):
        return InternalCallbackParam(
            mode=mode, loss_fn=self._loss_fn, optimizer=self._optimizer, network=self._network,
            parallel_mode=get_auto_parallel_context("parallel_mode"), device_number=get_auto_parallel_context("device_num"),
            train_network=self._train_network, eval_network=self.eval_network, list_callback=callbacks,
            cur_step_num=0, net_outputs=None, dataset_sink_mode=False, **more)

    def _run(self, epochs, dataset, callbacks, initial_epoch, valid_dataset, due):
        state = self._state("train", callbacks, epoch_num=epochs, batch_num=dataset.get_dataset_size(),
                            cur_epoch_num=initial_epoch, train_dataset=dataset, valid_dataset=valid_dataset, train_dataset_element=None,
                            last_save_ckpt_step=None, latest_ckpt_file=None)
        context = RunContext(state)
        self._train_network.set_train(True)
        self._is_training = True
        if is_data_parallel() and get_group_size() > 1:
            check_equal("%d batches in an epoch" % state.batch_num, group_of(WORLD_NAMES[0], "Model.train"), "Model.train")
        self._share_parameters()
        rows = dataset.create_tuple_iterator(num_epochs=int(epochs - initial_epoch))  # one iterator for all epochs, so that each epoch has a different order
        with _Entered(callbacks), closing(rows):
            _tell(callbacks, "on_train_begin", context)
            for number in range(initial_epoch + 1, epochs + 1):
                if number <= state.get("resume_epoch", 0):  # BackupAndRestore resumes after resume_epoch
                    continue
                state.cur_epoch_num = number
                _tell(callbacks, "on_train_epoch_begin", context)
                self._train_epoch(rows, callbacks, context, state)
                if valid_dataset is not None and due(number):
                    self._evaluate_within(valid_dataset, callbacks, state)
                _tell(callbacks, "on_train_epoch_end", context)
                state.pop("metrics", None), state.pop("eval_results", None)
                if context.get_stop_requested():
                    break
            _tell(callbacks, "on_train_end", context)

    def _share_parameters(self):
        """Gives all processes the parameters of rank 0, once, if set_auto_parallel_context asks for it."""
        if self._is_shared or not get_auto_parallel_context("parameter_broadcast"):
            return
        if not is_data_parallel():
            raise ValueError("[model] parameter_broadcast, got True in the mode %r, expected 'data_parallel'"
                             % get_auto_parallel_context("parallel_mode"))
        share_parameters(self._train_network)
        self._is_shared = True

    def _train_epoch(self, rows, callbacks, context, state):
        for row in rows:
            if self._loss_fn is not None and len(row) != 2:
                raise ValueError("[model] columns of the dataset, got %d, expected 2 where there is a loss_fn" % len(row))
            state.cur_step_num += 1
            state.train_dataset_element = tuple(row)
            _tell(callbacks, "on_train_step_begin", context)
            self._set_mode(self._train_network, True)
            state.net_outputs = self._train_network(*row)
            if self._loss_scale_manager is not None and self._loss_scale_manager.get_drop_overflow_update():
                self._loss_scale_manager.update_loss_scale(bool(state.net_outputs[1]))
            _tell(callbacks, "on_train_step_end", context)
            if context.get_stop_requested():
                break

    def _evaluate_within(self, valid_dataset, callbacks, state):
        """Evaluates between two epochs; callbacks find the results in the state of the training.

        As in MindSpore, of the library's callbacks only TimeMonitor and LambdaCallback are called in this evaluation.
        """
        loss, own = Loss(), Callback.__module__.rpartition(".")[0] + "."
        callbacks = [c for c in callbacks if isinstance(c, (TimeMonitor, LambdaCallback)) or not type(c).__module__.startswith(own)]
        metrics = self._evaluate(valid_dataset, callbacks, loss)
        state.metrics, state.eval_results = metrics, dict(metrics)
        state.eval_results["eval_loss"] = loss.eval()

    def _set_mode(self, network, is_training):
        """Puts a network into the mode of training or of evaluation, where this model has set the other mode last. So a training goes
        on as one after an evaluation within it, and, as in MindSpore, what the program itself sets between two calls stays."""
        if self._is_training != is_training:
            network.set_train(is_training)
            self._is_training = is_training

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode=False):
        """Evaluates the metrics over a dataset, out of training mode; returns a dict from their names to values.

        Without an eval_network a row is (inputs, label). dataset_sink_mode changes nothing. Raises ValueError for a Model without metrics,
        TypeError for anything but a dataset.
        """
        if not self._metrics:
            raise ValueError("[model] eval needs metrics")
        check_bool(dataset_sink_mode, "model", "dataset_sink_mode")
        callbacks = _callbacks(callbacks)
        _checked_dataset("eval", valid_dataset)
        with _Entered(callbacks):
            return self._evaluate(valid_dataset, callbacks, None)

    def _evaluate(self, dataset, callbacks, eval_loss):
        state = self._state("eval", callbacks, batch_num=dataset.get_dataset_size(), cur_epoch_num=1, epoch_num=1,
                            valid_dataset=dataset)
        context = RunContext(state)
        self._set_mode(self.eval_network, False)
        for metric in self._metrics.values():
            metric.clear()
        _tell(callbacks, "on_eval_begin", context)
        _tell(callbacks, "on_eval_epoch_begin", context)
        for row in dataset.create_tuple_iterator(num_epochs=1):
            state.cur_step_num += 1
            state.eval_dataset_element = tuple(row)
            _tell(callbacks, "on_eval_step_begin", context)
            state.net_outputs = self._outputs(row, eval_loss is not None)
            _tell(callbacks, "on_eval_step_end", context)
            self._update_metrics(state.net_outputs, eval_loss)
            if context.get_stop_requested():
                break
        _tell(callbacks, "on_eval_epoch_end", context)
        state.metrics = {name: metric.eval() for name, metric in self._metrics.items()}
        _tell(callbacks, "on_eval_end", context)
        return state.metrics

    def _outputs(self, row, loss_asked):
        """The inputs of the metrics for one row: the outputs of the eval_network, or (loss, output, label), where the
        label is the last column.

        The loss is None if no metric needs it.
        """
        if self._eval_network is not None:
            return self._eval_network(*row)
        output, label = self._network(*row[:-1]), row[-1]
        asked = loss_asked or any(isinstance(metric, Loss) for metric in self._metrics.values())
        return self._loss_fn(output, label) if asked else None, output, label

    def _update_metrics(self, outputs, eval_loss):
        outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
        indexes = self._eval_indexes
        if indexes is None and self._eval_network is None:
            indexes = (0, 1, 2)
        if eval_loss is not None:
            eval_loss.update(outputs[0 if indexes is None else indexes[0]])
        for metric in self._metrics.values():
            if indexes is None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[indexes[0]])
            elif metric.indexes:
                metric.update(*outputs)
            else:
                metric.update(outputs[indexes[1]], outputs[indexes[2]])

    def predict(self, *predict_data, backend=None, config=None):
        """Returns the output of the network for the given Tensors, out of training mode.

        Raises TypeError for inputs that are neither Tensors nor tuples or lists, NotImplementedError for a backend.
        """
        if backend is not None:
            raise NotImplementedError("[model] backend of predict, got %r, expected None" % (backend,))
        self._set_mode(self._network, False)
        for item in predict_data:
            if not isinstance(item, (Tensor, tuple, list)):
                raise TypeError("[model] predict takes Tensors, got %s" % type(item).__name__)
        return self._network(*predict_data)

    def infer_predict_layout(self, *predict_data, skip_backend_compile=False):
        """Raises NotImplementedError: networks are not divided over processes, so there is no layout."""
        raise NotImplementedError("[model] infer_predict_layout needs a network divided over processes, which is not offered")


class _Entered:
    """Enters and exits all callbacks as one context manager."""

    def __init__(self, callbacks):
        self._callbacks = callbacks

    def __enter__(self):
        for callback in self._callbacks:
            callback.__enter__()

    def __exit__(self, *error):
        for callback in reversed(self._callbacks):
            callback.__exit__(*error)


def _checked_dataset(where, dataset):
    if not hasattr(dataset, "get_dataset_size"):
        raise TypeError("[model] dataset of %s, got %s, expected a dataset such as GeneratorDataset" % (where, type(dataset).__name__))
    return dataset


def _callbacks(callbacks):
    """Returns the callbacks as a list; raises TypeError for anything else."""
    if callbacks is not None and not isinstance(callbacks, (Callback, list, tuple)):
        raise TypeError("[model] callbacks must be Callbacks, got %s" % type(callbacks).__name__)
    found = [callbacks] if isinstance(callbacks, Callback) else list(callbacks or [])
    for callback in found:
        if not isinstance(callback, Callback):
            raise TypeError("[model] callbacks must be Callbacks, got %s" % type(callback).__name__)
    return found


def _tell(callbacks, event, context):
    for callback in callbacks:
        getattr(callback, event)(context)


__all__ = ["Model"]
