"""What MindSpore's programs say of the functions of ops.Custom: dtypes, formats and attributes, as a dict.

Custom takes all that its function can compute, so no part of the description is asked for here.
"""

_DTYPES = {"None": "", "BOOL": "bool", "I8": "int8", "U8": "uint8", "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32",
           "I64": "int64", "U64": "uint64", "F16": "float16", "F32": "float32", "F64": "float64", "BF16": "bfloat16", "C64": "complex64",
           "C128": "complex128"}
_FORMATS = {"None": "", "Default": "DefaultFormat", "5HD": "NC1HWC0", "FracZ": "FRACTAL_Z", "FracNZ": "FRACTAL_NZ", "C1HWNCoC0": "C1HWNCoC0",
            "NCHW": "NCHW", "NHWC": "NHWC", "HWCN": "HWCN", "NDHWC": "NDHWC", "ChannelLast": "ChannelLast", "NCDHW": "NCDHW",
            "NDC1HWC0": "NDC1HWC0", "NC1HWC0": "NC1HWC0", "DHWCN": "DHWCN", "FRACTAL_Z_3D": "FRACTAL_Z_3D", "FracZNLSTM": "FRACTAL_ZN_LSTM",
            "FracZNRNN": "FRACTAL_ZN_RNN", "ND_RNNBIAS": "ND_RNN_BIAS"}


class _Pairs(type):
    """Makes the constants of DataType when they are asked for."""

    def __getattr__(cls, name):
        dtype, _, layout = name.partition("_")
        many = [kind.lower() for kind in ("Tuple", "List") if layout == "Default_" + kind]
        layout = "Default" if many else layout
        if dtype not in _DTYPES or layout not in _FORMATS:
            raise AttributeError("type object 'DataType' has no attribute %r" % name)
        return (_DTYPES[dtype], _FORMATS[layout]) + tuple(many)


class DataType(metaclass=_Pairs):
    """Pairs of a dtype and a layout, DTYPE_LAYOUT, for `dtype_format`.

    >>> from msjit import ops
    >>> ops.DataType.F32_Default, ops.DataType.I8_NCHW
    (('float32', 'DefaultFormat'), ('int8', 'NCHW'))
    """


def _text(value):
    if not isinstance(value, str):
        raise TypeError("[custom_reg_op] argument, got %s, expected a str" % type(value).__name__)
    return value


def _number(value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[custom_reg_op] index, got %s, expected an int" % type(value).__name__)
    return value


class CustomRegOp:
    """Describes a function for ops.Custom step by step; get_op_info gives the dict. TypeError for arguments of another type.

    >>> from msjit import ops
    >>> info = ops.CustomRegOp("twice").input(0, "x").output(0, "y").dtype_format(ops.DataType.None_None, ops.DataType.None_None)
    >>> info.target("CPU").get_op_info()["inputs"]
    [{'index': 0, 'name': 'x', 'paramType': 'required'}]
    """

    def __init__(self, op_name="Custom"):
        if not isinstance(op_name, str):
            raise ValueError("[custom_reg_op] op_name, got %s, expected a str" % type(op_name).__name__)
        self.op_name = op_name
        self.inputs, self.outputs, self.attr_, self.dtype_format_ = [], [], [], []
        self.fusion_type_ = ""
        self.target_ = "UnKnown"

    @staticmethod
    def _described(pairs, more):
        return dict({name: check(value) for name, value, check in pairs if value is not None}, **more)

    def input(self, index=None, name=None, param_type="required", **kwargs):
        """One more input."""
        self.inputs.append(self._described((("index", index, _number), ("name", name, _text), ("paramType", param_type, _text)), kwargs))
        return self

    def output(self, index=None, name=None, param_type="required", **kwargs):
        """One more output."""
        self.outputs.append(self._described((("index", index, _number), ("name", name, _text), ("paramType", param_type, _text)), kwargs))
        return self

    def attr(self, name=None, param_type=None, value_type=None, default_value=None, **kwargs):
        """One more attribute."""
        self.attr_.append(self._described((("name", name, _text), ("paramType", param_type, _text), ("type", value_type, _text),
                                           ("defaultValue", default_value, _text)), kwargs))
        return self

    def dtype_format(self, *args):
        """One more combination: a pair of DataType for each input and output. ValueError for another number."""
        count = len(self.inputs) + len(self.outputs)
        if len(args) != count:
            raise ValueError("[custom_reg_op] number of dtype formats, got %d, expected %d: inputs and outputs" % (len(args), count))
        for pair in args:
            if not isinstance(pair, tuple) or len(pair) not in (2, 3):
                raise ValueError("[custom_reg_op] dtype format, got %r, expected a tuple of two or three strs" % (pair,))
            for part in pair:
                _text(part)
        self.dtype_format_.append(tuple(args))
        return self

    def fusion_type(self, fusion_type):
        """A kind of fusion, which changes nothing."""
        self.fusion_type_ = _text(fusion_type)
        return self

    def target(self, target=None):
        """The device the description is for."""
        self.target_ = target if target is None else _text(target)
        return self

    def get_op_info(self):
        """The description as a dict."""
        return {name.rstrip("_"): value for name, value in self.__dict__.items()}


def custom_info_register(*reg_info):
    """A decorator of functions for ops.Custom: keeps descriptions as the function's `reg_info`.

    >>> from msjit import ops
    >>> ops.custom_info_register(ops.CustomRegOp().get_op_info())(lambda x: x).reg_info[0]["op_name"]
    'Custom'
    """
    def decorate(function):
        from functools import wraps

        @wraps(function)
        def call(*args, **kwargs):
            return function(*args, **kwargs)
        call.reg_info = reg_info
        function.reg_info = reg_info
        return call
    return decorate


__all__ = ["CustomRegOp", "DataType", "custom_info_register"]
