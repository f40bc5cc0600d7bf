"""Attention and Transformer layers against NumPy; compiled and in training."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops


def array(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def attention(net, q, k, v, mask, heads):
    """(output, shares) in NumPy of (length, batch, size) inputs; mask broadcasts to (batch, heads, target, source)."""
    w = {n: p.asnumpy() for n, p in net.parameters_and_names()}
    rows = []
    names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
    weights = np.split(w["in_proj_weight"], 3) if "in_proj_weight" in w else [w[n] for n in names]
    for x, weight, bias in zip((q, k, v), weights, np.split(w["in_proj_bias"], 3)):
        x = x @ weight.T + bias
        rows.append(x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(1, 2, 0, 3))
    q, k, v = rows
    shares = softmax(q @ k.swapaxes(2, 3) / np.sqrt(q.shape[-1]) + mask)
    out = (shares @ v).transpose(2, 0, 1, 3)
    out = out.reshape(out.shape[0], out.shape[1], -1) @ w["out_proj.weight"].T + w["out_proj.bias"]
    return out, shares


Q, K, V = array(4, 2, 8), array(5, 2, 8, seed=1), array(5, 2, 8, seed=2)
PADDING = np.array([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1]], bool)
FUTURE = np.triu(np.ones((4, 5), bool), 2)


def floats(mask):
    return np.where(mask, -np.inf, 0).astype(np.float32)


@pytest.mark.parametrize("same", ["qkv", "qkk", "qqq"])
def test_attention(same):
    net = nn.MultiheadAttention(8, 2)
    q, k, v = (Q, K, V) if same == "qkv" else (Q, K, K) if same == "qkk" else (Q, Q, Q)
    inputs = {id(x): Tensor(x) for x in (q, k, v)}
    out, shares = net(*[inputs[id(x)] for x in (q, k, v)])
    expected, each = attention(net, q, k, v, 0, 2)
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(shares.asnumpy(), each.mean(1), rtol=1e-4, atol=1e-5)
    first = nn.MultiheadAttention(8, 2, batch_first=True)
    first.load_state_dict(net.state_dict())
    turned = {key: x.swapaxes(0, 1) for key, x in inputs.items()}
    np.testing.assert_allclose(first(*[turned[id(x)] for x in (q, k, v)])[0].asnumpy(), expected.swapaxes(0, 1), rtol=1e-4,
                               atol=1e-5)


def test_masks():
    net, (q, k, v) = nn.MultiheadAttention(8, 2), (Tensor(x) for x in (Q, K, V))
    mask = floats(PADDING)[:, None, None] + floats(FUTURE)
    expected, each = attention(net, Q, K, V, mask, 2)
    for padding in (PADDING, floats(PADDING)):
        for future in (FUTURE, floats(FUTURE), FUTURE.astype(np.uint8), np.tile(floats(FUTURE), (4, 1, 1))):
            out, shares = net(q, k, v, Tensor(padding), attn_mask=Tensor(future), average_attn_weights=False)
            np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(shares.asnumpy(), each, rtol=1e-4, atol=1e-5)
    assert len(net(q, k, v, need_weights=False)) == 1
    single = net(q[:, 0], k[:, 0], v[:, 0], Tensor(PADDING[0]), attn_mask=Tensor(FUTURE))
    np.testing.assert_allclose(single[0].asnumpy(), expected[:, 0], rtol=1e-4, atol=1e-5)


def test_other_sizes_and_extra_rows():
    net = nn.MultiheadAttention(8, 2, kdim=3, vdim=6)
    k, v = array(5, 2, 3), array(5, 2, 6)
    np.testing.assert_allclose(net(Tensor(Q), Tensor(k), Tensor(v))[0].asnumpy(), attention(net, Q, k, v, 0, 2)[0],
                               rtol=1e-4, atol=1e-5)
    extra = nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True)
    assert [p.shape for p in extra.get_parameters()] == [(24, 8), (24,), (1, 1, 8), (1, 1, 8), (8, 8), (8,)]
    shares = extra(Tensor(Q), Tensor(K), Tensor(V), Tensor(PADDING))[1].asnumpy()
    assert shares.shape == (2, 4, 7) and not shares[:, :, :5][np.tile(PADDING[:, None], (1, 4, 1))].any()
    np.testing.assert_allclose(shares.sum(-1), 1, rtol=1e-5)


def layer_norm(x, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)


@pytest.mark.parametrize("norm_first", [False, True])
def test_encoder_and_decoder_layers(norm_first):
    encoder, decoder = (cls(8, 2, 16, 0.0, norm_first=norm_first)
                        for cls in (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer))

    def forward(net, x, memory):
        w = {n: p.asnumpy() for n, p in net.parameters_and_names()}
        parts = [lambda y: attention(net.self_attn, y, y, y, 0, 2)[0]]
        if memory is not None:
            parts.append(lambda y: attention(net.multihead_attn, y, memory, memory, 0, 2)[0])
        parts.append(lambda y: np.maximum(y @ w["dense1.weight"].T + w["dense1.bias"], 0) @ w["dense2.weight"].T
                     + w["dense2.bias"])
        for part in parts:
            x = x + part(layer_norm(x)) if norm_first else layer_norm(x + part(x))
        return x
    np.testing.assert_allclose(encoder(Tensor(Q)).asnumpy(), forward(encoder, Q, None), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(decoder(Tensor(Q), Tensor(K)).asnumpy(), forward(decoder, Q, K), rtol=1e-3, atol=1e-4)


def test_stacks():
    net = nn.Transformer(8, 2, 2, 1, 16, 0.0)
    names = [n for n, _ in net.parameters_and_names()]
    assert names[0] == "encoder.layers.0.self_attn.in_proj_weight" and names[-1] == "decoder.norm.beta" and len(names) == 46
    assert net(Tensor(K), Tensor(Q)).shape == (4, 2, 8)
    with pytest.raises(ValueError, match="batch of src and tgt"):
        net(Tensor(K[:, :1]), Tensor(Q))
    with pytest.raises(ValueError, match="features of src and tgt"):
        net(Tensor(K[..., :7]), Tensor(Q))


@pytest.mark.parametrize("call, error", [
    (lambda net, q: nn.MultiheadAttention(8, 3), ValueError), (lambda net, q: net(q, q, q[:3]), ValueError),
    (lambda net, q: net(q, q, 3), TypeError), (lambda net, q: net(q, q[0], q), ValueError),
    (lambda net, q: net(q[..., :7], q, q), ValueError), (lambda net, q: net(q, q, q, Tensor(PADDING)), ValueError),
    (lambda net, q: net(q, q, q, attn_mask=Tensor(np.zeros((4, 4), np.int32))), ValueError),
    (lambda net, q: nn.TransformerEncoderLayer(8, 2, activation="tanh"), ValueError),
    (lambda net, q: nn.TransformerEncoderLayer(8, 2, activation=ops.tanh), ValueError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call(nn.MultiheadAttention(8, 2), Tensor(Q))


@pytest.mark.jit
@pytest.mark.captures
def test_training_step_is_one_graph():
    net = nn.Transformer(8, 2, 1, 1, 16, 0.1)
    optimizer = nn.Adam(net.trainable_params(), 1e-2)
    net.set_train()
    future, padding = Tensor(FUTURE[:, :4]), Tensor(PADDING)
    gradient = ms.value_and_grad(lambda a, b: ops.square(net(
        a, b, tgt_mask=future, src_key_padding_mask=padding, memory_key_padding_mask=padding)).mean(), None,
        optimizer.parameters)

    @ms.jit(mode="PIJit", fullgraph=True)
    def step(a, b):
        loss, gradients = gradient(a, b)
        optimizer(gradients)
        return loss
    losses = [float(step(Tensor(K), Tensor(Q)).asnumpy()) for _ in range(8)]
    assert losses[-1] < losses[0]


class OwnEncoderLayer(nn.TransformerEncoderLayer):
    def __init__(self, factor):
        super().__init__(8, 2, 16, 0.0)
        self.factor = factor

    def _sa_block(self, x, attn_mask, key_padding_mask):
        return super()._sa_block(x, attn_mask, key_padding_mask) * self.factor

    def _ff_block(self, x):
        return super()._ff_block(x) * self.factor


class OwnDecoderLayer(nn.TransformerDecoderLayer):
    def _mha_block(self, x, mem, attn_mask, key_padding_mask):
        return super()._mha_block(x, mem, attn_mask, key_padding_mask) * 0

    def _ff_block(self, x):
        return super()._ff_block(x) * 0


def test_classes_define_the_blocks_of_layers_anew():
    own, x = OwnEncoderLayer(0.0), Tensor(Q)
    twice = own.norm2(own.norm1(x))
    np.testing.assert_allclose(own(x).asnumpy(), twice.asnumpy(), rtol=1e-5, atol=1e-6)
    decoder = OwnDecoderLayer(8, 2, 16, 0.0)
    attended = decoder.norm1(x + decoder.self_attn(x, x, x)[0])
    expected = decoder.norm3(decoder.norm2(attended))
    np.testing.assert_allclose(decoder(x, Tensor(K)).asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-5)
    stack = nn.TransformerEncoder(own, 2)  # MindSpore makes its layers of the plain class
    assert [type(layer) for layer in stack.layers] == [nn.TransformerEncoderLayer] * 2 and stack(x).shape == x.shape
