"""Matrix products, convolution, pooling, normalisation, activations with attributes, loss functions."""
from samples import calls, case

PRODUCTS = [("f32[2,3]", "f32[3,4]"), ("f32[3]", "f32[3]"), ("f32[2,3]", "f32[3]"), ("f32[3]", "f32[3,2]"), ("f32[2,2,3]", "f32[3,4]"),
            ("f32[2,2,3]", "f32[2,3,4]"), ("f32[2,3]", "f32[2,3]"), ("f32[0,3]", "f32[3,2]"), ("f32[2,0]", "f32[0,2]"), ("f32[]", "f32[2]"),
            ("i32[2,3]", "i32[3,2]"), ("f32[2,3]", "i32[3,2]"), ("f16[2,3]", "f16[3,2]"), ("f64[2,3]", "f64[3,2]"), ("f32[2,3]", "f64[3,2]"),
            ("i64[2,3]", "i64[3,2]"), ("b[2,3]", "b[3,2]"), ("f32[2,1,2,3]", "f32[4,3,2]"), ("f32[2,3]", "2"), ("f32[3,2]", "f32[2,3]")]
calls("ops.%s(a, b)", "matmul bmm mm dot batch_matmul inner", *PRODUCTS)
calls("a.%s(b)", "matmul bmm mm dot inner", *PRODUCTS[:8])
calls("P.%s()(a, b)", "MatMul BatchMatMul", *PRODUCTS)
calls("P.%s(True, False)(a, b)", "MatMul BatchMatMul", ("f32[3,2]", "f32[3,4]"), ("f32[2,3,2]", "f32[2,3,4]"))
calls("P.%s(False, True)(a, b)", "MatMul BatchMatMul", ("f32[2,3]", "f32[4,3]"), ("f32[2,2,3]", "f32[2,4,3]"))
case("ops.outer(a, b)", ("f32[3]", "f32[2]"), ("i32[3]", "f32[2]"), ("f32[2,3]", "f32[2]"))
case("ops.addmm(a, b, c)", ("f32[2,2]", "f32[2,3]", "f32[3,2]"), ("f32[2]", "f32[2,3]", "f32[3,2]"), ("i32[2,2]", "i32[2,3]", "i32[3,2]"))
case("ops.addmm(a, b, c, beta=0.5, alpha=2)", ("f32[2,2]", "f32[2,3]", "f32[3,2]"))
DENSE = [("f32[2,3]", "f32[4,3]"), ("f32[3]", "f32[4,3]"), ("f32[2,2,3]", "f32[4,3]"), ("f32[3]", "f32[3]"), ("f32[2,3]", "f32[3]"), ("f32[2,3]", "f32[4,2]"),
         ("f16[2,3]", "f16[4,3]"), ("f64[2,3]", "f64[4,3]"), ("i32[2,3]", "i32[4,3]"), ("f32[2,3]", "f16[4,3]"), ("f32[0,3]", "f32[4,3]"), ("f32[2,3]", "None"), ("f32[]", "f32[4,3]"), ("f32[2,3]", "f32[2,4,3]")]
calls("%s(a, b)", "ops.dense P.Dense()", *DENSE)
calls("%s(a, b, c)", "ops.dense P.Dense()", ("f32[2,3]", "f32[4,3]", "f32[4]"), ("f32[3]", "f32[4,3]", "f32[4]"), ("f32[3]", "f32[3]", "f32[]"), ("f32[2,3]", "f32[4,3]", "f32[3]"), ("f32[2,3]", "f32[4,3]", "f16[4]"),
      ("f32[2,3]", "f32[4,3]", "None"), ("f32[2,3]", "f32[4,3]", "f32[2,4]"))
