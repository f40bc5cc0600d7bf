"""Primitive, the base class of all primitives, and functions that make primitives from the rows of a table."""
from .._native import Tensor
from ..absent import attributes as _absent
from ..first_use import kept as _kept
from .operands import blame_among as _blame_among
from .operands import is_ours as _is_ours


class Primitive:
    """Base class of primitives: classes of callable objects, ops.Add()(x, y). `name` is the primitive's name."""

    _function = None

    def __init__(self, name=None):
        if name is not None and not isinstance(name, str):  # an attribute of MindSpore's primitive, given to one that has no attributes here
            raise TypeError("[%s] name, got %r, expected a str" % (type(self).__name__, name))
        self.name = name or type(self).__name__
        self._op = self._function
        if self._op is None and type(self).__call__ is Primitive.__call__:
            self._kind = _named(self.name)

    @property
    def init_attrs(self):
        """The attributes given to the constructor, as a new dict."""
        return {name: vars(self)[name] for name in self._attribute_names() if name in vars(self)}

    @property
    def attrs(self):
        """The attributes of the constructor and those added later, as a new dict."""
        return dict(self.init_attrs, **vars(self).get("_added", {}))

    def _attribute_names(self):
        from inspect import signature
        return [] if type(self).__init__ is Primitive.__init__ else list(signature(type(self)).parameters)

    def add_prim_attr(self, name, value):
        """Sets an attribute; returns self."""
        setattr(self, name, value)
        vars(self).setdefault("_added", {})[name] = value
        return self

    def del_prim_attr(self, name):
        """Removes an attribute that was added, if there is one of that name; returns self."""
        if name in vars(self).get("_added", {}):
            del self._added[name]
            vars(self).pop(name, None)
        return self

    def init_prim_io_names(self, inputs, outputs):
        """Stores the names of inputs and outputs as attributes."""
        self.add_prim_attr("input_names", list(inputs)).add_prim_attr("output_names", list(outputs))

    def set_prim_instance_name(self, instance_name):
        """Stores a name for this instance; returns self."""
        self.instance_name = instance_name
        return self

    def set_device(self, device_target):
        """Stores the attribute primitive_target, which changes nothing; returns self. Raises ValueError for an unknown device."""
        if device_target not in ("CPU", "GPU", "Ascend"):
            raise ValueError("[%s] device_target, got %r, expected 'CPU', 'GPU' or 'Ascend'" % (self.name, device_target))
        return self.add_prim_attr("primitive_target", device_target)

    def set_stage(self, stage):
        """Stores the attribute stage, which changes nothing; returns self."""
        return self.add_prim_attr("stage", stage)

    def recompute(self, mode=True):
        """Stores the attribute recompute, which changes nothing; returns self."""
        if not isinstance(mode, bool):
            raise TypeError("[%s] mode, got %s, expected a bool" % (self.name, type(mode).__name__))
        return self.add_prim_attr("recompute", mode)

    def shard(self, in_strategy=None, out_strategy=None):
        """Stores the attributes in_strategy and out_strategy, which change nothing; returns self."""
        for name, value in (("in_strategy", in_strategy), ("out_strategy", out_strategy)):
            if value is not None and not isinstance(value, tuple):
                raise TypeError("[%s] %s, got %s, expected a tuple" % (self.name, name, type(value).__name__))
            if value is not None:
                self.add_prim_attr(name, value)
        return self

    def place(self, role, rank_id):
        """Does nothing; all operations run in this process."""

    def check_elim(self, *args):
        """Returns (whether the call can be left out, its replacement): always (False, None)."""
        return False, None

    def __call__(self, *args):
        if self._op is not None:
            try:
                return self._op(*args)
            except _FAULTS as error:
                _explain(error, self, self._op, args)
                raise
        operation, inputs = self._operation(args)
        return operation(*inputs)

    def _operation(self, args):
        """Returns (an operation with this primitive's name, its inputs); the operation is public or an inner kernel.

        As in MindSpore, the operation's constructor gets the added attributes that it knows, then the call's arguments after the inputs,
        in order. Raises RuntimeError for a name that no operation has.

        >>> from msjit import Tensor, ops
        >>> ops.Primitive("Softmax").add_prim_attr("axis", 0)(Tensor([0.0, 0.0])).asnumpy().tolist()
        [0.5, 0.5]
        >>> ops.Primitive("ReduceSum")(Tensor([[1.0, 2.0]]), 1, True).asnumpy().tolist()
        [[3.0]]
        """
        if self._kind is None:
            raise RuntimeError("[primitive] name, got %r, expected the name of an operation" % (self.name,))
        kind, known, count = self._kind
        added = self.__dict__.get("_added", {})
        given = {name: added[name] for name in known if name in added}
        if count is not None:
            for name, value in zip(known, args[count:]):
                given[name] = value
            args = args[:count] + args[count + len(known):]
        return kind(**given), args

    def __repr__(self):
        shown = ", ".join("%s=%s" % item for item in self.attrs.items() if item[0] not in ("input_names", "output_names"))
        return "Prim[%s]" % self.name + ("<%s>" % shown if shown else "")


