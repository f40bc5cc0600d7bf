"""Primitives that MindSpore's layers have as attributes, because subclasses and programs call them: `self.relu(x)`.

The layers here do not use most of them. A primitive that does not depend on the layer's options is an attribute of the class: that
costs an instance nothing, and an instance can still replace it. Each layer creates the others itself.
"""
from .. import ops

_LOSS = "reduce_mean=ReduceMean reduce_sum=ReduceSum mul=Mul cast=Cast"
_NORM = """shape=Shape reduce_mean=ReduceMean square=Square sqrt=Sqrt cast=Cast dtype=DType reshape=Reshape sub_mean=Sub sub_var=Sub
    mul_mean=Mul mul_var=Mul assign_sub_mean=AssignSub assign_sub_var=AssignSub"""
_TRANSPOSED = "shape=Shape bias_add=BiasAdd"

# class: attributes and their primitives
_ON_CLASSES = {
    "LossBase": _LOSS, "_BatchNorm": _NORM, "Conv1d": "shape=Shape", "Conv3d": "bias_add=BiasAdd shape=Shape",
    "Conv1dTranspose": _TRANSPOSED + " expand_dims=ExpandDims", "Conv2dTranspose": _TRANSPOSED, "Conv3dTranspose": _TRANSPOSED,
    "BiDense": "bias_add=BiasAdd matmul=MatMul", "BatchNorm3d": "shape=Shape reshape=Reshape", "_InstanceNorm": "shape=Shape",
    "Embedding": "reshape_flat=Reshape one_hot=OneHot array_mul=MatMul concat=Concat",
    "PReLU": "prelu=PReLU", "RReLU": "sign=Sign", "SeLU": "selu=SeLU", "Softmax2d": "shape=Shape", "ReLU": "relu=ReLU",
    "ReLU6": "relu6=ReLU6", "Tanh": "tanh=Tanh", "HSigmoid": "hsigmoid=HSigmoid", "HSwish": "hswish=HSwish",
    "LogSigmoid": "mul=Mul exp=Exp add=Add rec=Reciprocal log=Log", "Mish": "mish=Mish", "GLU": "sigmoid=Sigmoid",
    "Sigmoid": "sigmoid=Sigmoid", "Softsign": "softsign=Softsign",
    "MaxPool1d": "expand=ExpandDims reduce_mean=ReduceMean", "AvgPool1d": "expand=ExpandDims slice=Slice reduce_mean=ReduceMean",
    "_Even": "expand=ExpandDims dtype=DType", "Unflatten": "shape=Shape reshape=Reshape", "Norm": "sqrt=Sqrt squeeze=Squeeze",
    "OneHot": "onehot=OneHot", "L1Regularizer": "abs=Abs reduce_sum=ReduceSum",
    "Moments": "cast=Cast square_diff=SquaredDifference", "MatMul": "shape_op=Shape expand_op=ExpandDims reduce_sum_op=ReduceSum",
    "Roll": "shape_op=Shape", "Tril": "dtype=DType mul=Mul cast=Cast", "Triu": "dtype=DType mul=Mul cast=Cast",
    "ChannelShuffle": "shape=Shape reshape=Reshape transpose=Transpose", "CentralCrop": "slice=Slice",
    "ReduceLogSumExp": "exp=Exp log=Log",
    "LGamma": """log=Log log1p=Log1p abs=Abs shape=Shape dtype=DType floor=Floor equal=Equal greater=Greater less=Less
        lessequal=LessEqual select=Select sin=Sin isfinite=IsFinite ones_like=OnesLike""",
    "DiGamma": """log1p=Log1p abs=Abs shape=Shape dtype=DType floor=Floor equal=Equal less=Less select=Select sin=Sin cos=Cos
        logicaland=LogicalAnd""",
    "TimeDistributed": "transpose=Transpose reshape=Reshape", "SmoothL1Loss": "smooth_l1_loss=SmoothL1Loss",
    "SoftmaxCrossEntropyWithLogits": """softmax_cross_entropy=SoftmaxCrossEntropyWithLogits one_hot=OneHot
        sparse_softmax_cross_entropy=SparseSoftmaxCrossEntropyWithLogits""",
    "CosineEmbeddingLoss": "maximum=Maximum", "PoissonNLLLoss": "maximum=Maximum", "MAELoss": "abs=Abs",
    "FocalLoss": "expand_dims=ExpandDims gather_d=GatherD squeeze=Squeeze tile=Tile dtype=DType", "DiceLoss": "reshape=Reshape",
    "MultiClassDiceLoss": "reshape=Reshape", "RMSELoss": "dtype=DType",
    "SampledSoftmaxLoss": """reshape=Reshape shape=Shape exp=Exp log=Log slice_op=Slice gather_v2=Gather reduce_max_true=ReduceMax
        reduce_sum_true=ReduceSum concat_dim0=Concat concat_dim1=Concat matmul=MatMul ones_like=OnesLike zeros_like=ZerosLike expand_dims=ExpandDims
        dtype=DType""",
}


def attach(modules):
    """Sets the primitives as attributes of the classes in the modules."""
    made = {}
    for name, text in _ON_CLASSES.items():
        layer = next(vars(module)[name] for module in modules if name in vars(module))
        for pair in text.split():
            attribute, _, primitive = pair.partition("=")
            if primitive not in made:
                made[primitive] = getattr(ops, primitive)()
            if attribute not in layer.__dict__:
                setattr(layer, attribute, made[primitive])