case("ops.bias_add(a, b)", ("f32[2,3]", "f32[3]"), ("f32[2,3,4]", "f32[3]"), ("f32[2,3,4,4]", "f32[3]"), ("f32[2,3]", "f32[2]"), ("f32[3]", "f32[3]"), ("i32[2,3]", "i32[3]"), ("f32[2,3]", "f32[1,3]"))
case("P.BiasAdd()(a, b)", ("f32[2,3]", "f32[3]"), ("f32[2,3,4,4]", "f32[3]"), ("f32[2,3]", "f32[2]"))

calls("ops.%s(a, b)", "softmax log_softmax", *[("f32[2,3]", axis) for axis in "0 1 -1 2 -3 None 1.0 (0,1)".split()] + [("f16[2,3]", "1"), ("f64[2,3]", "1"), ("i32[2,3]", "1"), ("f32[]", "0"), ("f32[]", "-1"), ("f32[0,3]", "1"), ("b[3]", "0"), ("2.5", "0")])
calls("ops.%s(a)", "softmax log_softmax", "f32[2,3]", "f32[10]!", "f32[4]", "bf16[4]")
case("ops.softmax(a, dtype=ms.float64)", "f32[2,3]", "i32[3]")
calls("P.%s(a)(b)", "Softmax LogSoftmax", *[(axis, "f32[2,3]") for axis in "0 1 -1 2 None (0,1) 1.0".split()])
calls("a.%s(1)", "softmax log_softmax", "f32[2,3]")
calls("ops.leaky_relu(a, %s)", "0.1 0 2 -1 None 'x' 0.5", "f32[5]", "i32[5]", "f16[5]")
calls("ops.elu(a, %s)", "1.0 0.5 2 'x'", "f32[5]", "i32[5]")
calls("ops.gelu(a, %s)", "'none' 'tanh' 'bogus' None", "f32[5]", "f16[5]", "i32[5]")
calls("ops.hardshrink(a, %s)", "0.3 1 -1 'x'", "f32[5]")
calls("ops.hardtanh(a%s)", ",-1,1 ,-0.5,0.5 ,1,-1", "f32[5]", "i32[5]", "f16[5]")
case("ops.hardtanh(a)", "f32[5]")
case("ops.prelu(a, b)", ("f32[2,3]", "f32[3]"), ("f32[2,3]", "f32[1]"), ("f32[2,3,2]", "f32[3]"))
calls("ops.%s(a)", "selu celu softshrink tanhshrink relu6 rrelu logsigmoid glu hardswish", "f32[2,4]", "f16[2,4]", gradient=False)
calls("ops.dropout(a, %s)", "0.0 1.5 -0.5 'x'", "f32[4]")
case("ops.dropout(a, 0.5, False)", "f32[4]", "i32[4]")
case("kind(ops.dropout(a, 0.5))", "f32[4]", "f16[4]", "i32[4]", "2.5")
case("P.LeakyReLU(0.1)(a)", "f32[5]")
case("P.Elu(2.0)(a)", "f32[5]")
case("P.Elu()(a)", "f32[5]")

IMAGE = [("f32[1,2,5,5]", "f32[3,2,3,3]"), ("f32[2,2,4,6]", "f32[2,2,2,2]"), ("f32[2,5,5]", "f32[3,2,3,3]"), ("f32[1,2,5,5]", "f32[3,1,3,3]"), ("f16[1,2,5,5]", "f16[3,2,3,3]"),
         ("f64[1,2,5,5]", "f64[3,2,3,3]"), ("f32[1,2,2,2]", "f32[3,2,3,3]"), ("i32[1,2,5,5]", "i32[3,2,3,3]"), ("f32[1,2,5,5]", "f16[3,2,3,3]")]
