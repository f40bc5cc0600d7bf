"""The methods of Cell that set how it runs: training, gradients, inputs, compilation, recomputation, flags, dtype."""
from ..common import dtype as mstype
from ..common.jit_config import JitConfig
from ..jit import LeveledConstruct
from .cell_attributes import check_names_of_arguments, precision_flags


class CellSettings:
    """The methods of Cell that set how it runs."""

    def set_train(self, mode=True):
        """Sets `training` on this Cell and all below it, True by default; returns self.

        Dropout and the statistics of batch normalisation depend on it. A new Cell is not in training.
        """
        for _, cell in self.cells_and_names():
            object.__setattr__(cell, "training", bool(mode))
        self.__dict__["_phase"] = "train" if mode else "predict"
        return self

    def set_grad(self, requires_grad=True):
        """Sets `requires_grad` on the Cell. A GradOperation on it uses the forward run of the last training call, if the arguments are the
        same; otherwise gradients are recorded on demand."""
        object.__setattr__(self, "requires_grad", bool(requires_grad))
        if requires_grad:
            object.__setattr__(self, "_ms_intercept", True)
        return self

    def set_inputs(self, *inputs, **kwargs):
        """Stores inputs for get_inputs. It has no other effect: shapes are learned from the calls.

        Raises ValueError for inputs given both by position and by name, and for a name that construct does not have.
        """
        if inputs and kwargs:
            raise ValueError("[set_inputs] inputs, got some by position and others by name, expected all in one way")
        if kwargs:
            check_names_of_arguments("set_inputs", self.construct, kwargs)
        self.__dict__["_set_inputs"] = inputs or kwargs or None

    def get_inputs(self):
        """Returns the inputs that were given to set_inputs, a tuple or a dict from names, or None."""
        return self.__dict__.get("_set_inputs")

    def set_jit_config(self, jit_config):
        """Sets options for the compilation of this Cell by GRAPH_MODE or jit: a JitConfig, of which jit_syntax_level has an effect.

        Raises TypeError for anything but a JitConfig.
        """
        if not isinstance(jit_config, JitConfig):
            raise TypeError("[cell] jit_config, got %s, expected a JitConfig" % type(jit_config).__name__)
        object.__setattr__(self, "_ms_jit_config", jit_config)
        object.__setattr__(self, "_ms_intercept", True)
        if jit_config.syntax_level is not None:  # made now, because another Cell that is being captured may call this one
            function = getattr(self.construct, "__func__", self.construct)
            object.__setattr__(self, "_ms_leveled", LeveledConstruct(function, jit_config.syntax_level))

    def recompute(self, mp_comm_recompute=True, parallel_optimizer_comm_recompute=False, **kwargs):
        """Keeps no intermediate results of this Cell for its gradient, but computes them again from the inputs.

        This saves memory and costs one more forward run. The arguments, and recompute_slice_activation, concern several
        processes and change nothing here. Raises ValueError for another keyword, TypeError for a value that is no bool.
        """
        if set(kwargs) - {"recompute_slice_activation"}:
            raise ValueError("[recompute] keyword, got %r, expected mp_comm_recompute, parallel_optimizer_comm_recompute or "
                             "recompute_slice_activation" % sorted(kwargs)[0])
        for value in (mp_comm_recompute, parallel_optimizer_comm_recompute, *kwargs.values()):
            if not isinstance(value, bool):
                raise TypeError("[recompute] option, got %s, expected a bool" % type(value).__name__)
        object.__setattr__(self, "_ms_recompute", True)
        object.__setattr__(self, "_ms_intercept", True)

    def compile(self, *args, **kwargs):
        """Does nothing, whatever the arguments; compilation happens at the first call."""

    def check_names(self):
        """Checks that no two Parameters of this Cell and those below share a name. Raises ValueError where two do."""
        names = set()
        for param in self.get_parameters():
            if param.name in names:
                raise ValueError("[cell] two parameters are named %r" % param.name)
            names.add(param.name)

    def init_parameters_data(self, auto_parallel_mode=False):
        """Returns a dict that maps every Parameter to itself; Parameters have their values from the start, so that nothing is left to do."""
        return {p: p for p in self.get_parameters()}

    def add_flags(self, **flags):
        """Sets attributes, name=value, on this Cell and remembers them for get_flags; returns self."""
        self.__dict__.setdefault("_flags", {}).update(flags)
        for name, value in flags.items():
            object.__setattr__(self, name, value)
        return self

    def get_flags(self):
        """Returns the flags that were given to add_flags of this Cell, as a new dict."""
        return dict(self.__dict__.get("_flags", {}))

    def add_flags_recursive(self, **flags):
        """Calls add_flags on this Cell and every Cell below; returns self."""
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    def to_float(self, dst_type):
        """Makes this Cell and all below compute in a float dtype: inputs and Parameters are cast to it.

        Returns self. Raises ValueError for anything but a float dtype.
        """
        if dst_type not in mstype.float_type:
            raise ValueError("[to_float] dst_type, got %s, expected float16, bfloat16, float32 or float64" % (dst_type,))
        for _, cell in self.cells_and_names():
            object.__setattr__(cell, "_ms_compute_dtype", dst_type)
            object.__setattr__(cell, "_ms_intercept", True)
            cell.add_flags(**precision_flags(dst_type))
        return self

    @property
    def cls_name(self):
        """The name of the class, a str."""
        return type(self).__name__
