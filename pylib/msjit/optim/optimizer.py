"""Base of the optimizers: Parameter groups, learning rates, weight decay, step count.

Calling an optimizer with gradients (one for each of `parameters`, in order) updates the Parameters in place. One Parameter is updated
by one fused in-place operator, or by a few assignments that graphs fuse.
"""
import functools

from .. import ops
from .._native import _msjit
from ..common import dtype as mstype
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from ..nn.cell import Cell
from .own_optimizers import OwnOptimizers, is_own, own_step, settable, value_at
from .sharded import Shared
from .shown import ShownState, name_parameters


def opt_init_args_register(fn):
    """Decorator of an optimizer's __init__: stores its arguments as init_args, init_params and init_learning_rate."""
    @functools.wraps(fn)
    def init(self, *args, **kwargs):
        import inspect  # here, as `import msjit` does without it
        bound = inspect.signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        given.pop("self")
        if "params" in given:
            object.__setattr__(self, "init_params", {"params": given.pop("params")})
        if "optimizer" in given:
            object.__setattr__(self, "init_params", {"params": given.pop("optimizer").init_params["params"]})
        if "learning_rate" in given:
            rate = given.pop("learning_rate")
            rate = rate.asnumpy().tolist() if isinstance(rate, Tensor) else rate
            object.__setattr__(self, "init_learning_rate", None if isinstance(rate, Cell) else rate)
        object.__setattr__(self, "init_args", given)
        fn(self, *args, **kwargs)
    return init


class _Group:
    """Parameters that share a learning rate, a weight decay, and the setting whether their gradients are centred. place: the number of the
    group, if it has its own learning rate."""

    def __init__(self, params, rate, decay, centred=False, place=None):
        self.params, self.rate, self.decay, self.centred, self.place = params, rate, decay, centred, place