case("ops.conv2d(a, b)", *IMAGE)
calls("ops.conv2d(a, b, %s)", "stride=2 stride=(2,1) pad_mode='same' pad_mode='same',stride=2 pad_mode='pad',padding=1 pad_mode='pad',padding=(1,2) dilation=2 dilation=(1,2) pad_mode='bogus' stride=0 padding=1 stride=(1,1,1) pad_mode='pad',padding=(1,2,0,1)", *IMAGE[:2])
case("ops.conv2d(a, b, groups=2)", ("f32[1,4,5,5]", "f32[4,2,3,3]"), ("f32[1,4,5,5]", "f32[2,2,1,1]"))
case("ops.conv2d(a, b, c)", ("f32[1,2,5,5]", "f32[3,2,3,3]", "f32[3]"), ("f32[1,2,5,5]", "f32[3,2,3,3]", "f32[2]"))
calls("P.Conv2D(3, 3%s)(a, b)", ",pad_mode='same' ,stride=2 ,pad_mode='pad',pad=1 ,dilation=2", ("f32[1,2,5,5]", "f32[3,2,3,3]"))
POOLED = ["f32[1,2,5,5]", "f32[2,1,4,6]", "f16[1,2,4,4]", "f64[1,2,4,4]", "f32[2,4,4]", "f32[4,4]", "i32[1,1,4,4]"]
calls("ops.max_pool2d(a, %s)", "2 (2,3) 2,1 3,2,1 2,padding=1 3,ceil_mode=True 2,return_indices=True 2,dilation=2 0 2,0 2,2,2 2.0", *POOLED)
calls("ops.avg_pool2d(a, %s)", "2 (2,3) 2,2 3,2,1 3,2,ceil_mode=True 3,2,1,count_include_pad=False 2,2,divisor_override=3 0 2,0 6", *POOLED)
calls("ops.adaptive_avg_pool2d(a, %s)", "2 (2,3) (None,2) 1 0 (2,2,2)", *POOLED[:5])
calls("P.%s(2, 2)(a)", "MaxPool AvgPool", *POOLED)
calls("P.%s(3, 2, 'same')(a)", "MaxPool AvgPool", *POOLED[:4])
calls("P.%s(2, 2, 'bogus')(a)", "MaxPool AvgPool", "f32[1,2,5,5]")

case("ops.batch_norm(a, b, c, b, c)", ("f32[4,3]", "f32[3]", "f32[3]+"), ("f32[2,3,2,2]", "f32[3]", "f32[3]+"), ("f16[4,3]", "f16[3]", "f16[3]+"), ("f32[4,3]", "f32[2]", "f32[3]+"))
case("ops.batch_norm(a, b, c, b, c, True)", ("f32[4,3]", "f32[3]p", "f32[3]+"), gradient=False)
calls("ops.layer_norm(a, %s)", "(3,) (2,3) [3] 3 (2,) None", "f32[2,3]", "f16[2,3]", "i32[2,3]")
case("ops.layer_norm(a, (3,), b, c)", ("f32[2,3]", "f32[3]", "f32[3]#1"), ("f32[2,2,3]", "f32[3]", "f32[3]#1"), ("f32[2,3]", "f32[3]", "None"))
case("ops.layer_norm(a, (3,), b, c, 0.1)", ("f32[2,3]", "f32[3]", "f32[3]#1"))
calls("ops.group_norm(a, %s)", "2 1 4 3 0 2.0", "f32[2,4,3]", "f32[2,4]", "f16[2,4,3]", "f32[4]")
case("ops.group_norm(a, 2, b, c)", ("f32[2,4,3]", "f32[4]", "f32[4]#1"))
case("P.LayerNorm()(a, b, c)", ("f32[2,3]", "f32[3]", "f32[3]#1"))
case("P.LayerNorm(-1, -1)(a, b, c)", ("f32[2,2,3]", "f32[3]", "f32[3]#1"))
case("P.SoftmaxCrossEntropyWithLogits()(a, b)", ("f32[2,3]", "f32[2,3]u"), ("f32[3]", "f32[3]u"))

PAIRED = [("f32[2,3]", "f32[2,3]#1"), ("f32[]", "f32[]#1"), ("f32[2,3]", "f32[3]"), ("f32[2,3]", "f32[2]"), ("f16[2,3]", "f16[2,3]#1"), ("f64[2,3]", "f64[2,3]#1"),
          ("f32[2,3]", "f16[2,3]"), ("i32[2,3]", "i32[2,3]#1"), ("f32[0]", "f32[0]"), ("f32[2]", "2.0"), ("f32[2,3]", "i32[2,3]"), ("f32[10]!", "f32[10]")]
