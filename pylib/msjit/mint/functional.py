"""msjit.mint.nn.functional"""
from ..ops import (  # noqa: F401
    binary_cross_entropy, binary_cross_entropy_with_logits, cross_entropy, dropout, elu, gelu, layer_norm, leaky_relu,
    linear, log_softmax, mse_loss, nll_loss, one_hot, relu, sigmoid, silu, smooth_l1_loss, softmax, softplus, tanh,
)
