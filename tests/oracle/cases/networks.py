"""Recurrent and attention layers, and the losses, activations and layers beside the common ones."""
from samples import calls, case

SIZES = "3,4 3,4,2 3,4,1,False 3,4,bidirectional=True 3,4,2,bidirectional=True 3,4,dropout=1.0 3,4,dropout=0 0,4 3.0,4 3,4,0 3,4,has_bias=1 3,4,batch_first=1"
for _name in ("RNN", "GRU", "LSTM"):
    calls("fixed(nn.%s(%%s))(a)" % _name, SIZES, "f32[5,2,3]", "f32[2,3]", "f64[3,2,3]", "i32[3,2,3]", "1")
    calls("fixed(nn.%s(3, 4, %%s))(a, None, b)" % _name, "batch_first=True bidirectional=True", ("f32[2,3,3]", "Tensor([2,3],ms.int32)"), ("f32[3,2,3]", "Tensor([0,2],ms.int64)"), ("f32[3,2,3]", "f32[2]"), ("f32[3,2,3]", "i32[3]"))
    _state = "(b, b)" if _name == "LSTM" else "b"
    calls("fixed(nn.%s(3, 4))(a, %s)" % (_name, _state), "x", ("f32[5,2,3]", "f32[1,2,4]"), ("f32[5,2,3]", "f64[1,2,4]"), ("f32[5,2,3]", "1"))
    calls("fixed(nn.%sCell(3, 4%%s))(a, %s)" % (_name, _state), ",True ,False ,1", ("f32[2,3]", "f32[2,4]"), ("i32[2,3]", "f32[2,4]"), ("f32[2,3]", "1"))
    calls("[(n, p.name, p.shape) for n, p in nn.%s(3, 4, %%s).parameters_and_names()]" % _name, "1 2,bidirectional=True 2,False")
calls("fixed(nn.MultiheadAttention(8, 2, %s))(a, b, c)", "0.0 has_bias=False add_bias_kv=True batch_first=True add_zero_attn=True", ("f32[4,2,8]", "f32[5,2,8]", "f32[5,2,8]#1"), ("f32[4,8]", "f32[5,8]", "f32[5,8]#1"), ("f32[4,2,8]", "f32[5,2,8]", "f32[4,2,8]"),
      ("f32[4,2,7]", "f32[5,2,8]", "f32[5,2,8]"), ("f32[4,2,8]", "f32[5,8]", "f32[5,2,8]"))
calls("fixed(nn.MultiheadAttention(8, 2))(a, a, a, b, %s, c)", "True False", ("f32[4,2,8]", "f32[2,4]", "f32[4,4]"), ("f32[4,2,8]", "None", "f32[4,4,4]"), ("f32[4,2,8]", "f32[2,3]", "None"), ("f32[4,2,8]", "i32[2,4]", "None"), ("f32[4,2,8]", "None", "i32[4,4]"))
calls("fixed(nn.TransformerEncoderLayer(8, 2, 16, 0.0, %s))(a)", "'relu' 'gelu' 'tanh' ops.relu ops.tanh 'relu',norm_first=True 'relu',batch_first=True", "f32[4,2,8]", "f32[4,8]", "f32[4,2,7]")
calls("fixed(nn.TransformerDecoderLayer(8, 2, 16, 0.0%s))(a, b)", ",norm_first=True ,batch_first=False", ("f32[4,2,8]", "f32[5,2,8]"), ("f32[4,2,8]", "f32[5,1,8]"))
case("fixed(nn.Transformer(8, 2, 1, 1, 16, 0.0))(a, b)", ("f32[5,2,8]", "f32[4,2,8]"), ("f32[5,1,8]", "f32[4,2,8]"), ("f32[5,2,7]", "f32[4,2,8]"))

for _loss, _inputs in (("HingeEmbeddingLoss", ("f32[2,3]", "f32[2,3]")), ("MultiLabelSoftMarginLoss", ("f32[2,3]", "f32[2,3]u")), ("MAELoss", ("f32[2,3]", "f32[2,3]#1")), ("MarginRankingLoss", ("f32[2,3]", "f32[2,3]#1", "f32[2,3]")),
                       ("KLDivLoss", ("f32[2,3]", "f32[2,3]u")), ("GaussianNLLLoss", ("f32[2,3]", "f32[2,3]#1", "f32[2,3]u")), ("PoissonNLLLoss", ("f32[2,3]", "f32[2,3]u")), ("FocalLoss", ("f32[2,3]", "i32[2,1]<3")),
                       ("MultiMarginLoss", ("f32[2,3]", "i64[2]<3")), ("TripletMarginWithDistanceLoss", ("f32[2,3]", "f32[2,3]#1", "f32[2,3]u")), ("CosineEmbeddingLoss", ("f32[2,3]", "f32[2,3]#1", "Tensor([1, -1], ms.int32)"))):
    _names = ", ".join("abc"[:len(_inputs)])
    calls("nn.%s(reduction=%%s)(%s)" % (_loss, _names), "'none' 'mean' 'sum' 'bogus'", _inputs)
    calls("nn.%s()(%s)" % (_loss, _names), "x", ("1",) + _inputs[1:], ("f32[4]",) + _inputs[1:])
calls("nn.Softmin()(a)", "x", "f32[2,4]", "f32[2,3,4,4]")
calls("nn.%s()(a)", "FastGelu SeLU GLU Softmax2d Norm", "f32[2,4]", "f16[2,4]", "f32[2,3,4,4]", "f32[2,3]")
calls("nn.Threshold(%s)(a)", "0.1,2.0 1,2 0.1,'x'", "f32[2,3]", "i32[2,3]")
calls("nn.OneHot(%s)(a)", "depth=3 0,3 1,3,2.0,-1.0 -1,3,1.0,0.0,ms.float16 1.0,3", "i32[2,2]<3", "i64[3]<3")
calls("nn.Moments(%s)(a)", "None 0 (0,1) 0,True", "f32[2,3]", "i32[2,3]")
calls("nn.L1Regularizer(%s)(a)", "0.5 2 0 -1 'x'", "f32[2,3]")
calls("nn.%s(%%s)" % "Dropout1d", "0.5 1 1.5 -0.5 'x'")
