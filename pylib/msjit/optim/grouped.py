"""Optimizers whose groups are dicts with all options: those of mint.optim and experimental.optim."""
from .. import ops
from .._native import _msjit
from ..common import dtype as mstype
from ..common.parameter import Parameter, ParameterTuple
from ..common.tensor import Tensor
from ..nn.cell import Cell
from .assigned import count, decayed, filled, rate_of, wide, write
from .sharded import Shared
from .shown import Shown


class GroupedOptimizer(Shown, Shared, Cell):
    """Base class: `param_groups` is a list of dicts, each with params, lr (a Parameter) and the options of `defaults`.

    Subclasses define _update(index, parameter, gradient, group); `index` is the place of the parameter's state, counted over all groups. _step_shown: the name, shape and dtype that
    MindSpore's Parameter with the number of updates has, and whether it comes before the state.
    """

    _step_shown = None

    def __init__(self, params, defaults):
        super().__init__(auto_prefix=False)
        self._where = type(self).__name__
        if params is None:
            raise ValueError("[%s] params, got None, expected Parameters" % self._where)
        groups = list(params)
        if not groups:
            raise ValueError("[%s] params must not be empty" % self._where)
        self.defaults, self.param_groups, self.lrs, self.step_count = dict(defaults), [], [], 0
        _msjit.count_in(type(self), "step_count")
        self.group_start_id = [0]
        object.__setattr__(self, "parameters", ())
        self._first_names = ()  # the names of state are made of these
        object.__setattr__(self, "_states", {})  # {prefix: the initial value of the state of that name, which each parameter has}
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group):
        """Adds a group: a dict with Parameters and options. Missing options come from the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError("[%s] a group must be a dict, got %s" % (self._where, type(param_group).__name__))
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError("[%s] params of a group must be in order, got a set" % self._where)
        params = [params] if isinstance(params, Parameter) else list(params)
        for param in params:
            if not isinstance(param, Parameter):
                raise TypeError("[%s] params must be Parameters, got %s" % (self._where, type(param).__name__))
            if any(param is known for known in self.parameters):
                raise ValueError("[%s] parameter %s is in two groups" % (self._where, param.name))
        group = dict(param_group, params=params)
        for name, value in self.defaults.items():
            group.setdefault(name, value)
        group["lr"] = self._rate(group["lr"], "learning_rate_group_%d" % len(self.param_groups))
        decay = group.get("weight_decay", 0.0)
        if isinstance(decay, bool) or not isinstance(decay, (int, float)):
            raise TypeError("[%s] weight_decay must be a float, got %s" % (self._where, type(decay).__name__))
        if decay < 0:
            raise ValueError("[%s] weight_decay must not be negative, got %s" % (self._where, decay))
        group["weight_decay"] = float(decay)
        self.lrs.append(group["lr"])
        self.param_groups.append(group)
        object.__setattr__(self, "parameters", ParameterTuple(tuple(self.parameters) + tuple(params)))
        self.group_start_id.append(len(self.parameters))
        self._first_names += tuple([param.name for param in params])
        self._divide(params)
        for name, value in list(self.__dict__.items()):
            if isinstance(value, ParameterTuple) and name != "parameters":
                self._extend(name, value, ParameterTuple(params))

    def _shown_last(self):
        """(name, values) of the Parameters that MindSpore keeps after the state."""
        return ()

    def _ms_own_parameters(self):
        """(attribute, Parameter) in MindSpore's order."""
        self._take_shown()
        name, shape, dtype, first = self._step_shown or ("", (), None, False)
        step = [] if dtype is None else [(name, self._show(name, self._step_value(shape), dtype))]
        yield from zip(self._first_names, self.parameters)
        if first:
            yield from step
        yield from list(self._param_index.items())
        for last, values in self._shown_last():
            yield last, self._show(last, values)
        if not first:
            yield from step

    def _step_value(self, shape):
        return [self.step_count] if shape else self.step_count

    def _adopt(self, name, values):
        if self._step_shown is not None and name == self._step_shown[0]:
            object.__setattr__(self, "step_count", int(values.reshape(-1)[0]))

    def __repr__(self):
        texts = []
        for at, group in enumerate(self.param_groups):
            lines = ["    %s: %s" % (name, float("%.7g" % float(value)) if isinstance(value, Parameter) else value)
                     for name, value in sorted(group.items()) if name != "params"]
            texts.append("\n".join(["Parameter Group %d" % at] + lines + [""]))
        return "%s (\n%s)" % (type(self).__name__, "\n".join(texts))

    def _extend(self, name, state, params):
        """Makes the state for Parameters that are added to an existing optimizer."""
        prefix = state[0].name[:-len(self.parameters[0].name)]
        if prefix not in self._states:
            raise NotImplementedError("[%s] add_param_group after the optimizer is made is not offered" % self._where)
        setattr(self, name, ParameterTuple(tuple(state) + tuple(self._frozen(params, prefix[:-1]))))

    def _frozen(self, params, prefix):
        made = params.clone(prefix, self._states[prefix + "."])
        for param in made:
            param.requires_grad = False
        return made

    def _rate(self, value, name):
        if isinstance(value, bool) or not isinstance(value, (int, float, Tensor)):
            raise TypeError("[%s] lr must be a float or a Tensor, got %s" % (self._where, type(value).__name__))
        if isinstance(value, Tensor) and value.ndim:
            raise ValueError("[%s] rank of lr, got %d, expected 0" % (self._where, value.ndim))
        if not isinstance(value, Tensor) and not value >= 0:
            raise ValueError("[%s] lr must not be negative, got %s" % (self._where, value))
        return Parameter(Tensor(value, mstype.float32), name=name, requires_grad=False)

    def _state(self, prefix, init="zeros"):
        """One Parameter of state for each of `parameters` whose state this process keeps."""
        self._states[prefix + "."] = init
        return self._clones(prefix, init)

    def construct(self, gradients):
        """Applies one update; returns True."""
        if not isinstance(gradients, (tuple, list)):
            raise TypeError("[%s] gradients, got %s, expected a tuple of Tensors" % (self._where, type(gradients).__name__))
        if len(gradients) != len(self.parameters):
            raise ValueError("[%s] gradients, got %d, expected one for each of the %d parameters"
                             % (self._where, len(gradients), len(self.parameters)))
        places = self._places
        for index, group in zip(self.group_start_id, self.param_groups):
            for param in group["params"]:
                gradient = gradients[index]
                if gradient.shape != param.shape:
                    raise ValueError("[%s] gradient of %s has a wrong shape, got %s, expected %s"
                                     % (self._where, param.name, gradient.shape, param.shape))
                place, index = places[index], index + 1
                if place is None:  # another process has the state
                    continue
                if group.get("maximize", False):
                    gradient = -gradient
                self._update(place, param, gradient, group)
        object.__setattr__(self, "step_count", self.step_count + 1)
        if self._divided:
            self._share.gather(gradients)
        return True

    def _update(self, index, param, gradient, group):
        raise NotImplementedError("[%s] _update is not defined" % self._where)


