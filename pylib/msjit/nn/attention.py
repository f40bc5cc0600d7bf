"""Attention with several heads."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_int
from ..common.initializer import XavierNormal, XavierUniform, initializer
from ..common.parameter import Parameter
from ..common.tensor import check_tensor
from .basic import Dense
from .cell import Cell

_linear = ops.registry.linear
_split = ops.registry.split
_WHERE = "MultiheadAttention"
_FLOATS = (mstype.float16, mstype.float32, mstype.float64, mstype.bfloat16)


class MultiheadAttention(Cell):
    """Multi-head attention (Vaswani et al. 2017): softmax(Q K^T / sqrt(head size)) V for each head, then a product that joins the heads.

    query is (target length, batch, embed_dim), key (source length, batch, kdim) and value (source length, batch, vdim). The batch comes first
    with batch_first, and may be missing.

    A call returns (output, attention weights). The weights are their mean over the heads with average_attn_weights, and missing without
    need_weights. A mask is True (bool) or -inf (float) at positions that must not be attended to. Raises ValueError for an embed_dim that
    num_heads does not divide and for inputs of other sizes.
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, has_bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None,
                 vdim=None, batch_first=False, dtype=mstype.float32):
        super().__init__()
        embed_dim, num_heads = check_int(embed_dim, _WHERE, "embed_dim"), check_int(num_heads, _WHERE, "num_heads")
        if num_heads < 1:
            raise ValueError("[%s] num_heads, got %d, expected 1 or more" % (_WHERE, num_heads))
        if embed_dim % num_heads:
            raise ValueError("[%s] embed_dim must be a multiple of num_heads, got %s and %s"
                             % (_WHERE, embed_dim, num_heads))
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else check_int(kdim, _WHERE, "kdim")
        self.vdim = embed_dim if vdim is None else check_int(vdim, _WHERE, "vdim")
        self.dropout, self.batch_first, self.add_zero_attn, self.dtype = dropout, batch_first, bool(add_zero_attn), dtype
        self._packed = self.kdim == embed_dim and self.vdim == embed_dim
        self.in_proj_weight = self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        if self._packed:
            self.in_proj_weight = _weight(XavierUniform(), (3 * embed_dim, embed_dim), dtype, "in_proj_weight")
        else:
            self.q_proj_weight = _weight(XavierUniform(), (embed_dim, embed_dim), dtype, "q_proj_weight")
            self.k_proj_weight = _weight(XavierUniform(), (embed_dim, self.kdim), dtype, "k_proj_weight")
            self.v_proj_weight = _weight(XavierUniform(), (embed_dim, self.vdim), dtype, "v_proj_weight")
        self.in_proj_bias = _weight("zeros", (3 * embed_dim,), dtype, "in_proj_bias") if has_bias else None
        self.out_proj = Dense(embed_dim, embed_dim, has_bias=has_bias, dtype=dtype)
        self.bias_k = _weight(XavierNormal(), (1, 1, embed_dim), dtype, "bias_k") if add_bias_kv else None
        self.bias_v = _weight(XavierNormal(), (1, 1, embed_dim), dtype, "bias_v") if add_bias_kv else None

    def construct(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                  average_attn_weights=True):
        """key_padding_mask (batch, source length); attn_mask (target length, source length) or one for each batch * head."""
        batched = self._check(query, key, value, key_padding_mask)
        q, k, v = self._project(query, key, value)
        axis = 1 if self.batch_first else 0
        if not batched:
            q, k, v = (ops.expand_dims(x, 1 - axis) for x in (q, k, v))
            if key_padding_mask is not None:
                key_padding_mask = ops.expand_dims(key_padding_mask, 0)
        q, k, v = self._heads(q), self._heads(k, self.bias_k), self._heads(v, self.bias_v)
        if self.add_zero_attn:
            zeros = ops.zeros(k.shape[:2] + (1, self.head_dim), k.dtype)
            k, v = ops.cat((k, zeros), 2), ops.cat((v, zeros), 2)
        mask = self._mask(q, k.shape[2] - self._extra(), attn_mask, key_padding_mask)
        scores = ops.matmul(q * (1.0 / math.sqrt(self.head_dim)), ops.swapaxes(k, 2, 3))
        shares = ops.softmax(scores if mask is None else scores + mask, -1)
        shares = ops.dropout(shares, self.dropout, self.training)
        out = ops.matmul(shares, v)
        out = ops.transpose(out, (0, 2, 1, 3) if self.batch_first else (2, 0, 1, 3))
        out = self.out_proj(out.reshape(out.shape[0], out.shape[1], self.embed_dim))
        if not batched:
            out = ops.squeeze(out, 1 - axis)
        if not need_weights:
            return (out,)
        if average_attn_weights:
            shares = ops.sum(shares, 1) / self.num_heads
        return out, shares if batched else ops.squeeze(shares, 0)

    def _project(self, query, key, value):
        """The three projections; inputs that are the same tensor share one product."""
        weight, bias, size = self.in_proj_weight, self.in_proj_bias, self.embed_dim
        if self._packed and query is key and key is value:
            return _split(_linear(query, weight, bias), [size] * 3, -1)
        b_q, b_k, b_v = (None, None, None) if bias is None else _split(bias, [size] * 3, 0)
        if not self._packed:
            return (_linear(query, self.q_proj_weight, b_q), _linear(key, self.k_proj_weight, b_k),
                    _linear(value, self.v_proj_weight, b_v))
        if key is value:
            k, v = _split(_linear(key, weight[size:], None if bias is None else bias[size:]), [size] * 2, -1)
            return _linear(query, weight[:size], b_q), k, v
        return (_linear(query, weight[:size], b_q), _linear(key, weight[size:2 * size], b_k),
                _linear(value, weight[2 * size:], b_v))

    def _heads(self, x, extra=None):
        """Splits a projection into (batch, heads, length, head size), after appending the learnt row `extra` if there is one."""
        if extra is not None:
            axis = 1 if self.batch_first else 0
            row = [x.shape[0], 1, self.embed_dim] if self.batch_first else [1, x.shape[1], self.embed_dim]
            x = ops.cat((x, ops.broadcast_to(ops.cast(extra, x.dtype), row)), axis)
        x = x.reshape(x.shape[0], x.shape[1], self.num_heads, self.head_dim)
        return ops.transpose(x, (0, 2, 1, 3) if self.batch_first else (1, 2, 0, 3))

    def _extra(self):
        """The number of rows that the keys have beyond the sequence."""
        return (self.bias_k is not None) + self.add_zero_attn

    def _mask(self, q, source, attn_mask, padding):
        """The sum of the masks as floats that broadcast to (batch, heads, target, source), or None."""
        batch, heads, target = q.shape[:3]
        mask = None
        if attn_mask is not None:
            attn_mask = _as_floats(attn_mask, q.dtype, "attn_mask")
            if attn_mask.shape == (target, source):
                mask = attn_mask
            elif attn_mask.shape == (batch * heads, target, source):
                mask = attn_mask.reshape(batch, heads, target, source)
            else:
                raise ValueError("[%s] shape of attn_mask, got %s, expected %s or %s"
                                 % (_WHERE, attn_mask.shape, (target, source), (batch * heads, target, source)))
        if padding is not None:
            if check_tensor(padding, _WHERE, "key_padding_mask").shape != (batch, source):
                raise ValueError("[%s] shape of key_padding_mask, got %s, expected %s"
                                 % (_WHERE, padding.shape, (batch, source)))
            padding = _as_floats(padding, q.dtype, "key_padding_mask").reshape(batch, 1, 1, source)
            mask = padding if mask is None else mask + padding
        if mask is None or not self._extra():
            return mask
        return ops.cat((mask, ops.zeros(mask.shape[:-1] + (self._extra(),), mask.dtype)), -1)

    def _check(self, query, key, value, padding):
        """Raises if the shapes do not fit; returns whether there is a batch."""
        for x in (query, key, value):
            check_tensor(x, _WHERE)
        if query.ndim not in (2, 3) or key.ndim != query.ndim or value.ndim != query.ndim:
            raise ValueError("[%s] ranks of query, key and value, got %d, %d and %d, expected all 3 or all 2"
                             % (_WHERE, query.ndim, key.ndim, value.ndim))
        if query.shape[-1] != self.embed_dim:
            raise ValueError("[%s] size of the query's last axis, got %d, expected %d"
                             % (_WHERE, query.shape[-1], self.embed_dim))
        if key.shape[:-1] != value.shape[:-1] or (self._packed and key.shape != value.shape):
            raise ValueError("[%s] shapes of key and value, got %s and %s, expected the same lengths and batch"
                             % (_WHERE, key.shape, value.shape))
        if key.shape[-1] != self.kdim or value.shape[-1] != self.vdim:
            raise ValueError("[%s] sizes of the last axes of key and value, got %d and %d, expected %d and %d"
                             % (_WHERE, key.shape[-1], value.shape[-1], self.kdim, self.vdim))
        axis = 0 if self.batch_first else 1
        if query.ndim == 3 and query.shape[axis] != key.shape[axis]:
            raise ValueError("[%s] batch of query and key, got %d and %d, expected the same"
                             % (_WHERE, query.shape[axis], key.shape[axis]))
        if padding is not None and padding.ndim != query.ndim - 1:
            raise ValueError("[%s] rank of key_padding_mask, got %d, expected %d" % (_WHERE, padding.ndim, query.ndim - 1))
        return query.ndim == 3


def _weight(init, shape, dtype, name):
    return Parameter(initializer(init, shape, dtype), name=name)


def _as_floats(mask, dtype, what):
    """A mask as numbers to add to the scores: -inf where a boolean one is True."""
    if mask.dtype in _FLOATS:
        return mask
    if mask.dtype == mstype.bool_ or (mask.dtype == mstype.uint8 and what == "attn_mask"):
        zeros = ops.registry.zeros(mask.shape, dtype)
        return ops.where(ops.cast(mask, mstype.bool_), zeros - math.inf, zeros)
    raise ValueError("[%s] dtype of %s, got %s, expected bool or a float" % (_WHERE, what, mask.dtype))