class Optimizer(ShownState, Shared, Cell, OwnOptimizers):
    """Base class of the optimizers of nn. Subclasses define _update(place, parameter, gradient, learning rate, weight decay), or construct.
    `place` is that of the parameter's state.

    `parameters` is a list of Parameters, or of groups: dicts with "params" and perhaps "lr", "weight_decay" and "grad_centralization".
    One more dict, {"order_params": [...]}, may say in which order the gradients come. learning_rate is a number, a list with one number
    for each step (the last one stays), a Tensor of these, or a LearningRateSchedule. weight_decay is a number or a schedule. Without
    groups, Parameters with "beta" or "gamma" in their name have no weight decay. Gradients are divided by loss_scale first.

    An optimizer is called with a tuple of gradients, one for each of its `parameters` and of the same shape. It changes the Parameters in
    place. 16-bit Parameters are updated in float32 and rounded.

    Raises TypeError for arguments of a wrong type, ValueError for negative rates and decays, no Parameters, a Parameter given twice, and
    for gradients that do not fit.
    """

    _decoupled = False  # whether weight decay is separate from the gradient
    _centres = True  # whether the option grad_centralization of a group has an effect
    _redefines = False  # whether a class defines anew one of the methods that prepare an update

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls._redefines = any(getattr(cls, name) is not getattr(Optimizer, name) for name in
                             ("get_lr", "get_weight_decay", "decay_weight", "gradients_centralization", "scale_grad"))

    def __init__(self, learning_rate, parameters, weight_decay=0.0, loss_scale=1.0):
        super().__init__(auto_prefix=False)
        where = self._where = type(self).__name__.lower()
        weight_decay = _decay(weight_decay, where)
        if isinstance(loss_scale, bool) or not isinstance(loss_scale, (int, float)):
            raise TypeError("[%s] loss_scale must be a float, got %s" % (where, type(loss_scale).__name__))
        if loss_scale <= 0:
            raise ValueError("[%s] loss_scale must be positive, got %s" % (where, loss_scale))
        self.loss_scale = float(loss_scale)
        given = list(parameters) if isinstance(parameters, (list, tuple)) else []
        self._groups, parameters = _groups(parameters, _rate(learning_rate, where), weight_decay, where)
        self.param_length = len(parameters)
        self._grouped = self._groups[0].params is not parameters
        object.__setattr__(self, "parameters", name_parameters(parameters))
        object.__setattr__(self, "_parameters", self.parameters)
        self._first_names = tuple([p.name for p in self.parameters])  # the names of state are made of these
        self._divide(self.parameters)
        self.step_count = 0
        _msjit.count_in(type(self), "step_count")
        group_of = {id(p): i for i, g in enumerate(self._groups) for p in g.params}
        self._group_index = [group_of[id(p)] for p in parameters]
        # Without groups, Parameters of normalisation layers have no weight decay.
        self._decays = [self._grouped or not ("beta" in p.name or "gamma" in p.name) for p in parameters]
        object.__setattr__(self, "_own_step", own_step() if is_own(type(self)) else None)
        self._give_operators(given)
        self._forget_rates()

    @property
    def _group_of(self):
        return [self._groups[i] for i in self._group_index]

    @property
    def global_step(self):
        """The number of updates so far, as a Parameter. If the program defines construct, that has to count."""
        return self._show_step()

    @global_step.setter
    def global_step(self, value):
        if self._own_step is None:
            object.__setattr__(self, "step_count", int(value.asnumpy().reshape(-1)[0]))
        else:
            self._own_step.set_data(value)

    @property
    def learning_rate(self):
        """The learning rate: a Parameter, through which it can be changed, or a schedule that is called with the step number.
        When a group has a learning rate of its own, a ParameterTuple or a CellList of these, one for each of the parameters."""
        return self._show_learning_rate()

    @learning_rate.setter
    def learning_rate(self, value):
        rate = _rate(value, self._where)
        for group in self._groups:
            group.rate = rate
        self._forget_rates()

    @property
    def target(self):
        """Where the update runs: "CPU"."""
        return "CPU"

    @target.setter
    def target(self, value):
        raise NotImplementedError("[%s] target, got %r, expected a subclass that has places to choose from" % (self._where, value))

    @settable
    def is_group(self):
        """Whether the parameters were given in groups."""
        return self._grouped

    @settable
    def dynamic_lr(self):
        """Whether any learning rate changes with the step."""
        return any(not isinstance(g.rate, (float, Tensor)) for g in self._groups)

    @settable
    def weight_decay(self):
        """The weight decay as a Tensor; with groups, a tuple with one for each of the parameters."""
        decays = tuple(g.decay if isinstance(g.decay, Cell) else Tensor(g.decay * self.loss_scale, mstype.float32)
                       for g in self._group_of)
        return decays if self._grouped else decays[0]

    def get_lr(self):
        """Returns the learning rate of the next step as a Tensor. If a group has its own rate, a tuple with one for each parameter."""
        groups = self._group_of if self.is_group_lr else self._groups[:1]
        rates = tuple([self._next(group.rate) for group in groups])
        return rates if self.is_group_lr else rates[0]

    def _next(self, rate):
        """A rate or decay of the next step."""
        return _as_tensor(_rate_at(rate, self.step_count)) if self._own_step is None else value_at(rate, self._own_step)

    def get_weight_decay(self):
        """The weight decay of the next step times the loss scale, as a Tensor; with groups, a tuple with one for each
        parameter."""
        decays = tuple([self._next(g.decay) * self.loss_scale for g in self._group_of])
        return decays if self._grouped else decays[0]

    def decay_weight(self, gradients):
        """Adds the weight decay times the parameters, times the loss scale, to the gradients. scale_grad divides by that scale
        later."""
        step, made = self.step_count, []
        for index, (param, gradient) in enumerate(zip(self.parameters, gradients)):
            decay = self._decay_at(index, step) * self.loss_scale
            made.append(gradient + decay * param.detach() if _is_set(decay) else gradient)
        return tuple(made)

    def gradients_centralization(self, gradients):
        """Returns the gradients, a tuple, less their means for groups with grad_centralization (Yong et al. 2020).

        The mean is over all axes but the first. As in MindSpore, it is taken off only where axis 1 has a multiple of 16 elements.
        """
        return tuple([_centre(g) if self._groups[self._group_index[i]].centred else g for i, g in enumerate(gradients)])

    def scale_grad(self, gradients):
        """Returns the gradients, a tuple, divided by loss_scale, the factor by which the program multiplied the loss."""
        return gradients if self.loss_scale == 1.0 else tuple([g / self.loss_scale for g in gradients])

    def get_lr_parameter(self, param):
        """The learning rate of a Parameter: a Parameter with the number, or with one number a step, or the schedule; of a list a list.

        Raises TypeError for anything else, ValueError for a Parameter that is not optimised here.
        """
        if isinstance(param, list):
            return [self.get_lr_parameter(item) for item in param]
        if not isinstance(param, Parameter):
            raise TypeError("[%s] param, got %s, expected a Parameter or a list of them" % (self._where, type(param).__name__))
        for group, own in zip(self._group_of, self.parameters):
            if own is param:
                if isinstance(group.rate, float):
                    group.rate = self._shown_rate(group)
                return self._shown_rate(group) if isinstance(group.rate, tuple) else group.rate
        raise ValueError("[%s] param, got %r, expected a Parameter that is optimised here" % (self._where, param.name))

    def construct(self, gradients):
        """Applies one update; returns True for each Parameter, as MindSpore does."""
        if isinstance(gradients, Tensor):
            gradients = (gradients,)
        if not isinstance(gradients, (tuple, list)):
            raise TypeError("[%s] gradients, got %s, expected a tuple of Tensors" % (self._where, type(gradients).__name__))
        if len(gradients) != len(self.parameters):
            raise ValueError("[%s] gradients, got %d, expected one for each of the %d parameters"
                             % (self._where, len(gradients), len(self.parameters)))
        step = self.step_count
        if self._redefines:
            self._update_as_redefined(gradients, step)
        else:
            self._update_all(gradients, step)
        object.__setattr__(self, "step_count", step + 1)
        if self._own_step is not None:
            ops.assign_add(self._own_step, self.global_step_increase_tensor)
        if self._divided:
            self._share.gather(gradients)
        return (True,) * len(gradients)

    def _update_all(self, gradients, step):
        rates = [self._step_rate(_rate_at(g.rate, step), step) for g in self._groups]
        places = self._places
        for index, (param, gradient) in enumerate(zip(self.parameters, gradients)):
            self._check_gradient(param, gradient)
            place = places[index]
            if place is None:  # another process has the state
                continue
            if self.loss_scale != 1.0:
                gradient = gradient / self.loss_scale
            group, decay = self._group_index[index], self._decay_at(index, step)
            if self._groups[group].centred and self._centres:
                if not self._decoupled and _is_set(decay):
                    gradient, decay = gradient + decay * param.detach(), 0.0
                gradient = _centre(gradient)
            self._update(place, param, gradient, rates[group], decay)

    def _update_as_redefined(self, gradients, step):
        """The updates of a class that defines get_lr, decay_weight or the like anew: by these methods, in MindSpore's order."""
        count = len(gradients)
        for param, gradient in zip(self.parameters, gradients):
            self._check_gradient(param, gradient)
        if self._decoupled:
            decays = [decay if wanted else 0.0 for decay, wanted in zip(_for_each(self.get_weight_decay(), count), self._decays)]
        else:
            gradients, decays = self.scale_grad(self.gradients_centralization(self.decay_weight(tuple(gradients)))), (0.0,) * count
        rates = [self._step_rate(_as_tensor(rate).reshape(()), step) for rate in _for_each(self.get_lr(), count)]
        for place, param, gradient, rate, decay in zip(self._places, self.parameters, gradients, rates, decays):
            if place is not None:  # otherwise another process has the state
                self._update(place, param, gradient, rate, decay)

    def _check_gradient(self, param, gradient):
        if not isinstance(gradient, Tensor):
            raise TypeError("[%s] gradient of %s, got %s, expected a Tensor"
                            % (self._where, param.name, type(gradient).__name__))
        if gradient.shape != param.shape:
            raise ValueError("[%s] gradient of %s has a wrong shape, got %s, expected %s"
                             % (self._where, param.name, tuple(gradient.shape), tuple(param.shape)))

    def _rate_of(self, index, step):
        """The learning rate of one parameter."""
        return _rate_at(self._groups[self._group_index[index]].rate, step)

    def _decay_at(self, index, step):
        """The weight decay of one parameter: a float."""
        if not self._decays[index]:
            return 0.0
        decay = self._groups[self._group_index[index]].decay
        return decay if isinstance(decay, float) else float(_rate_at(decay, step))

    def _step_rate(self, rate, step):
        """The factor on the moves of this step."""
        return rate

    def _update(self, index, param, gradient, rate, decay):
        raise NotImplementedError("[%s] _update is not defined" % self._where)

    def _state(self, prefix, init="zeros"):
        """One Parameter of state for each of `parameters` whose state this process keeps."""
        return self._clones(prefix, init)