def check_adam(where, betas, eps, weight_decay, lr):
    """Raises where the arguments of a kind of Adam are none."""
    if not isinstance(betas, tuple):
        raise TypeError("[%s] betas must be a tuple, got %s" % (where, type(betas).__name__))
    if len(betas) != 2:
        raise ValueError("[%s] betas must be 2 floats, got %d" % (where, len(betas)))
    for name, value in (("betas", betas[0]), ("betas", betas[1]), ("eps", eps), ("weight_decay", weight_decay), ("lr", lr)):
        if not isinstance(value, float):
            raise TypeError("[%s] %s must be a float, got %s" % (where, name, type(value).__name__))
        if value < 0 or (name == "betas" and value >= 1):
            raise ValueError("[%s] %s is out of range, got %s" % (where, name, value))


class Adam(GroupedOptimizer):
    """Adam with bias correction; weight decay is added to the gradient."""

    _decoupled = False
    _step_shown = "state_step", (), mstype.int32, False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, amsgrad=False, *, maximize=False):
        where = type(self).__name__
        check_adam(where, betas, eps, weight_decay, lr)
        for name, value in (("amsgrad", amsgrad), ("maximize", maximize)):
            if not isinstance(value, bool):
                raise TypeError("[%s] %s must be a bool, got %s" % (where, name, type(value).__name__))
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad,
                                      maximize=maximize))
        self.exp_avg, self.exp_avg_sq = self._state("exp_avg"), self._state("exp_avg_sq")
        some = any(group["amsgrad"] for group in self.param_groups)
        self.max_exp_avg_sq = self._state("max_exp_avg_sq") if some else None

    def _shown_last(self):
        if self.max_exp_avg_sq is None:
            yield from (("max_exp_avg_sq." + name, filled(p, 0)) for name, p in zip(self._first_names, self.parameters))

    def _update(self, index, param, gradient, group):
        (beta1, beta2), decay, step = group["betas"], group["weight_decay"], self.step_count + 1
        p, rate = wide(param), rate_of(group)
        if self._decoupled:
            g = wide(gradient)
            p = p * (1 - rate * decay) if decay else p
        else:
            g = decayed(gradient, param, decay)
        m = wide(self.exp_avg[index]) * beta1 + g * (1 - beta1)
        v = wide(self.exp_avg_sq[index]) * beta2 + g * g * (1 - beta2)
        write(self.exp_avg[index], m), write(self.exp_avg_sq[index], v)
        if group["amsgrad"]:
            v = ops.maximum(wide(self.max_exp_avg_sq[index]), v)
            write(self.max_exp_avg_sq[index], v)
        root = self._root(v, 1.0 - beta2 ** step, group["eps"])
        write(param, p - rate / (1.0 - beta1 ** step) * m / root)

    def _root(self, squares, correction, eps):
        """The divisor of a step: the root of the corrected mean of squares, and eps."""
        return ops.sqrt(squares) / correction ** 0.5 + eps


