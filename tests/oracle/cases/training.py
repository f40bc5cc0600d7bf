"""Small networks trained for a few steps: losses, and Parameters afterwards."""
from samples import case

DENSE = "nn.SequentialCell(nn.Dense(3, 8), nn.%s(), nn.Dense(8, 4))"
IMAGE = "nn.SequentialCell(nn.Conv2d(2, 3, 3, pad_mode=%s), %s, nn.ReLU(), nn.%s(2, 2), nn.Flatten(), nn.Dense(%d, 4))"
OPTIMIZERS = ["nn.SGD(ps, 0.1)", "nn.SGD(ps, 0.1, 0.9, weight_decay=0.01)", "nn.Momentum(ps, 0.1, 0.9)", "nn.Adam(ps, 0.01)", "nn.AdamWeightDecay(ps, 0.01, weight_decay=0.1)",
              "nn.SGD(ps, [0.1, 0.05, 0.01])", "nn.Adam(ps, nn.CosineDecayLR(0.001, 0.01, 3))"]
LOSSES = [("nn.CrossEntropyLoss()", "i32[5]<4"), ("nn.MSELoss()", "f32[5,4]"), ("nn.L1Loss()", "f32[5,4]"), ("nn.SmoothL1Loss(reduction='mean')", "f32[5,4]"), ("nn.BCEWithLogitsLoss()", "f32[5,4]u"),
          ("nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')", "i32[5]<4"), ("nn.HuberLoss()", "f32[5,4]")]
for _optimizer in OPTIMIZERS:
    case("fit(%s, nn.CrossEntropyLoss(), lambda ps: %s, a, b)" % (DENSE % "ReLU", _optimizer), ("f32[5,3]", "i32[5]<4"), gradient=False)
for _loss, _labels in LOSSES:
    case("fit(%s, %s, lambda ps: nn.SGD(ps, 0.1), a, b)" % (DENSE % "Tanh", _loss), ("f32[5,3]", _labels), gradient=False)
for _name in "Sigmoid Tanh GELU LeakyReLU ELU SiLU HSwish HSigmoid Softmax LogSoftmax ReLU6 Mish Softsign".split():
    case("fit(%s, nn.MSELoss(), lambda ps: nn.Momentum(ps, 0.05, 0.9), a, b)" % (DENSE % _name), ("f32[5,3]", "f32[5,4]"), gradient=False)
for _mode, _size in (("'same'", 27), ("'valid'", 12)):
    for _norm in ("nn.BatchNorm2d(3)", "nn.GroupNorm(3, 3)", "nn.Identity()"):
        for _pool in ("MaxPool2d", "AvgPool2d"):
            case("fit(%s, nn.CrossEntropyLoss(), lambda ps: nn.Momentum(ps, 0.05, 0.9), a, b)" % (IMAGE % (_mode, _norm, _pool, _size)), ("f32[4,2,6,6]", "i32[4]<4"), gradient=False)
case("fit(nn.SequentialCell(nn.Embedding(6, 3), nn.Flatten(), nn.LayerNorm((6,)), nn.Dense(6, 4)), nn.CrossEntropyLoss(), lambda ps: nn.Adam(ps, 0.05), a, b)", ("i32[5,2]<6", "i32[5]<4"), gradient=False)
