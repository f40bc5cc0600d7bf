"""Attention as one function of query, key and value, under the names of MindSpore's kernels for NPUs; and caches of keys
and values in blocks.

Products and softmax are computed in float32 or wider, whatever the dtype of the query; the result has the dtype of the
query. The formulas are those of MindSpore's documentation of the same names.
"""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .index_func import tensor_scatter_update as _scattered
from .other_func import assign as _assign

_EVERY = 2147483647  # pre_tokens and next_tokens of this value mask nothing
# The order of the axes in each layout: batch B, heads N, positions S, width D; H is heads * width, and T joins batch and positions.
_LAYOUTS = ("BSH", "BNSD", "SBH", "BSND", "TND")


def _not_offered(where, **values):
    for name, value in values.items():
        if value is not None:
            raise NotImplementedError("[%s] %s, got %s, expected None: it is not offered" % (where, name, type(value).__name__))


def _by_heads(x, heads, layout, where):
    """Transposes x to (batch, heads, positions, width)."""
    rank = len(layout)
    if _check(x, where).ndim != rank:
        raise ValueError("[%s] rank of an operand, got %d, expected %d for the layout %s" % (where, x.ndim, rank, layout))
    if layout == "BNSD":
        return x
    if layout == "TND":
        return _k.expand_dims(_k.transpose(x, (1, 0, 2)), 0)
    if layout == "BSND":
        return _k.transpose(x, (0, 2, 1, 3))
    if x.shape[2] % heads:
        raise RuntimeError("[%s] last size of an operand, got %d, expected a multiple of the %d heads" % (where, x.shape[2], heads))
    parts = _k.reshape(x, (x.shape[0], x.shape[1], heads, x.shape[2] // heads))
    return _k.transpose(parts, (0, 2, 1, 3) if layout == "BSH" else (1, 2, 0, 3))


def _in_layout(out, layout):
    """Transposes (batch, heads, positions, width) to the layout of the query."""
    if layout == "BNSD":
        return out
    if layout == "TND":
        return _k.transpose(out[0], (1, 0, 2))
    out = _k.transpose(out, (2, 0, 1, 3) if layout == "SBH" else (0, 2, 1, 3))
    return out if layout == "BSND" else _k.reshape(out, (out.shape[0], out.shape[1], out.shape[2] * out.shape[3]))


def _of_each_head(x, heads, where):
    """Repeats the heads of keys or values so that each head of the query has one."""
    batch, own, positions, width = x.shape
    if heads % own:
        raise RuntimeError("[%s] heads of the query, got %d, expected a multiple of the %d of key and value" % (where, heads, own))
    if own == heads:
        return x
    wide = _k.broadcast_to(_k.expand_dims(x, 2), (batch, own, heads // own, positions, width))
    return _k.reshape(wide, (batch, heads, positions, width))


def _weights(query, key, scale, shift, left_out):
    """Returns (attention weights, greatest score of each query, sum of its exponentials)."""
    scores = _k.matmul(query, key, False, True)
    scores = (scores if shift is None else scores + _k.cast(shift, scores.dtype)) * scale
    if left_out is not None:
        scores = _k.where(left_out, -3.0e38, scores)
    most = _k.max(scores, -1, True)
    powers = _k.exp(scores - most)
    total = _k.sum(powers, -1, True)
    return powers / total, most, total


def _wide(x):
    return x if x.dtype == _mstype.float64 else _k.cast(x, _mstype.float32)


def _as_ends(lengths):
    return _k.cast(lengths if isinstance(lengths, _Tensor) else _Tensor(list(lengths)), _mstype.int64)


def _segments(ends, count):
    """For `count` rows in sequences that end at `ends`: (the sequence of each row, its index in it, the length of that sequence)."""
    places = _k.arange(0, count, 1, dtype=_mstype.int64)
    number = _k.sum(_k.cast(_k.greater_equal(_k.expand_dims(places, 1), _k.expand_dims(ends, 0)), _mstype.int64), 1)
    starts = _k.concat([_k.zeros((1,), _mstype.int64), ends])
    begin = _k.gather(starts, number, 0)
    return number, places - begin, _k.gather(ends, number, 0) - begin


def _pairs(rows, columns, row_ends, column_ends):
    """Returns (column index minus row index within their sequences, columns minus rows of the sequence, whether both are
    in the same sequence or None)."""
    if row_ends is None:
        row = _k.expand_dims(_k.arange(0, rows, 1, dtype=_mstype.int64), 1)
        return _k.expand_dims(_k.arange(0, columns, 1, dtype=_mstype.int64), 0) - row, columns - rows, None
    row_number, row, row_length = _segments(_as_ends(row_ends), rows)
    column_number, column, column_length = _segments(_as_ends(column_ends), columns)
    same = _k.equal(_k.expand_dims(column_number, 0), _k.expand_dims(row_number, 1))
    more = _k.expand_dims(column_length, 0) - _k.expand_dims(row_length, 1)
    return _k.expand_dims(column, 0) - _k.expand_dims(row, 1), more, same


def _left_out(where, mode, mask, rows, columns, tokens, ends):
    """Returns which (row, column) a sparse_mode masks, as a bool Tensor that broadcasts to (batch, heads, rows, columns), or None."""
    if mode not in range(9):
        raise RuntimeError("[%s] sparse_mode, got %r, expected 0 to 8" % (where, mode))
    if mode > 5 or (mode == 4 and rows != columns):
        raise NotImplementedError("[%s] sparse_mode, got %d, expected 0 to 3, 5, or 4 for as many keys as queries" % (where, mode))
    if mask is not None and _check(mask, where).dtype not in (_mstype.bool_, _mstype.uint8, _mstype.int8):
        raise TypeError("[%s] attn_mask, got %s, expected bool, int8 or uint8" % (where, mask.dtype))
    if mask is None and mode in (1, 5):
        raise ValueError("[%s] attn_mask, got None, expected a Tensor for sparse_mode %d" % (where, mode))
    banded = mode == 4 or (mode == 0 and mask is not None and min(tokens) < _EVERY)
    apart = more = out = None
    if mode in (2, 3) or banded or ends[0] is not None:
        apart, more, same = _pairs(rows, columns, *ends)
        out = None if same is None else _k.logical_not(same)
    if mode in (2, 3):
        later = _k.greater(apart, 0 if mode == 2 else more)
        return later if out is None else _k.logical_or(later, out)
    if mask is not None and mode != 4:
        mask = _k.not_equal(mask, 0)
        mask = _k.expand_dims(mask, 1) if mask.ndim == 3 else mask
        out = mask if out is None else _k.logical_or(out, mask)
    if banded:
        for beyond, limit in ((apart, tokens[1]), (-apart, tokens[0])):
            if limit < _EVERY:
                beyond = _k.greater(beyond, limit)
                out = beyond if out is None else _k.logical_or(out, beyond)
    return out


def attention_parts(where, query, key, value, head_num, shift=None, drop_mask=None, attn_mask=None, ends=(None, None), keep_prob=1.0,
                    scale=1.0, tokens=(_EVERY, _EVERY), layout="BSH", mode=0, kv_heads=None, also_out=None):
    """Returns (attention in the layout of the query, greatest scores, sums of exponentials).

    The latter two are (batch, heads, positions, 1).
    """
    if layout not in _LAYOUTS:
        raise ValueError("[%s] input_layout, got %r, expected one of %s" % (where, layout, ", ".join(_LAYOUTS)))
    if isinstance(head_num, bool) or not isinstance(head_num, int) or head_num < 1:
        raise RuntimeError("[%s] number of heads, got %r, expected an int above 0" % (where, head_num))
    if any((end is None) is (layout == "TND") for end in ends):
        raise ValueError("[%s] actual_seq_qlen and actual_seq_kvlen, expected both with the layout TND, and neither with another layout" % where)
    if (keep_prob == 1.0) is not (drop_mask is None):
        raise ValueError("[%s] drop_mask, got %s for keep_prob %s, expected one for a keep_prob below 1 alone"
                         % (where, "None" if drop_mask is None else "one", keep_prob))
    if not _check(query, where).dtype == _check(key, where).dtype == _check(value, where).dtype:
        raise TypeError("[%s] dtypes of query, key and value, got %s, %s and %s, expected the same" % (where, query.dtype, key.dtype, value.dtype))
    q = _by_heads(query, head_num, layout, where)
    if key.ndim != len(layout):
        raise ValueError("[%s] rank of key, got %d, expected %d for the layout %s" % (where, key.ndim, len(layout), layout))
    if kv_heads is None:
        kv_heads = head_num if len(layout) != 3 or layout == "TND" else max(1, key.shape[2] // q.shape[3])
    k, v = (_of_each_head(_by_heads(x, kv_heads, layout, where), head_num, where) for x in (key, value))
    out = _left_out(where, mode, attn_mask, q.shape[2], k.shape[2], tokens, ends)
    out = also_out if out is None else out if also_out is None else _k.logical_or(out, also_out)
    weights, most, total = _weights(_wide(q), _wide(k), scale, shift, out)
    if drop_mask is not None:
        weights = _dropped(weights, drop_mask, keep_prob)
    return _in_layout(_k.cast(_k.matmul(weights, _wide(v)), query.dtype), layout), most, total


def _dropped(weights, bits, keep_prob):
    """Applies a dropout mask of bits, eight in each byte, the lowest first; kept weights are divided by keep_prob."""
    powers = _Tensor([1, 2, 4, 8, 16, 32, 64, 128], _mstype.int32)
    bits = _k.bitwise_and(_k.expand_dims(_k.cast(bits, _mstype.int32), -1), powers)
    kept = _k.reshape(_k.not_equal(bits, 0), weights.shape)
    return _k.where(kept, weights / keep_prob, _k.zeros_like(weights))


def flash_attention_score(query, key, value, head_num, real_shift=None, drop_mask=None, padding_mask=None, attn_mask=None, prefix=None,
                          actual_seq_qlen=None, actual_seq_kvlen=None, keep_prob=1.0, scalar_value=1.0, pre_tokens=_EVERY,
                          next_tokens=_EVERY, inner_precise=0, input_layout="BSH", sparse_mode=0):
    """Attention: dropout(softmax(mask((query @ key^T + real_shift) * scalar_value))) @ value, in the shape and dtype of
    query.

    query, key, value   (B, S, H), (B, N, S, D), (S, B, H), (B, S, N, D) or (T, N, D), as input_layout says; any float. N of key and
                        value divides head_num
    attn_mask           bool or uint8, true where a key is masked: (S1, S2), (B, 1, S1, S2) or (B, N, S1, S2)
    sparse_mode         0: attn_mask, and with it pre_tokens and next_tokens; 1, 5: attn_mask; 2, 3: causal, with query and key aligned
                        at their first (2) or last (3) elements, and attn_mask ignored; 4: pre_tokens and next_tokens, for S1 == S2
    actual_seq_qlen, actual_seq_kvlen   with TND: where the sequences end in query and in key
    drop_mask           uint8 (B, N, S1, S2 / 8): a bit for each weight, 1 where it stays
    If all keys of a row are masked, the result is their mean. Raises ValueError for other layouts and shapes, TypeError for other dtypes,
    RuntimeError for heads and modes that do not fit, NotImplementedError for padding_mask and other modes.

    >>> import msjit as ms
    >>> x = ms.ops.ones((2, 4, 64), ms.float16)
    >>> ms.ops.flash_attention_score(x, x, x, 4).shape
    (2, 4, 64)
    """
    where = "flash_attention_score"
    _not_offered(where, padding_mask=padding_mask)
    return attention_parts(where, query, key, value, head_num, real_shift, drop_mask, attn_mask, (actual_seq_qlen, actual_seq_kvlen),
                           keep_prob, scalar_value, (pre_tokens, next_tokens), input_layout, sparse_mode)[0]


def _beyond(lengths, columns):
    """Returns which columns lie beyond the length of each batch, as (batch, 1, 1, columns); None without lengths."""
    if lengths is None:
        return None
    places = _k.reshape(_k.arange(0, columns, 1, dtype=_mstype.int64), (1, 1, 1, columns))
    return _k.greater_equal(places, _k.reshape(_as_ends(lengths), (-1, 1, 1, 1)))


def prompt_flash_attention(query, key, value, attn_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None, pse_shift=None,
                           deq_scale1=None, quant_scale1=None, deq_scale2=None, quant_scale2=None, quant_offset2=None, num_heads=1,
                           scale_value=1.0, pre_tokens=_EVERY, next_tokens=0, input_layout="BSH", num_key_value_heads=0, sparse_mode=0,
                           inner_precise=1):
    """Attention as flash_attention_score, for inference: softmax(mask(query @ key^T * scale_value + pse_shift)) @ value.

    actual_seq_lengths_kv, or else actual_seq_lengths, says how many keys of each batch count. num_key_value_heads 0 means num_heads.
    Layouts are BSH and BNSD. Raises NotImplementedError for scales of quantised operands, TypeError for operands that are no Tensors.
    """
    where = "prompt_flash_attention"
    _not_offered(where, deq_scale1=deq_scale1, quant_scale1=quant_scale1, deq_scale2=deq_scale2, quant_scale2=quant_scale2,
                 quant_offset2=quant_offset2)
    if input_layout not in ("BSH", "BNSD"):
        raise ValueError("[%s] input_layout, got %r, expected 'BSH' or 'BNSD'" % (where, input_layout))
    _check(query, where)
    if _check(key, where).ndim < 2:
        raise ValueError("[%s] rank of key, got %d, expected %d for the layout %s" % (where, key.ndim, len(input_layout), input_layout))
    lengths = actual_seq_lengths if actual_seq_lengths_kv is None else actual_seq_lengths_kv
    shift = None if pse_shift is None else _wide(_check(pse_shift, where)) / scale_value
    return attention_parts(where, query, key, value, num_heads, shift, None, attn_mask, scale=scale_value, tokens=(pre_tokens, next_tokens),
                           layout=input_layout, mode=sparse_mode, kv_heads=num_key_value_heads or num_heads,
                           also_out=_beyond(lengths, key.shape[-2]))[0]


def _whole(where, parts):
    """The one Tensor in a tuple or list of keys or values; a Tensor is taken as it is."""
    if isinstance(parts, (tuple, list)):
        if len(parts) != 1:
            raise NotImplementedError("[%s] keys and values, got %d Tensors, expected one with all batches" % (where, len(parts)))
        parts = parts[0]
    if _check(parts, where).ndim < 3:
        raise ValueError("[%s] rank of keys and values, got %d, expected at least 3" % (where, parts.ndim))
    return parts


def incre_flash_attention(query, key, value, attn_mask=None, actual_seq_lengths=None, pse_shift=None, dequant_scale1=None,
                          quant_scale1=None, dequant_scale2=None, quant_scale2=None, quant_offset2=None, antiquant_scale=None,
                          antiquant_offset=None, block_table=None, num_heads=1, input_layout="BSH", scale_value=1.0,
                          num_key_value_heads=0, block_size=0, inner_precise=1, kv_padding_size=None):
    """Attention of one query in each batch, (B, 1, H) or (B, N, 1, D), over keys and values that are kept, as prompt_flash_attention.

    key and value are each a Tensor or a list of one. attn_mask (B, S), (B, 1, S) or (B, 1, 1, S) is true where a key is masked;
    actual_seq_lengths says how many keys of each batch count. Raises NotImplementedError for quantised operands, blocks and padding on the
    left: paged_attention reads blocks.
    """
    where = "incre_flash_attention"
    _not_offered(where, dequant_scale1=dequant_scale1, quant_scale1=quant_scale1, dequant_scale2=dequant_scale2, quant_scale2=quant_scale2,
                 quant_offset2=quant_offset2, antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset, block_table=block_table,
                 kv_padding_size=kv_padding_size)
    _check(query, where)
    if attn_mask is not None and _check(attn_mask, where).ndim == 2:
        attn_mask = _k.expand_dims(attn_mask, 1)
    return prompt_flash_attention(query, _whole(where, key), _whole(where, value), attn_mask, None, actual_seq_lengths, pse_shift,
                                  num_heads=num_heads, scale_value=scale_value, next_tokens=_EVERY, input_layout=input_layout,
                                  num_key_value_heads=num_key_value_heads)


def reshape_and_cache(key, value=None, key_cache=None, value_cache=None, slot_mapping=None):
    """Writes keys and values into caches (blocks, positions, heads, width) at the slots in slot_mapping; returns key.

    Slots count through blocks and positions; slot -1 writes nothing. key and value may have any shape with the right number
    of elements.

    Raises TypeError for operands that are not Tensors, ValueError for caches of fewer than two axes.
    """
    for rows, cache in ((key, key_cache), (value, value_cache)):
        if rows is None or cache is None:
            continue
        if _check(cache, "reshape_and_cache").ndim < 2:
            raise ValueError("[reshape_and_cache] rank of a cache, got %d, expected 4" % cache.ndim)
        width = cache.shape[-2] * cache.shape[-1]
        flat = _k.reshape(cache, (-1, width))
        slots = _k.reshape(_check(slot_mapping, "reshape_and_cache"), (-1, 1))
        slots = _k.where(_k.less(slots, 0), flat.shape[0], slots)  # elements with slot -1 go to an extra row, which is cut off
        flat = _k.concat([flat, _k.zeros((1, width), flat.dtype)])
        rows = _k.cast(_k.reshape(_check(rows, "reshape_and_cache"), (-1, width)), flat.dtype)
        _assign(cache, _k.reshape(_scattered(flat, slots, rows)[:-1], cache.shape))
    return key


def paged_attention(query, key_cache, value_cache, block_tables, context_lens, head_num, scale_value, kv_head_num):
    """Attention of one query in each batch over its first context_lens keys, which lie in the cache blocks that
    block_tables names.

    query (B, 1, H) or (B, N, D); caches (blocks, positions, N2, D); block_tables (B, M) of ints; context_lens (B,) of ints. The result
    has the shape and dtype of query. Raises TypeError for operands that are not Tensors, RuntimeError for numbers of heads that do not fit.
    """
    where = "paged_attention"
    if not _check(query, where).ndim or not _check(key_cache, where).ndim:
        raise ValueError("[%s] ranks of query and key_cache, got %d and %d, expected 2 or 3 and 4" % (where, query.ndim, key_cache.ndim))
    batch, width = query.shape[0], key_cache.shape[-1]
    tables = _k.where(_k.less(_check(block_tables, where), 0), 0, block_tables)
    if tables.shape[0] != batch or query.size != batch * head_num * width:
        raise ValueError("[%s] shapes, got a query of %s and block_tables of %s for %d heads of %d, expected one query a batch"
                         % (where, tuple(query.shape), tuple(block_tables.shape), head_num, width))

    def gathered(cache):
        found = _k.reshape(_k.gather(cache, tables, 0), (batch, -1, kv_head_num, width))
        return _k.transpose(found, (0, 2, 1, 3))
    key, value = gathered(_check(key_cache, where)), gathered(_check(value_cache, where))
    out = attention_parts(where, _k.reshape(query, (batch, head_num, 1, width)), _k.cast(key, query.dtype), _k.cast(value, query.dtype),
                          head_num, scale=scale_value, layout="BNSD", also_out=_beyond(context_lens, key.shape[2]))[0]
    return _k.reshape(out, query.shape)


__all__ = ["flash_attention_score", "incre_flash_attention", "prompt_flash_attention", "reshape_and_cache"]