class AdamW(Adam):
    """Adam with bias correction; weight decay shrinks the weights before the step."""

    _decoupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
                 maximize=False):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class SGD(GroupedOptimizer):
    """Gradient descent with momentum, dampening and Nesterov's variant; the momentum starts with the first gradient."""

    _buffer = "accum"

    def __init__(self, params, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False):
        for name, value in (("momentum", momentum), ("dampening", dampening), ("weight_decay", weight_decay)):
            if not isinstance(value, (int, float)):
                raise TypeError("[SGD] %s must be a float, got %s" % (name, type(value).__name__))
        if momentum < 0:
            raise ValueError("[SGD] momentum must not be negative, got %s" % (momentum,))
        for name, value in (("nesterov", nesterov), ("maximize", maximize)):
            if not isinstance(value, bool):
                raise TypeError("[SGD] %s must be a bool, got %s" % (name, type(value).__name__))
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("[SGD] nesterov needs a momentum above 0 and no dampening, got %s and %s"
                             % (momentum, dampening))
        super().__init__(params, dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                                      nesterov=nesterov, maximize=maximize))
        self.momentum_buf = self._state(self._buffer)

    def _shown_last(self):
        momenta = [group["momentum"] for group in self.param_groups for _ in group["params"]]
        waiting = [1 if self.step_count == 0 or momentum == 0 else 0 for momentum in momenta]  # whether the next gradient starts it
        return [("stat." + name, filled(p, value)) for name, p, value in zip(self._first_names, self.parameters, waiting)]

    def _adopt(self, name, values):
        super()._adopt(name, values)
        if name.startswith("stat.") and not values.any():  # the momentum has begun
            object.__setattr__(self, "step_count", max(self.step_count, 1))

    def _update(self, index, param, gradient, group):
        g, momentum = decayed(gradient, param, group["weight_decay"]), group["momentum"]
        if momentum != 0:
            buffer = wide(self.momentum_buf[index]) * momentum
            buffer = g if self.step_count == 0 else buffer + g * (1 - group["dampening"])
            write(self.momentum_buf[index], buffer)
            g = g + momentum * buffer if group["nesterov"] else buffer
        write(param, wide(param) - rate_of(group) * g)


class Adadelta(GroupedOptimizer):
    """a = rho a + (1 - rho) g^2; u = sqrt(d + eps) / sqrt(a + eps) g; d = rho d + (1 - rho) u^2; p -= lr u"""

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0, *, maximize=False):
        super().__init__(params, dict(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize))
        self.accum, self.accum_update = self._state("accum"), self._state("accum_update")

    def _update(self, index, param, gradient, group):
        g, rho, eps = decayed(gradient, param, group["weight_decay"]), group["rho"], group["eps"]
        accum, moves = wide(self.accum[index]) * rho + g * g * (1 - rho), wide(self.accum_update[index])
        move = ops.sqrt(moves + eps) / ops.sqrt(accum + eps) * g
        write(param, wide(param) - rate_of(group) * move)
        write(self.accum[index], accum), write(self.accum_update[index], moves * rho + move * move * (1 - rho))