class PrimitiveWithInfer(Primitive):
    """Base class of primitives that describe their result by infer_shape, infer_dtype and infer_value; a subclass defines __call__.

    A subclass without __call__ can only give constants: a call returns what infer_value returns, or the "value" of the dict that __infer__
    returns. infer_value gets the arguments, with None for tensors, and __infer__ a dict with "shape", "dtype" and "value" for each argument.

    >>> from msjit import Tensor, ops
    >>> class Rank(ops.PrimitiveWithInfer):
    ...     def __infer__(self, x):
    ...         return {"shape": (), "dtype": None, "value": len(x["shape"])}
    >>> Rank("Rank")(Tensor([[1.0, 2.0]]))
    2
    """

    def __call__(self, *args):
        value = self.__infer__(*[_described(arg) for arg in args])["value"]
        if value is None:
            raise NotImplementedError("[%s] __call__, expected a method of the subclass: there is no kernel of that name" % self.name)
        return value

    def __infer__(self, *args):
        value = self.infer_value(*[arg["value"] for arg in args])
        if value is None:  # the call is an error in any case, which must not be one of the checks that follow
            return {"value": None}
        return {"dtype": self.infer_dtype(*[arg["dtype"] for arg in args]), "shape": self.infer_shape(*[arg["shape"] for arg in args]),
                "value": value}

    def infer_dtype(self, *args):
        """The dtype of the result; None, as here, if it is not described."""

    def infer_shape(self, *args):
        """The shape of the result; None, as here, if it is not described."""

    def infer_value(self, *args):
        """The result if it is a constant; None, as here, if it is not."""


class PrimitiveWithCheck(PrimitiveWithInfer):
    """As PrimitiveWithInfer, for subclasses that check their inputs by check_dtype and check_shape."""

    def infer_dtype(self, *args):
        self.check_dtype(*args)

    def infer_shape(self, *args):
        self.check_shape(*args)

    def check_dtype(self, *args):
        """Raises if the dtypes of the arguments do not fit."""

    def check_shape(self, *args):
        """Raises if the shapes of the arguments do not fit."""


def _described(value):
    """What __infer__ gets for an argument."""
    if isinstance(value, Tensor):
        return {"shape": list(value.shape), "dtype": value.dtype, "value": None}
    if not isinstance(value, (tuple, list)):
        return {"shape": [], "dtype": type(value), "value": value}
    items, kind = [_described(item) for item in value], list if isinstance(value, list) else tuple
    return {key: kind([item[key] for item in items]) for key in ("shape", "dtype", "value")}


def prim_attr_register(fn):
    """Decorates the __init__ of a primitive: its arguments become attributes of the primitive. Raises TypeError for what cannot be called."""
    from functools import wraps
    from inspect import signature
    if not callable(fn):
        raise TypeError("[prim_attr_register] fn, got %s, expected a function" % type(fn).__name__)
    wanted = signature(fn)

    @wraps(fn)
    def init(self, *args, **kwargs):
        given = wanted.bind(self, *args, **kwargs)
        given.apply_defaults()
        Primitive.__init__(self)
        for name, value in list(given.arguments.items())[1:]:
            self.add_prim_attr(name, value)
        fn(self, *args, **kwargs)
    return init


prim_arg_register = prim_attr_register

_FAULTS = (TypeError, AttributeError)


def _explain(error, primitive, function, inputs):
    """Raises TypeError, under the name of a primitive, for a number of inputs that its function does not take, and for an input or attribute of
    another kind."""
    from inspect import signature
    if str(error)[:1] == "[" or not _is_ours(error):
        return
    try:
        wanted = signature(function)
    except ValueError:  # a function without a description
        return
    try:
        given = wanted.bind(*inputs)
    except TypeError:
        raise TypeError("[%s] number of inputs, got %d, expected %s" % (primitive.name, len(inputs), _count(wanted))) from None
    _blame_among(error, primitive.name, dict(primitive.init_attrs, **given.arguments))


