"""mindspore.train.print_pb2: files of printed tensors as messages."""
from .checkpoint_pb2 import TensorProto
from .messages import message as _message

_Value = _message(__name__, "Value", desc=(1, "text", False), tensor=(2, TensorProto, False))
Print = _message(__name__, "Print", value=(1, _Value, True))
Print.Value = _Value