class Adagrad(GroupedOptimizer):
    """a += g^2; p -= lr / (1 + t lr_decay) g / (sqrt(a) + eps), t being the number of steps before this one"""

    _step_shown = "step_t", (), mstype.int32, False

    def __init__(self, params, lr=1e-2, lr_decay=0.0, weight_decay=0.0, initial_accumulator_value=0.0, eps=1e-10, *,
                 maximize=False):
        super().__init__(params, dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
                                      initial_accumulator_value=initial_accumulator_value, maximize=maximize))
        self.accum = self._state("accum", initial_accumulator_value)

    def _update(self, index, param, gradient, group):
        g = decayed(gradient, param, group["weight_decay"])
        accum = wide(self.accum[index]) + g * g
        rate = rate_of(group) / (1.0 + self.step_count * group["lr_decay"])
        write(param, wide(param) - rate * g / (ops.sqrt(accum) + group["eps"]))
        write(self.accum[index], accum)


class Adamax(GroupedOptimizer):
    """m = beta1 m + (1 - beta1) g; u = max(beta2 u, |g| + eps); p -= lr / (1 - beta1^t) m / u"""

    _step_shown = "step_t", (), mstype.int32, True

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, *, maximize=False):
        check_adam("Adamax", betas, eps, weight_decay, float(lr))
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize))
        self.exp_avg, self.exp_inf = self._state("exp_avg"), self._state("exp_inf")

    def _update(self, index, param, gradient, group):
        g, (beta1, beta2) = decayed(gradient, param, group["weight_decay"]), group["betas"]
        m = wide(self.exp_avg[index]) * beta1 + g * (1 - beta1)
        largest = ops.maximum(wide(self.exp_inf[index]) * beta2, ops.abs(g) + group["eps"])
        rate = rate_of(group) / (1.0 - beta1 ** (self.step_count + 1))
        write(param, wide(param) - rate * m / largest)
        write(self.exp_avg[index], m), write(self.exp_inf[index], largest)


class RMSprop(GroupedOptimizer):
    """s = alpha s + (1 - alpha) g^2; p -= lr g / (sqrt(s) + eps), with momentum and, centred, s less the squared mean"""

    def __init__(self, params, lr=0.01, alpha=0.99, eps=1e-8, weight_decay=0.0, momentum=0.0, centered=False,
                 maximize=False):
        super().__init__(params, dict(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum,
                                      centered=centered, maximize=maximize))
        self.mean_grad, self.mean_square, self.mom = self._state("mean_grad"), self._state("mean_square"), self._state("moment")

    def _update(self, index, param, gradient, group):
        g, alpha = decayed(gradient, param, group["weight_decay"]), group["alpha"]
        square = wide(self.mean_square[index]) * alpha + g * g * (1 - alpha)
        spread = square
        if group["centered"]:
            mean = wide(self.mean_grad[index]) * alpha + g * (1 - alpha)
            spread = square - mean * mean
            write(self.mean_grad[index], mean)
        move = g / (ops.sqrt(spread) + group["eps"])
        if group["momentum"] > 0:
            move = wide(self.mom[index]) * group["momentum"] + move
            write(self.mom[index], move)
        write(param, wide(param) - rate_of(group) * move)
        write(self.mean_square[index], square)


class RAdam(GroupedOptimizer):
    """Adam whose first steps, while the second moment is uncertain, do without it (Liu et al. 2019)."""

    _step_shown = "step_t", (), mstype.int32, True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        check_adam("RAdam", betas, eps, weight_decay, float(lr))
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))
        self.exp_avg, self.exp_avg_sq = self._state("exp_avg"), self._state("exp_avg_sq")

    def _update(self, index, param, gradient, group):
        g, (beta1, beta2), step = decayed(gradient, param, group["weight_decay"]), group["betas"], count(self.step_count)
        m = wide(self.exp_avg[index]) * beta1 + g * (1 - beta1)
        v = wide(self.exp_avg_sq[index]) * beta2 + g * g * (1 - beta2)
        power = beta2 ** step
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * power / (1 - power)
        rect = ops.sqrt(ops.maximum((length - 4) * (length - 2), 0) * longest / ((longest - 4) * (longest - 2) * length))
        scale = ops.where(length > 5.0, ops.sqrt(1 - power) * rect / (ops.sqrt(v) + group["eps"]), ops.ones_like(v))
        write(param, wide(param) - m / (1 - beta1 ** step) * rate_of(group) * scale)
        write(self.exp_avg[index], m), write(self.exp_avg_sq[index], v)