def _groups(parameters, rate, decay, where):
    if parameters is None:
        raise ValueError("[%s] parameters, got None, expected Parameters" % where)
    items = list(parameters.get_parameters()) if isinstance(parameters, Cell) else list(parameters)
    if not items:
        raise ValueError("[%s] there are no parameters to optimise" % where)
    if all(isinstance(item, Parameter) for item in items):
        _check_unique(items, where)
        return [_Group(items, rate, decay)], items
    groups, order, everything = [], None, []
    for item in items:
        if not isinstance(item, dict):
            raise TypeError("[%s] parameters must be Parameters or dicts, got %s" % (where, type(item).__name__))
        if "order_params" in item:
            if len(item) > 1:
                raise ValueError("[%s] order_params must be alone in its group, got %s" % (where, sorted(item)))
            order = list(item["order_params"])
            continue
        unknown = set(item) - {"params", "lr", "weight_decay", "grad_centralization"}
        centred = item.get("grad_centralization", False)
        if not isinstance(centred, bool):
            raise TypeError("[%s] grad_centralization must be a bool, got %s" % (where, type(centred).__name__))
        if unknown or "params" not in item:
            raise KeyError("[%s] a parameter group has params, lr and weight_decay, got %s" % (where, sorted(item)))
        params = list(item["params"])
        if not params:
            raise ValueError("[%s] params of a group must not be empty" % where)
        groups.append(_Group(params, _rate(item["lr"], where) if "lr" in item else rate,
                             _decay(item["weight_decay"], where) if "weight_decay" in item else decay, centred,
                             len(groups) if "lr" in item else None))
        everything += params
    _check_unique(everything, where, RuntimeError)  # The class that MindSpore has for learning rates in groups
    if order is not None and {id(p) for p in order} != {id(p) for p in everything}:
        raise ValueError("[%s] order_params must hold the parameters of the groups" % where)
    lengths = sorted({len(r) for r in [rate] + [group.rate for group in groups] if isinstance(r, tuple)})
    if len(lengths) > 1:
        raise ValueError("[%s] learning_rate and lr of the groups, got lists of %s numbers, expected one length" % (where, lengths))
    return groups, order or everything


