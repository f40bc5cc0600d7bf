"""Primitives for attention; they call the functions of attention_func.py."""
from . import attention_func as _f
from . import registry as _k
from .primitive import Primitive


class FlashAttentionScore(Primitive):
    """Computes attention, as ops.flash_attention_score does.

    A call returns (maximum scores, sums of exponentials, an empty Tensor, attention). The first two are float32 (B, N, S1,
    8), with each number repeated eight times.
    """

    def __init__(self, head_num, keep_prob=1.0, scale_value=1.0, pre_tokens=_f._EVERY, next_tokens=_f._EVERY, inner_precise=0,
                 input_layout="BSH", sparse_mode=0):
        super().__init__()
        self.head_num, self.keep_prob, self.scale_value, self.pre_tokens = head_num, keep_prob, scale_value, pre_tokens
        self.next_tokens, self.inner_precise, self.input_layout, self.sparse_mode = next_tokens, inner_precise, input_layout, sparse_mode

    def __call__(self, query, key, value, real_shift=None, drop_mask=None, padding_mask=None, attn_mask=None, prefix=None,
                 actual_seq_qlen=None, actual_seq_kvlen=None):
        _f._not_offered("FlashAttentionScore", padding_mask=padding_mask)
        out, most, total = _f.attention_parts(
            "FlashAttentionScore", query, key, value, self.head_num, real_shift, drop_mask, attn_mask, (actual_seq_qlen, actual_seq_kvlen),
            self.keep_prob, self.scale_value, (self.pre_tokens, self.next_tokens), self.input_layout, self.sparse_mode)
        eight = tuple(most.shape[:-1]) + (8,)
        return _k.broadcast_to(most, eight), _k.broadcast_to(total, eight), _k.zeros((0,), query.dtype), out


class PromptFlashAttention(Primitive):
    """Computes attention for inference, as ops.prompt_flash_attention does."""

    def __init__(self, num_heads=1, scale_value=1.0, pre_tokens=_f._EVERY, next_tokens=0, input_layout="BSH", num_key_value_heads=0,
                 sparse_mode=0, inner_precise=1):
        super().__init__()
        self.num_heads, self.scale_value, self.pre_tokens, self.next_tokens = num_heads, scale_value, pre_tokens, next_tokens
        self.input_layout, self.num_key_value_heads, self.sparse_mode = input_layout, num_key_value_heads, sparse_mode
        self.inner_precise = inner_precise

    def __call__(self, query, key, value, attn_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None, pse_shift=None,
                 deq_scale1=None, quant_scale1=None, deq_scale2=None, quant_scale2=None, quant_offset2=None):
        return _f.prompt_flash_attention(
            query, key, value, attn_mask, actual_seq_lengths, actual_seq_lengths_kv, pse_shift, deq_scale1, quant_scale1, deq_scale2,
            quant_scale2, quant_offset2, self.num_heads, self.scale_value, self.pre_tokens, self.next_tokens, self.input_layout,
            self.num_key_value_heads, self.sparse_mode)


class IncreFlashAttention(Primitive):
    """Computes attention of one query in each batch, as ops.incre_flash_attention does."""

    def __init__(self, num_heads=1, input_layout="BSH", scale_value=1.0, num_key_value_heads=0, block_size=0, inner_precise=1):
        super().__init__()
        self.num_heads, self.input_layout, self.scale_value, self.num_key_value_heads = num_heads, input_layout, scale_value, num_key_value_heads
        self.block_size, self.inner_precise = block_size, inner_precise

    def __call__(self, query, key, value, attn_mask=None, actual_seq_lengths=None, pse_shift=None, dequant_scale1=None, quant_scale1=None,
                 dequant_scale2=None, quant_scale2=None, quant_offset2=None, antiquant_scale=None, antiquant_offset=None, block_table=None,
                 kv_padding_size=None):
        return _f.incre_flash_attention(
            query, key, value, attn_mask, actual_seq_lengths, pse_shift, dequant_scale1, quant_scale1, dequant_scale2, quant_scale2,
            quant_offset2, antiquant_scale, antiquant_offset, block_table, self.num_heads, self.input_layout, self.scale_value,
            self.num_key_value_heads, self.block_size, self.inner_precise, kv_padding_size)


class ReshapeAndCache(Primitive):
    """Writes keys and values into caches, as ops.reshape_and_cache."""

    def __call__(self, key, value=None, key_cache=None, value_cache=None, slot_mapping=None):
        return _f.reshape_and_cache(key, value, key_cache, value_cache, slot_mapping)


class PagedAttention(Primitive):
    """Computes the attention of one query in each batch (B, 1, H) to its first context_lens keys, stored in cache
    blocks.

    The caches are (blocks, positions, N, D), and block_tables (B, M) names the blocks. Raises NotImplementedError for
    masks, for more than one query in a batch, and for quantised caches.
    """

    def __init__(self, head_num, scale_value, kv_head_num, kv_cache_quant_mode="DEFAULT", mask_mode="MASK_DEFAULT", mla_v_dim=0):
        super().__init__()
        if mask_mode != "MASK_DEFAULT" or mla_v_dim:
            raise NotImplementedError("[PagedAttention] mask_mode and mla_v_dim, got %r and %r, expected 'MASK_DEFAULT' and 0" % (mask_mode, mla_v_dim))
        self.head_num, self.scale_value, self.kv_head_num, self.kv_cache_quant_mode = head_num, scale_value, kv_head_num, kv_cache_quant_mode

    def __call__(self, query, key_cache, value_cache=None, block_tables=None, context_lens=None, antiquant_scale=None,
                 antiquant_offset=None, attn_mask=None, q_seq_lens=None, alibi_mask=None):
        _f._not_offered("PagedAttention", antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset, attn_mask=attn_mask,
                        q_seq_lens=q_seq_lens, alibi_mask=alibi_mask)
        return _f.paged_attention(query, key_cache, value_cache, block_tables, context_lens, self.head_num, self.scale_value,
                                  self.kv_head_num)


class PagedAttentionMask(PagedAttention):
    """Computes the same as PagedAttention, in the form that takes a bias alibi_mask; raises NotImplementedError for a bias."""

    def __init__(self, head_num, scale_value, kv_head_num, kv_cache_quant_mode="DEFAULT"):
        super().__init__(head_num, scale_value, kv_head_num, kv_cache_quant_mode)

    def __call__(self, query, key_cache, value_cache, block_tables, context_lens, antiquant_scale=None, antiquant_offset=None,
                 alibi_mask=None):
        _f._not_offered("PagedAttentionMask", antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset, alibi_mask=alibi_mask)
        return _f.paged_attention(query, key_cache, value_cache, block_tables, context_lens, self.head_num, self.scale_value,
                                  self.kv_head_num)


__all__ = ["FlashAttentionScore", "PromptFlashAttention", "IncreFlashAttention", "ReshapeAndCache", "PagedAttention", "PagedAttentionMask"]