class NAdam(GroupedOptimizer):
    """Adam with Nesterov's momentum, whose share falls with momentum_decay (Dozat 2016)."""

    _step_shown = "step_t", (), mstype.int32, True

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, momentum_decay=4e-3):
        check_adam("NAdam", betas, eps, weight_decay, float(lr))
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                      momentum_decay=momentum_decay))
        self.exp_avg, self.exp_avg_sq = self._state("exp_avg"), self._state("exp_avg_sq")
        self.mu_product = self._numbers("mu_product_", 1.0)

    def _update(self, index, param, gradient, group):
        g, (beta1, beta2), step = decayed(gradient, param, group["weight_decay"]), group["betas"], count(self.step_count)
        fall = group["momentum_decay"]
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * fall))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * fall))
        product = self.mu_product[index].detach() * mu
        m = wide(self.exp_avg[index]) * beta1 + g * (1 - beta1)
        v = wide(self.exp_avg_sq[index]) * beta2 + g * g * (1 - beta2)
        root, rate = ops.sqrt(v / (1 - beta2 ** step)) + group["eps"], rate_of(group)
        p = wide(param) - rate * (1.0 - mu) / (1.0 - product) * g / root
        write(param, p - rate * mu_next / (1.0 - product * mu_next) * m / root)
        write(self.exp_avg[index], m), write(self.exp_avg_sq[index], v), write(self.mu_product[index], product)


class ASGD(GroupedOptimizer):
    """Gradient descent with a falling rate, and the mean of the parameters in `ax` from step t0 on (Polyak and Juditsky 1992)."""

    _step_shown = "step_t", (), mstype.int32, False

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0, maximize=False):
        super().__init__(params, dict(lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay,
                                      maximize=maximize))
        self.ax = self._state("ax")
        self.eta = self._numbers("eta_", 0.0)

    def _update(self, index, param, gradient, group):
        g, step = decayed(gradient, param, group["weight_decay"]), count(self.step_count)
        rate, lambd = rate_of(group), group["lambd"]
        eta = ops.where(step > 1, self.eta[index].detach(), rate)
        p = wide(param)
        p = p * (1.0 - lambd * eta) - eta * g
        ax, seen = wide(self.ax[index]), ops.maximum(step - (group["t0"] + 1.0), 1)
        write(param, p)
        write(self.ax[index], ops.where(seen > 1, ax + (p - ax) / seen, p))
        write(self.eta[index], rate / ops.pow(1.0 + lambd * rate * step, group["alpha"]))


class Rprop(GroupedOptimizer):
    """Steps whose size grows while the gradient keeps its sign and falls when it changes (Riedmiller and Braun 1993)."""

    _step_shown = "step_t", (), mstype.int32, False

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, maximize=False):
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError("[Rprop] etas, got %s, expected one below and one above 1" % (etas,))
        super().__init__(params, dict(lr=lr, etas=etas, step_sizes=step_sizes, maximize=maximize))
        self.prev, self.step_size = self._state("prev"), self._state("step_size")

    def _update(self, index, param, gradient, group):
        g, (shrink, grow), (least, most) = wide(gradient), group["etas"], group["step_sizes"]
        size = wide(self.step_size[index])
        size = ops.where(count(self.step_count) > 1, size, ops.ones_like(size) * rate_of(group))
        product = g * wide(self.prev[index])
        factor = ops.where(product > 0, grow, ops.where(product < 0, shrink, ops.ones_like(product)))
        size = ops.clip_by_value(size * factor, least, most)
        g = ops.where(product < 0, ops.zeros_like(g), g)
        write(param, wide(param) - ops.sign(g) * size)
        write(self.prev[index], g), write(self.step_size[index], size)