def _check_unique(params, where, error=ValueError):
    seen = set()
    for param in params:
        if not isinstance(param, Parameter):
            raise TypeError("[%s] parameters must be Parameters, got %s" % (where, type(param).__name__))
        if id(param) in seen:
            raise error("[%s] parameter %s is given twice" % (where, param.name))
        seen.add(id(param))


def _decay(value, where):
    if isinstance(value, Cell):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("[%s] weight_decay must be a float, got %s" % (where, type(value).__name__))
    if value < 0:
        raise ValueError("[%s] weight_decay must not be negative, got %s" % (where, value))
    return float(value)


def _rate(value, where):
    """A learning rate argument as a float, a tuple with a float for each step, or a function of the step."""
    if isinstance(value, Tensor):
        if value.ndim > 1:
            raise ValueError("[%s] rank of learning_rate, got %d, expected 0 or 1" % (where, value.ndim))
        value = value.asnumpy().tolist()
    if isinstance(value, (bool, int, float)):
        if not value >= 0:
            raise ValueError("[%s] learning_rate must not be negative, got %s" % (where, value))
        return float(value)
    if callable(value):
        return value
    try:
        rates = tuple(float(v) for v in value)
    except (TypeError, ValueError) as error:
        raise type(error)("[%s] learning_rate must be a float, a list or a schedule, got %r" % (where, value)) from None
    if not rates:
        raise ValueError("[%s] learning_rate must not be an empty list" % where)
    return rates


def _rate_at(rate, step):
    """The rate at a step: a float, or a Tensor without axes if a schedule of the program computes it."""
    if isinstance(rate, (float, Tensor)):
        return rate
    if isinstance(rate, tuple):
        return rate[min(step, len(rate) - 1)]
    if isinstance(rate, Cell) and getattr(rate, "rate_at", None) is None:  # a schedule of the program's own
        return rate(ops.registry.zeros((1,), dtype=mstype.int32) + step).reshape(())  # a sum: graphs keep the step open
    return float(rate.rate_at(step) if isinstance(rate, Cell) else rate(step))


def _as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value, mstype.float32)


def _for_each(value, count):
    """A tuple with one value for each parameter, also where there is one for all."""
    return value if isinstance(value, (tuple, list)) else (value,) * count


def _is_set(decay):
    return not isinstance(decay, float) or decay != 0.0


def _centre(gradient):
    """The gradient less its mean over all axes but the first. As in MindSpore, only if the size of axis 1 is a multiple of 16."""
    if gradient.ndim < 2 or gradient.shape[1] % 16:
        return gradient
    return gradient - ops.mean(gradient, tuple(range(1, gradient.ndim)), True)
