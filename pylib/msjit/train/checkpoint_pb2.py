"""mindspore.train.checkpoint_pb2: .ckpt files as messages, for programs that read and write them by themselves."""
from .messages import message as _message

TensorProto = _message(__name__, "TensorProto", dims=(1, "int", True), tensor_type=(2, "text", False), tensor_content=(3, "bytes", False))
MapTensorProto = _message(__name__, "MapTensorProto", tensor=(1, TensorProto, True))
_Value = _message(__name__, "Value", tag=(1, "text", False), tensor=(2, TensorProto, False), maptensor=(3, MapTensorProto, False))
Checkpoint = _message(__name__, "Checkpoint", value=(1, _Value, True))
Checkpoint.Value = _Value
