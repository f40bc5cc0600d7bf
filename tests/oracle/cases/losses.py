"""Loss layers."""
from samples import calls, case

PAIRED = [("f32[2,3]", "f32[2,3]#1"), ("f32[]", "f32[]#1"), ("f32[2,3]", "f32[3]"), ("f32[2,3]", "f32[2]"), ("f16[2,3]", "f16[2,3]#1"), ("f64[2,3]", "f64[2,3]#1"), ("f32[2,3]", "f16[2,3]"), ("i32[2,3]", "i32[2,3]#1"), ("f32[0]", "f32[0]"),
          ("f32[2]", "2.0"), ("f32[2,3]", "i32[2,3]"), ("f32[10]!", "f32[10]"), ("None", "f32[2]"), ("f32[2]", "[1.0, 2.0]")]
calls("nn.%s()(a, b)", "L1Loss MSELoss SmoothL1Loss HuberLoss BCEWithLogitsLoss SoftmaxCrossEntropyWithLogits", *PAIRED)
calls("nn.BCELoss()(a, b)", "x", ("f32[2,3]u", "f32[2,3]u#1"), ("f16[2,3]u", "f16[2,3]u#1"), ("f32[2]u", "f32[3]u"), ("f32[2,3]0", "f32[2,3]u"), ("i32[2]", "i32[2]"), ("f32[2,3]u", "f16[2,3]u"))
LABELS = {"L1Loss": "f32[2,3]#1", "MSELoss": "f32[2,3]#1", "SmoothL1Loss": "f32[2,3]#1", "HuberLoss": "f32[2,3]#1", "BCELoss": "f32[2,3]u#1", "BCEWithLogitsLoss": "f32[2,3]u#1", "CrossEntropyLoss": "i32[2]<3", "NLLLoss": "i32[2]<3",
          "SoftmaxCrossEntropyWithLogits": "f32[2,3]u"}
for _name in LABELS:
    for _reduction in ("'none'", "'mean'", "'sum'", "'bogus'", "None", "1", "'Mean'"):
        case("nn.%s(reduction=%s)(a, b)" % (_name, _reduction), ("f32[2,3]u", LABELS[_name]))
    case("nn.%s()(a)" % _name, "f32[2,3]")
CLASSES = [("f32[3,4]", "i32[3]<4"), ("f32[3,4]", "i64[3]<4"), ("f32[2,4,3]", "i32[2,3]<4"), ("f32[4]", "i32[]<4"), ("f32[3,4]", "f32[3,4]u"), ("f32[3,4]", "i32[2]<4"), ("f16[3,4]", "i32[3]<4"), ("f32[3,4]", "f32[3]")]
calls("nn.%s()(a, b)", "CrossEntropyLoss NLLLoss", *CLASSES)
case("nn.CrossEntropyLoss(a)(b, c)", ("f32[4]+", "f32[3,4]", "i32[3]<4"), ("f32[3]+", "f32[3,4]", "i32[3]<4"))
calls("nn.CrossEntropyLoss(%s)(a, b)", "ignore_index=1 label_smoothing=0.2 label_smoothing=2.0 label_smoothing='x' ignore_index=1.0 ignore_index=0,reduction='sum'", ("f32[3,4]", "i32[3]<4"))
calls("nn.NLLLoss(%s)(a, b)", "ignore_index=1 ignore_index=1.0 ignore_index=0,reduction='sum'", ("f32[3,4]", "i32[3]<4"))
calls("nn.SoftmaxCrossEntropyWithLogits(%s)(a, b)", "sparse=True sparse=True,reduction='mean' sparse=True,reduction='sum' sparse=1 sparse='x'", *CLASSES)
calls("nn.SmoothL1Loss(%s)(a, b)", "0.5 2.0 0 -1 1 'x' 0.5,'mean'", ("f32[2,3]", "f32[2,3]#1"))
calls("nn.HuberLoss(delta=%s)(a, b)", "0.5 2.0 0 -1 1 'x'", ("f32[2,3]", "f32[2,3]#1"))
case("nn.BCELoss(a)(b, c)", ("f32[2,3]+", "f32[2,3]u", "f32[2,3]u#1"), ("f32[3]+", "f32[2,3]u", "f32[2,3]u#1"))
case("nn.BCEWithLogitsLoss(weight=a, pos_weight=b)(c, d)", ("f32[2,3]+", "f32[2,3]+#1", "f32[2,3]", "f32[2,3]u"), ("f32[3]+", "f32[3]+#1", "f32[2,3]", "f32[2,3]u"))
calls("nn.CosineEmbeddingLoss(%s)(a, b, c)", "0.0 0.5 -0.5 2.0 0 'x' 0.0,'sum' 0.0,'none'", ("f32[2,3]", "f32[2,3]#1", "Tensor([1, -1], ms.int32)"))
case("nn.CosineEmbeddingLoss()(a, b, c)", ("f32[2,3]", "f32[2,2]", "Tensor([1, -1], ms.int32)"), ("f32[2,3]", "f32[2,3]#1", "f32[2]"))
calls("nn.LossBase(%s).get_loss(a)", "'none' 'mean' 'sum' 'bogus'", "f32[2,3]")
calls("nn.LossBase('mean').get_loss(a, %s)", "2.0 2 'x' None", "f32[2,3]")
case("nn.LossBase('mean').get_loss(a, b)", ("f32[2,3]", "f32[2,3]u"), ("f32[2,3]", "f32[3]"))
case("nn.WithLossCell(fixed(nn.Dense(3, 4)), nn.MSELoss())(a, b)", ("f32[2,3]", "f32[2,4]"))
calls("P.CTCLoss(%s)(a, Tensor([[0, 0], [0, 1], [1, 0]]), Tensor([1, 1, 0], ms.int32), b)",
      "preprocess_collapse_repeated=True ctc_merge_repeated=False ctc_merge_repeated=False,preprocess_collapse_repeated=True "
      "ignore_longer_outputs_than_inputs=True ctc_merge_repeated=3", ("f32[4,2,3]", "Tensor([4, 3], ms.int32)"), ("f32[4,2,3]", "Tensor([3, 2], ms.int32)"))
