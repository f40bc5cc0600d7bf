"""Optimizers that look at the norms of whole tensors: Lamb, LARS, AdaFactor."""
from .. import ops
from ..common.checks import check_bool
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from .assigned import check_float, count, wide, write
from .optimizer import Optimizer


def _norm(x):
    return ops.sqrt(ops.sum(ops.square(x)))


class Lamb(Optimizer):
    """LAMB (You et al. 2019): Adam's move, scaled to the norm of the parameter, for large batches.

    move = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay * p, with the moments m and v of Adam;
    p -= rate * |p| / |move| * move, with 2-norms of whole tensors; the quotient counts as 1 where one of the norms is 0. params and
    learning_rate are explained at Optimizer. Raises TypeError and ValueError for numbers that are none or out of range.
    """

    _decoupled = True

    def __init__(self, params, learning_rate, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self.beta1 = check_float(beta1, "lamb", "beta1", 0, 1, True)
        self.beta2 = check_float(beta2, "lamb", "beta2", 0, 1, True)
        self.eps = check_float(eps, "lamb", "eps", 0, None, True)
        self.moments1, self.moments2 = self._state("lamb_m"), self._state("lamb_v")

    def _update(self, index, param, gradient, rate, decay):
        g, p, step = wide(gradient), wide(param), self.step_count + 1
        m = wide(self.moments1[index]) * self.beta1 + g * (1 - self.beta1)
        v = wide(self.moments2[index]) * self.beta2 + g * g * (1 - self.beta2)
        unbiased = ops.sqrt(v / (1.0 - self.beta2 ** step))
        move = m / (1.0 - self.beta1 ** step) / (unbiased + self.eps) + decay * p
        weight, length = _norm(p), _norm(move)
        trust = ops.where(ops.logical_and(weight > 0, length > 0), weight / length, ops.ones_like(weight))
        write(param, p - rate * trust * move)
        write(self.moments1[index], m), write(self.moments2[index], v)


class LARS(Optimizer):
    """LARS (You et al. 2017): scales the gradients of another optimizer to the norms of their parameters, for large batches.

    The inner optimizer gets coefficient * |p| / (|g| + weight_decay * |p| + epsilon) * (g + weight_decay * p), with 2-norms of whole tensors,
    and does no weight decay itself. Parameters for which lars_filter is False keep their gradient. use_clip divides the factor by the rate
    and bounds it by 1. Raises TypeError for an optimizer that is none.
    """

    def __init__(self, optimizer, epsilon=1e-05, coefficient=0.001, use_clip=False,
                 lars_filter=lambda x: "LayerNorm" not in x.name and "bias" not in x.name):
        if not isinstance(optimizer, Optimizer):
            raise TypeError("[lars] optimizer must be an Optimizer, got %s" % type(optimizer).__name__)
        super().__init__(0.0, [Parameter(Tensor(0.0), name="fake_param")])
        self.epsilon = check_float(epsilon, "lars", "epsilon")
        self.coefficient = check_float(coefficient, "lars", "coefficient")
        self.use_clip = check_bool(use_clip, "lars", "use_clip")
        self.opt, self._groups, self._group_index = optimizer, optimizer._groups, optimizer._group_index
        object.__setattr__(self, "parameters", optimizer.parameters)
        self._grouped, self.param_length = optimizer._grouped, optimizer.param_length
        self._decays, self.loss_scale = list(optimizer._decays), optimizer.loss_scale
        optimizer._decays = [False] * len(self._decays)
        optimizer.loss_scale = 1.0
        self.lars_flag = tuple(bool(lars_filter(x)) for x in self.parameters)

    def _ms_own_parameters(self):
        """The step count of the inner optimizer, and the parameters. The inner optimizer lists its state itself."""
        yield "global_step", self.opt._show_step()
        yield from zip(self.opt._first_names, self.parameters)

    def construct(self, gradients):
        """Applies one update of the inner optimizer."""
        step, made = self.opt.step_count, []
        for index, (param, gradient) in enumerate(zip(self.parameters, gradients)):
            self._check_gradient(param, gradient)
            if self.loss_scale != 1.0:
                gradient = gradient / self.loss_scale
            if self.lars_flag[index]:
                gradient = self._scaled(index, param, gradient, step)
            made.append(gradient)
        object.__setattr__(self, "step_count", step + 1)
        return self.opt(tuple(made))

    def _scaled(self, index, param, gradient, step):
        p, decay = wide(param), self._decay_at(index, step)
        weight, slope = _norm(p), _norm(gradient)
        trust = self.coefficient * weight / (slope + decay * weight + self.epsilon)
        trust = ops.where(ops.logical_and(weight > 0, slope > 0), trust, ops.ones_like(trust))
        if self.use_clip:
            trust = ops.minimum(trust / self.opt._rate_of(index, step), 1)
        return ops.cast(trust * (gradient + decay * p), gradient.dtype)


class AdaFactor(Optimizer):
    """Adafactor (Shazeer and Stern 2018): Adam whose second moment is the product of a row and a column, which saves memory.

    Row means and column means of g^2 + eps[0] over the last two axes are kept with the share 1 - t^-decay_rate. The move is g over the root
    of their product, divided by max(its root mean square / clip_threshold, 1). With relative_step the rate is min(0.01, 1 / sqrt(t)), and
    with warmup_init min(1e-6 * t, 1 / sqrt(t)); scale_parameter multiplies it by max(root mean square of p, eps[1]). beta1 > 0 averages the moves.

    Raises ValueError unless exactly one of learning_rate and relative_step is given, NotImplementedError for `compression`.
    """

    _decoupled = True

    def __init__(self, params, learning_rate=None, eps=(1e-30, 1e-3), clip_threshold=1.0, decay_rate=0.8, beta1=0.9,
                 weight_decay=0.0, scale_parameter=True, relative_step=True, warmup_init=False, compression=False,
                 loss_scale=1.0):
        if (learning_rate is None) is not bool(relative_step):
            raise ValueError("[adafactor] learning_rate and relative_step, got %s and %s, expected one of them"
                             % (learning_rate, relative_step))
        if warmup_init and not relative_step:
            raise ValueError("[adafactor] warmup_init needs relative_step")
        super().__init__(0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale)
        if not isinstance(eps, (tuple, list)):
            raise TypeError("[adafactor] eps must be a tuple, got %s" % type(eps).__name__)
        if len(eps) != 2:
            raise ValueError("[adafactor] eps must be 2 floats, got %d" % len(eps))
        self.eps = tuple(check_float(e, "adafactor", "eps", 0) for e in eps)
        self.clip_threshold = check_float(clip_threshold, "adafactor", "clip_threshold", 0)
        self.decay_rate = check_float(decay_rate, "adafactor", "decay_rate", 0, 1, True)
        self.beta1 = check_float(float(beta1 or 0.0), "adafactor", "beta1", 0)
        for name, value in (("scale_parameter", scale_parameter), ("relative_step", relative_step),
                            ("compression", compression)):
            check_bool(value, "adafactor", name)
        if compression:
            raise NotImplementedError("[adafactor] compression, got True, expected False: state in float16 is not offered")
        self.scale_parameter = scale_parameter and (relative_step or isinstance(learning_rate, (int, float)))
        self.relative_step, self.warmup_init = relative_step, warmup_init
        self._decays = [True] * len(self.parameters)
        self.exp_avg = self._state("exp_avg") if self.beta1 > 0 else None
        self._make_squares()

    def _make_squares(self):
        rows, columns, whole = [], [], []
        for param in self._kept:
            split, shape = param.ndim > 1, tuple(param.shape)
            for params, name, size in ((rows, "row_", shape[:-1] if split else (1,)),
                                       (columns, "col_", shape[:-2] + shape[-1:] if split else (1,)),
                                       (whole, "", (1,) if split else shape)):
                params.append(Parameter(ops.zeros(size, param.dtype), name="exp_avg_sq_%s%s" % (name, param.name),
                                        requires_grad=False))
        self.exp_avg_sq_row, self.exp_avg_sq_col, self.exp_avg_sq = [
            self._made(made, lambda p, prefix=prefix: "exp_avg_sq_%s%s" % (prefix, p.name))
            for made, prefix in ((rows, "row_"), (columns, "col_"), (whole, ""))]

    def _shown_last(self):
        return [("afactor_step", [self.step_count])]

    def _step_rate(self, rate, step):
        if not self.relative_step:
            return rate
        number = count(step)
        return ops.minimum(1e-6 * number if self.warmup_init else 1e-2, ops.rsqrt(number))

    def _update(self, index, param, gradient, rate, decay):
        g, p = wide(gradient), wide(param)
        kept = 1.0 - ops.pow(count(self.step_count), -self.decay_rate)
        if self.scale_parameter:
            rate = rate * ops.maximum(ops.sqrt(ops.mean(ops.square(p))), self.eps[1])
        move = self._normalised(index, g, g * g + self.eps[0], kept)
        rms = ops.sqrt(ops.mean(ops.square(move)))
        move = move / ops.maximum(rms / self.clip_threshold, 1) * rate
        if self.exp_avg is not None:
            move = wide(self.exp_avg[index]) * self.beta1 + move * (1 - self.beta1)
            write(self.exp_avg[index], move)
        write(param, p - decay * rate * p - move if decay else p - move)

    def _normalised(self, index, g, square, kept):
        if g.ndim < 2:
            whole = wide(self.exp_avg_sq[index]) * kept + square * (1 - kept)
            write(self.exp_avg_sq[index], whole)
            return g / ops.sqrt(whole)
        row = wide(self.exp_avg_sq_row[index]) * kept + ops.mean(square, -1) * (1 - kept)
        column = wide(self.exp_avg_sq_col[index]) * kept + ops.mean(square, -2) * (1 - kept)
        write(self.exp_avg_sq_row[index], row), write(self.exp_avg_sq_col[index], column)
        row = ops.expand_dims(row / ops.mean(row, -1, True), -1)
        return g / ops.sqrt(row) / ops.sqrt(ops.expand_dims(column, -2))