def _count(wanted):
    """The numbers of inputs that a signature takes, as text."""
    kinds = [parameter.kind for parameter in wanted.parameters.values()]
    most = sum(kind.name in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD") for kind in kinds)
    least = most - sum(parameter.default is not parameter.empty and parameter.kind.name != "KEYWORD_ONLY" for parameter in wanted.parameters.values())
    if any(kind.name == "VAR_POSITIONAL" for kind in kinds):
        return "%d or more" % least
    return "%d" % least if least == most else "%d to %d" % (least, most)


REQUIRED = object()  # the default of an attribute that must be given


class Row(Primitive):
    """Base class of the primitives that rows() makes."""

    _attributes, _rule = {}, None

    def __init__(self, *args, **kwargs):
        super().__init__()
        names = list(self._attributes)
        if len(args) > len(names):
            raise TypeError("[%s] number of attributes, got %d, expected at most %d" % (self.name, len(args), len(names)))
        given = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in self._attributes or name in given:
                raise TypeError("[%s] attribute, got %r, expected one of %s, once" % (self.name, name, names))
            given[name] = value
        for name, default in self._attributes.items():
            value = given.get(name, default)
            if value is REQUIRED:
                raise TypeError("[%s] attribute %r is missing" % (self.name, name))
            setattr(self, name, value)

    def _attribute_names(self):
        return list(self._attributes)

    def __call__(self, *inputs):
        try:
            return self._rule(*inputs)
        except _FAULTS as error:
            _explain(error, self, self._rule, inputs)
            raise


def text_of(name, function):
    """The docstring of a primitive that calls a function: that of the function without its examples, which are tested there."""
    called, text = getattr(function, "__name__", name), (function.__doc__ or "").split(">>>")[0].rstrip().replace("\n    ", "\n")
    if called[0] == "_":  # what the function does is all there is to say
        return text or "The primitive %s." % name
    return "ops.%s as a primitive." % called + ("\n\nThe function: " + text if text else "")


def rows(namespace, table):
    """Makes primitives from rows (name, {attribute: default}, rule) in the namespace of a module; returns their names.

    A call of the primitive calls rule(primitive, *inputs). A fourth item is the function whose docstring the primitive has, or the text
    itself; by default it is the docstring of the rule.
    """
    for name, attributes, rule, *said in table:
        namespace[name] = type(name, (Row,), {
            "_attributes": attributes, "_rule": rule, "__module__": namespace["__name__"],
            "__doc__": _text_of_row(name, attributes, said[0] if said else rule)})
    return [row[0] for row in table]


def _text_of_row(name, attributes, said):
    """The docstring of a row: what it computes, and its attributes."""
    text = said if isinstance(said, str) else text_of(name, said) if said.__doc__ else ""
    listed = ", ".join(key if value is REQUIRED else "%s=%r" % (key, value) for key, value in attributes.items())
    return "%s\n\nAttributes: %s." % (text, listed or "none") if text else "The primitive %s; attributes: %s." % (name, listed or "none")


def plain_rows(namespace, table, base=Primitive):
    """Makes primitives of a base class from {name: function} in the namespace of a module; returns their names."""
    for name, function in table.items():
        namespace[name] = type(name, (base,), {
            "_function": staticmethod(function), "__module__": namespace["__name__"], "__doc__": text_of(name, function)})
    return list(table)


def _named(name):
    """Finds the operation of a name: (its class, its attributes in order, its number of inputs or None), or None."""
    from inspect import signature

    from ._inner_operations import find
    kind = find(name)
    if kind is None or kind is Primitive:
        return None
    row = issubclass(kind, Row)
    inputs = signature(kind._rule if row else kind.__call__).parameters.values()
    fixed = not any(item.kind is item.VAR_POSITIONAL for item in inputs)
    return kind, list(kind._attributes if row else signature(kind).parameters), len(inputs) - 1 if fixed else None


_refuse = _absent(__name__)


@_kept
def __getattr__(name):
    if name in ("constexpr", "_primexpr"):
        from .composite import constexpr
        return constexpr
    if name == "Layout":
        from ..parallel.layouts import Layout
        return Layout
    return _refuse(name)
