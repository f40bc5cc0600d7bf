"""Model: a training and evaluation loop over a dataset."""
from types import SimpleNamespace

from ..amp import auto_mixed_precision
from ..common.checks import refuse_others
from ..common.tensor import Tensor
from ..nn.wrap import TrainOneStepCell, WithLossCell
from .callback import RunContext
from .metrics import Loss, Metric, get_metric_fn


class Model:
    """Network, loss, optimizer and metrics; train(epochs, dataset), eval(dataset), predict(x)."""

    def __init__(self, network, loss_fn=None, optimizer=None, metrics=None, eval_network=None, eval_indexes=None,
                 amp_level="O0", boost_level="O0", **kwargs):
        refuse_others("model", kwargs, ("keep_batchnorm_fp32", "loss_scale_manager"))
        if boost_level not in ("O0", "0"):
            raise NotImplementedError("[model] boost_level, got %r, expected 'O0'" % (boost_level,))
        if amp_level != "O0":
            auto_mixed_precision(network, amp_level)
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._eval_network, self._eval_indexes = eval_network, eval_indexes
        if isinstance(metrics, (set, list, tuple)):
            metrics = {name: get_metric_fn(name) for name in metrics}
        for name, metric in (metrics or {}).items():
            if not isinstance(metric, Metric):
                raise TypeError("[model] metric %r must be a Metric, got %s" % (name, type(metric).__name__))
        self._metrics = dict(metrics or {})
        self.train_network = self._build_step() if optimizer is not None else network

    def _build_step(self):
        network = self._network if self._loss_fn is None else WithLossCell(self._network, self._loss_fn)
        return TrainOneStepCell(network, self._optimizer)

    def train(self, epoch, train_dataset, callbacks=None, dataset_sink_mode=False, sink_size=-1, initial_epoch=0):
        """Runs epochs initial_epoch..epoch of steps."""
        if isinstance(epoch, bool) or not isinstance(epoch, int) or epoch <= 0:
            raise ValueError("[model] epoch must be a positive int, got %r" % (epoch,))
        callbacks = [callbacks] if hasattr(callbacks, "on_train_step_end") else list(callbacks or [])
        state = SimpleNamespace(
            cur_epoch_num=initial_epoch, cur_step_num=0, epoch_num=epoch, net_outputs=None, optimizer=self._optimizer,
            batch_num=train_dataset.get_dataset_size(), network=self._network, train_network=self.train_network)
        context = RunContext(state)

        def tell(event):
            for callback in callbacks:
                getattr(callback, event)(context)
        self.train_network.set_train(True)
        tell("on_train_begin")
        while state.cur_epoch_num < epoch and not context.get_stop_requested():
            state.cur_epoch_num += 1
            tell("on_train_epoch_begin")
            for row in train_dataset.create_tuple_iterator(num_epochs=1):
                state.cur_step_num += 1
                tell("on_train_step_begin")
                state.net_outputs = self.train_network(*row)
                tell("on_train_step_end")
                if context.get_stop_requested():
                    break
            tell("on_train_epoch_end")
        tell("on_train_end")

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode=False):
        """Metrics over a dataset, as a dict."""
        if not self._metrics:
            raise ValueError("[model] eval needs metrics")
        evaluate = self._evaluate if self._eval_network is None else self._eval_network
        (self._network if self._eval_network is None else evaluate).set_train(False)
        for metric in self._metrics.values():
            metric.clear()
        loss_at, output_at, label_at = self._eval_indexes or (0, 1, 2)
        for row in valid_dataset.create_tuple_iterator(num_epochs=1):
            results = evaluate(*row)
            for metric in self._metrics.values():
                if isinstance(metric, Loss):
                    metric.update(results[loss_at])
                else:
                    metric.update(results[output_at], results[label_at])
        return {name: metric.eval() for name, metric in self._metrics.items()}

    def _evaluate(self, *row):
        """(loss, output, label) of a row whose last column is the label; no loss where no metric asks for it."""
        output, label = self._network(*row[:-1]), row[-1]
        asked = any(isinstance(metric, Loss) for metric in self._metrics.values())
        return self._loss_fn(output, label) if asked else None, output, label

    def predict(self, *predict_data):
        """Output of the network."""
        self._network.set_train(False)
        for item in predict_data:
            if not isinstance(item, Tensor):
                raise TypeError("[model] predict takes Tensors, got %s" % type(item).__name__)
        return self._network(*predict_data)
