"""msjit.mint.nn.functional"""
from ..ops import (  # noqa: F401
    binary_cross_entropy, binary_cross_entropy_with_logits, cross_entropy, dropout, elu, gelu, layer_norm, leaky_relu,
    linear, mse_loss, nll_loss, one_hot, relu, sigmoid, silu, softplus, tanh,
)
from ..ops import (  # noqa: F401
    cosine_embedding_loss, group_norm, hardsigmoid, hardtanh, logsigmoid, mish, prelu, relu6, selu, soft_margin_loss,
    threshold,
)
from .functional_more import (  # noqa: F401
    batch_norm, embedding, flatten, glu, hardshrink, hardswish, kl_div, l1_loss, log_softmax, normalize, smooth_l1_loss, softmax,
)
