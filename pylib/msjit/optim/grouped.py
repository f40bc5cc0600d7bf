"""The base of optimizers whose groups are dicts with all options: those of mint.optim and experimental.optim."""
from collections import defaultdict

from .. import ops
from .._native import _msjit
from ..common import dtype as mstype
from ..common.parameter import Parameter, ParameterTuple
from ..common.tensor import Tensor
from ..nn.cell import Cell
from .sharded import Shared
from .shown import Shown


class GroupedOptimizer(Shown, Shared, Cell):
    """Base class: `param_groups` is a list of dicts, each with params, lr (a Parameter) and the options of `defaults`.

    Subclasses define _update(index, parameter, gradient, group); `index` is the place of the parameter's state, counted over all groups. _step_shown: the name, shape and dtype that
    MindSpore's Parameter with the number of updates has, and whether it comes before the state.

    Programs define optimizers by `construct` instead. For these are `state`, `map_`, `hyper_map` and _decay_weight.
    """

    _step_shown = None
    map_, hyper_map = ops.Map(), ops.HyperMap()

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
        self.state = defaultdict(dict)
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

    def _decay_weight(self, weight_decay, params, gradients):
        """The gradients, each with its parameter times weight_decay added."""
        return gradients if not weight_decay else tuple([g + p * weight_decay for p, g in zip(params, gradients)])

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