REDUCTIONS = "'none' 'mean' 'sum' 'bogus' None"
calls("ops.%s(a, b)", "mse_loss l1_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy binary_cross_entropy_with_logits cross_entropy nll_loss soft_margin_loss", *PAIRED)
for _name in "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy_with_logits".split():
    calls("ops.{}(a, b, reduction=%s)".format(_name), REDUCTIONS, ("f32[2,3]", "f32[2,3]#1"))
calls("ops.binary_cross_entropy(a, b, reduction=%s)", REDUCTIONS, ("f32[2,3]u", "f32[2,3]u#1"), ("f16[2,3]u", "f16[2,3]u#1"))
calls("ops.kl_div(a, b, reduction=%s)", REDUCTIONS + " 'batchmean'", ("f32[2,3]", "f32[2,3]u"), ("f32[2,3]", "f32[2,3]0"))
case("ops.binary_cross_entropy(a, b, c)", ("f32[2,3]u", "f32[2,3]u#1", "f32[2,3]+"), ("f32[2,3]u", "f32[2,3]u#1", "f32[3]+"))
case("ops.binary_cross_entropy_with_logits(a, b, c, d)", ("f32[2,3]", "f32[2,3]u", "f32[2,3]+", "f32[2,3]+#1"), ("f32[2,3]", "f32[2,3]u", "f32[3]+", "f32[3]+#1"))
calls("ops.smooth_l1_loss(a, b, beta=%s)", "0.5 2.0 0 -1 1", ("f32[2,3]", "f32[2,3]#1"))
calls("ops.huber_loss(a, b, delta=%s)", "0.5 2.0 0 -1 1", ("f32[2,3]", "f32[2,3]#1"))
CLASSES = [("f32[3,4]", "i32[3]<4"), ("f32[3,4]", "i64[3]<4"), ("f32[2,4,3]", "i32[2,3]<4"), ("f32[4]", "i32[]<4"), ("f32[3,4]", "f32[3,4]u"), ("f32[3,4]", "i32[2]<4"), ("f16[3,4]", "i32[3]<4"),
           ("f64[3,4]", "i32[3]<4"), ("f32[3,4]", "Tensor([0, 7, 1], ms.int32)"), ("f32[3,4]", "Tensor([0, -100, 1], ms.int32)"), ("f32[3,4]", "f32[3]"), ("f32[2,3,2,2]", "i32[2,2,2]<3")]
calls("ops.%s(a, b)", "cross_entropy nll_loss", *CLASSES)
calls("ops.%s(a, b, reduction='none')", "cross_entropy nll_loss", *CLASSES[:5])
calls("ops.%s(a, b, reduction='sum')", "cross_entropy nll_loss", *CLASSES[:5])
calls("ops.%s(a, b, c)", "cross_entropy nll_loss", ("f32[3,4]", "i32[3]<4", "f32[4]+"), ("f32[3,4]", "f32[3,4]u", "f32[4]+"), ("f32[3,4]", "i32[3]<4", "f32[3]+"))
calls("ops.%s(a, b, ignore_index=1)", "cross_entropy nll_loss", ("f32[3,4]", "i32[3]<4"), ("f32[3,4]", "i32[3]<2"))
calls("ops.%s(a, b, label_smoothing=0.1)", "cross_entropy nll_loss", ("f32[3,4]", "i32[3]<4"), ("f32[3,4]", "f32[3,4]u"))
calls("ops.%s(a, b, label_smoothing=2.0)", "cross_entropy", ("f32[3,4]", "i32[3]<4"))
calls("ops.%s(a, b, reduction='bogus')", "cross_entropy nll_loss", ("f32[3,4]", "i32[3]<4"))
