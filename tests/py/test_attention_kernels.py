"""ops.flash_attention_score and its kin against the formula in NumPy."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, ops

rng = np.random.RandomState(3)
B, N, N2, S1, S2, D = 2, 4, 2, 5, 6, 3
Q, K, V = (rng.normal(size=s).astype(np.float32) for s in ((B, N, S1, D), (B, N2, S2, D), (B, N2, S2, D)))
CAUSAL = np.triu(np.ones((S1, S2), bool), 1)


def formula(q, k, v, scale=1.0, left_out=None, shift=0.0, kept=1.0):
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1).astype(np.float64) for x in (k, v))
    scores = (q @ np.swapaxes(k, -1, -2) + shift) * scale
    scores = scores if left_out is None else np.where(left_out, -np.inf, scores)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return (powers / powers.sum(-1, keepdims=True) * kept) @ v


def laid(x, layout):
    if layout == "BNSD":
        return Tensor(x)
    x = np.ascontiguousarray(x.transpose((2, 0, 1, 3) if layout == "SBH" else (0, 2, 1, 3)))
    return Tensor(x if layout == "BSND" else x.reshape(x.shape[:2] + (-1,)))


@pytest.mark.parametrize("layout", ["BNSD", "BSH", "SBH", "BSND"])
def test_layouts(layout):
    out = ops.flash_attention_score(laid(Q, layout), laid(K, layout), laid(V, layout), N, scalar_value=0.5, input_layout=layout)
    np.testing.assert_allclose(out.asnumpy(), laid(formula(Q, K, V, 0.5), layout).asnumpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("options, left_out", [
    (dict(attn_mask=CAUSAL), CAUSAL), (dict(attn_mask=CAUSAL.astype(np.uint8), sparse_mode=1), CAUSAL),
    (dict(sparse_mode=2), CAUSAL), (dict(sparse_mode=3), np.triu(np.ones((S1, S2), bool), 1 + S2 - S1)),
    (dict(attn_mask=np.zeros((B, 1, S1, S2), bool), next_tokens=1, pre_tokens=2), np.triu(np.ones((S1, S2)), 2) + np.tril(np.ones((S1, S2)), -3) > 0),
    (dict(next_tokens=0), None)])
def test_masks(options, left_out):
    options = {name: Tensor(value) if isinstance(value, np.ndarray) else value for name, value in options.items()}
    out = ops.flash_attention_score(Tensor(Q), Tensor(K), Tensor(V), N, input_layout="BNSD", **options)
    np.testing.assert_allclose(out.asnumpy(), formula(Q, K, V, left_out=left_out), rtol=2e-5, atol=1e-6)


def test_the_shift_and_the_bits_that_stay():
    q, k, v = (rng.normal(size=(1, 2, 3, 4 if i == 0 else 4)).astype(np.float32) for i in range(3))
    k, v = (np.concatenate([x, x[:, :, ::-1], x[:, :, :2]], 2) for x in (k, v))  # eight keys
    shift, bits = rng.normal(size=(1, 2, 3, 8)).astype(np.float32), rng.randint(0, 256, (1, 2, 3, 1)).astype(np.uint8)
    kept = np.unpackbits(bits, axis=-1, bitorder="little") / 0.5
    out = ops.flash_attention_score(Tensor(q), Tensor(k), Tensor(v), 2, Tensor(shift), Tensor(bits), keep_prob=0.5, scalar_value=0.3,
                                    input_layout="BNSD")
    np.testing.assert_allclose(out.asnumpy(), formula(q, k, v, 0.3, shift=shift, kept=kept), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("mode", [2, 3])
def test_sequences_of_several_lengths_side_by_side(mode):
    rows, columns = [2, 3], [4, 3]
    q, k, v = (rng.normal(size=(n, 2, D)).astype(np.float32) for n in (5, 7, 7))
    out = ops.flash_attention_score(Tensor(q), Tensor(k), Tensor(v), 2, actual_seq_qlen=[2, 5], actual_seq_kvlen=Tensor([4, 7]),
                                    input_layout="TND", sparse_mode=mode).asnumpy()
    r = c = 0
    for rows_here, columns_here in zip(rows, columns):
        part = [x.transpose(1, 0, 2)[None] for x in (q[r:r + rows_here], k[c:c + columns_here], v[c:c + columns_here])]
        later = np.triu(np.ones((rows_here, columns_here), bool), 1 + (columns_here - rows_here if mode == 3 else 0))
        np.testing.assert_allclose(out[r:r + rows_here], formula(*part, left_out=later)[0].transpose(1, 0, 2), rtol=2e-5, atol=1e-6)
        r, c = r + rows_here, c + columns_here


@pytest.mark.jit
def test_the_primitive_in_float16_its_gradient_and_a_graph():
    attend = ops.operations.nn_ops.FlashAttentionScore(N, scale_value=0.5, input_layout="BNSD", sparse_mode=2)
    q, k, v = (Tensor(x).astype(ms.float16) for x in (Q, K, V))
    most, total, empty, out = attend(q, k, v)
    assert out.dtype == ms.float16 and most.shape == total.shape == (B, N, S1, 8) and empty.size == 0
    np.testing.assert_allclose(out.asnumpy(), formula(Q, K, V, 0.5, CAUSAL), rtol=2e-2, atol=2e-3)

    def loss(q, k, v):
        return (attend(q, k, v)[3] * 2).sum()
    found = ms.grad(loss, (0, 1, 2))(Tensor(Q), Tensor(K), Tensor(V))
    for a, b in zip(found, ms.jit(ms.grad(loss, (0, 1, 2)), mode="PIJit")(Tensor(Q), Tensor(K), Tensor(V))):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-4, atol=1e-5)
    step = rng.normal(size=Q.shape)
    numeric = 2 * (formula(Q + 1e-4 * step, K, V, 0.5, CAUSAL) - formula(Q - 1e-4 * step, K, V, 0.5, CAUSAL)).sum() / 2e-4
    assert abs((found[0].asnumpy() * step).sum() - numeric) < 1e-3


def test_a_prompt_with_lengths():
    out = ops.prompt_flash_attention(Tensor(Q), Tensor(K), Tensor(V), None, [3, 6], num_heads=N, num_key_value_heads=N2, scale_value=0.5,
                                     input_layout="BNSD")
    left_out = np.arange(S2) >= np.array([3, 6]).reshape(2, 1, 1, 1)
    np.testing.assert_allclose(out.asnumpy(), formula(Q, K, V, 0.5, left_out), rtol=2e-5, atol=1e-6)


def test_one_query_over_kept_keys():
    q = Q[:, :, :1]
    left_out = np.arange(S2) >= np.array([3, 6]).reshape(2, 1, 1, 1)
    expected = formula(q, K, V, 0.5, left_out)
    kinds = {"num_heads": N, "num_key_value_heads": N2, "scale_value": 0.5}
    masks = [Tensor(left_out.reshape(shape)) for shape in ((B, S2), (B, 1, S2), (B, 1, 1, S2))]
    for mask, lengths in [(None, [3, 6])] + [(mask, None) for mask in masks]:
        out = ops.incre_flash_attention(Tensor(q), [Tensor(K)], [Tensor(V)], mask, lengths, input_layout="BNSD", **kinds)
        np.testing.assert_allclose(out.asnumpy(), expected, rtol=2e-5, atol=1e-6)
    rows = [Tensor(np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(B, x.shape[2], -1)) for x in (q, K, V)]
    out = ops.auto_generate.IncreFlashAttention(**kinds)(rows[0], rows[1], (rows[2],), masks[0])
    assert out.shape == (B, 1, N * D)
    np.testing.assert_allclose(out.asnumpy().reshape(B, N, 1, D), expected, rtol=2e-5, atol=1e-6)
    for more in ({"block_table": Tensor([[0]])}, {"antiquant_scale": Tensor([1.0])}):
        with pytest.raises(NotImplementedError, match=r"^\[incre_flash_attention\] "):
            ops.incre_flash_attention(rows[0], rows[1], rows[2], num_heads=N, **more)
    with pytest.raises(NotImplementedError, match="got 2 Tensors"):
        ops.incre_flash_attention(rows[0], [rows[1]] * 2, rows[2])


def test_keys_and_values_in_blocks():
    caches = [Parameter(Tensor(np.zeros((4, 2, N2, D), np.float32)), name=name) for name in "kv"]
    slots = Tensor(np.array([6, 7, 2, -1, 0, 1, 4, 5], np.int32))  # blocks 3, 1 of the first batch, 0, 2 of the second
    rows = [np.ascontiguousarray(x[:, :, :4].transpose(0, 2, 1, 3)).reshape(B, 4, -1) for x in (K, V)]
    assert ops.operations.nn_ops.ReshapeAndCache()(Tensor(rows[0]), Tensor(rows[1]), *caches, slots).shape == (B, 4, N2 * D)
    np.testing.assert_array_equal(caches[0].asnumpy()[3], rows[0][0, :2].reshape(2, N2, D))
    np.testing.assert_array_equal(caches[1].asnumpy()[1, 1], 0)
    attend = ops.auto_generate.PagedAttention(N, 0.5, N2)
    out = attend(Tensor(np.ascontiguousarray(Q[:, :, :1].transpose(0, 2, 1, 3)).reshape(B, 1, -1)), *caches,
                 Tensor(np.array([[3, 1, -1], [0, 2, -1]], np.int32)), Tensor(np.array([3, 4], np.int32)))
    left_out = np.arange(4) >= np.array([3, 4]).reshape(2, 1, 1, 1)
    expected = formula(Q[:, :, :1], K[:, :, :4], V[:, :, :4], 0.5, left_out)
    np.testing.assert_allclose(out.asnumpy().reshape(B, N, 1, D), expected, rtol=2e-5, atol=1e-6)


def test_errors():
    q, k, v = Tensor(Q), Tensor(K), Tensor(V)
    for error, options in ((ValueError, dict(input_layout="BDS")), (RuntimeError, dict(sparse_mode=9)), (NotImplementedError, dict(sparse_mode=6)),
                           (ValueError, dict(sparse_mode=1)), (ValueError, dict(keep_prob=0.5)), (ValueError, dict(actual_seq_qlen=[1])),
                           (TypeError, dict(attn_mask=Tensor(np.zeros((S1, S2), np.float32)))), (NotImplementedError, dict(padding_mask=q))):
        with pytest.raises(error, match=r"^\[flash_attention_score\]"):
            ops.flash_attention_score(q, k, v, N, **dict(dict(input_layout="BNSD"), **options))
    with pytest.raises(RuntimeError, match="heads of the query, got 3"):
        ops.flash_attention_score(q[:, :3], k, v, 3, input_layout="BNSD")
    with pytest.raises(TypeError, match="dtypes of query, key and value"):
        ops.flash_attention_score(q.astype(ms.float16), k, v, N, input_layout="BNSD")
