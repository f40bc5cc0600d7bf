"""Layers: outputs, gradients by input and by weights, what the constructors accept, Parameters."""
from samples import calls, case

calls("nn.%s()(a)", "ReLU ReLU6 LeakyReLU ELU GELU Sigmoid Tanh SiLU HSigmoid HSwish Softplus Softmax LogSoftmax Identity Flatten PReLU Softsign Mish LogSigmoid CELU HShrink SoftShrink Hardtanh Tanhshrink",
      "f32[2,3]", "f32[]", "f32[0,3]", "f16[2,3]", "f64[2,3]", "i32[2,3]", "b[3]", "f32[10]!", "f32[2,3,4]", "2.5", "None", "[1.0, 2.0]", "np.ones(2, np.float32)")
calls("nn.%s()()", "ReLU Sigmoid Softmax Flatten Identity")
calls("nn.%s()(a, a)", "ReLU Sigmoid Softmax Flatten Identity", "f32[2,3]")
calls("nn.LeakyReLU(%s)(a)", "0.1 0 2 'x' None", "f32[5]")
calls("nn.ELU(%s)(a)", "1.0 0.5 2 'x'", "f32[5]")
calls("nn.GELU(%s)(a)", "True False 'x' None", "f32[5]")
calls("nn.%s(a)(b)", "Softmax LogSoftmax", *[(axis, "f32[2,3]") for axis in "0 1 -1 2 (0,1) 1.0 None 'x'".split()])
calls("nn.PReLU(%s)(a)", "3 3,0.5 2 0 'x'", "f32[2,3]", "f32[2,3,4]")
calls("nn.Flatten(%s)(a)", "0 1,2 0,-1 -1 5 1.0 True", "f32[2,3,4]", "i32[2,3,4]")
calls("nn.Dropout(%s)(a)", "p=0.5 p=0 p=1 p=-1 p=2 0.5 p='x' p=True p=0.0 keep_prob=0 keep_prob=1.0", "f32[4]")
calls("nn.Dropout(%s).set_train()(a)", "p=0.0 keep_prob=1.0", "f32[4]")
case("kind(nn.Dropout(p=0.5).set_train()(a))", "f32[4]", "f16[4]", "i32[4]")

DENSE = ["3, 4", "3, 4, has_bias=False", "3, 4, activation='relu'", "3, 4, activation='tanh'", "3, 4, dtype=ms.float16", "3, 4, 'ones', 'zeros'", "3, 4, activation=nn.ReLU()", "3, 4, activation='bogus'", "0, 4", "3, -1", "3.0, 4",
         "3, True", "3", "3, 4, weight_init=Tensor(weights_of((4, 3)))", "3, 4, weight_init=Tensor(weights_of((3, 4)))", "3, 4, bias_init=Tensor(weights_of((4,)))", "3, 4, bias_init=Tensor(weights_of((3,)))", "3, 4, has_bias=1", "3, 4, has_bias='x'",
         "3, 4, weight_init='bogus'", "3, 4, weight_init=0.5", "3, 4, activation=ops.relu", "3, 4, activation=3", "3, 4, activation=''", "'3', 4"]
DATA = ["f32[2,3]", "f32[3]", "f32[2,2,3]", "f32[2,4]", "f16[2,3]", "f64[2,3]", "i32[2,3]", "f32[0,3]", "f32[]", "2.5", "None", "[[1.0, 2.0, 3.0]]"]
for _text in DENSE:
    case("fixed(nn.Dense(%s))(a)" % _text, "f32[2,3]", "f32[3]")
    case("parameters_of(fixed(nn.Dense(%s)))" % _text)
case("fixed(nn.Dense(3, 4))(a)", *DATA)
calls("weight_gradients(fixed(nn.Dense(3, 4%s)), a)", ",has_bias=False ,activation='sigmoid' ,has_bias=True", "f32[2,3]", "f32[3]", "f32[2,2,3]", gradient=False)
calls("fixed(nn.Embedding(%s))(a)", "5,3 5,3,True 5,3,padding_idx=1 5,3,False,'ones' 0,3 5,-1 5.0,3 5,3,padding_idx=7 5,3,padding_idx=-1", "i32[2]<5", "i64[2,2]<5", "f32[2]", "i32[]<5", gradient=False)
case("weight_gradients(fixed(nn.Embedding(5, 3)), a)", "i32[4]<5", gradient=False)
calls("nn.Pad(%s)(a)", "((1,1),(0,2)) ((1,1),(0,2)),'REFLECT' ((1,1),(0,2)),'SYMMETRIC' ((1,1),) ((1,1),(0,2)),'bogus' [[1,1],[0,2]] ((1.5,1),(0,2))", "f32[2,3]", "i32[2,3]", "f16[2,3]")
case("nn.ClipByNorm()(a, b)", ("f32[2,3]", "f32[]u"), ("f32[2,3]", "Tensor(100.0, ms.float32)"), ("f32[2,3]", "Tensor([1.0], ms.float32)"), ("f16[2,3]", "f16[]u"))

CONV = ["2, 3, 3", "2, 3, (2, 3)", "2, 3, 3, stride=2", "2, 3, 3, pad_mode='valid'", "2, 3, 3, pad_mode='pad', padding=1", "2, 3, 3, pad_mode='pad', padding=(1, 2, 0, 1)", "2, 3, 3, dilation=2", "2, 4, 3, group=2", "2, 3, 3, has_bias=True",
        "2, 3, 3, pad_mode='bogus'", "2, 3, 3, padding=1", "2, 3, 0", "2, 3, 3, stride=0", "2, 3, 3, group=3", "0, 3, 3", "2, 3, '3'", "2, 3, 3, dtype=ms.float16", "2, 3, 3, data_format='NHWC'", "2, 3, (3, 3, 3)", "2, 3, 3.0", "2, 3, 3, stride=(2, 1)",
        "2, 3, 3, 2, 'same'", "2, 3, 3, pad_mode='pad', padding=-1", "2, 3, 3, weight_init='ones'"]
for _text in CONV:
    case("fixed(nn.Conv2d(%s))(a)" % _text, "f32[1,2,5,5]", "f32[2,2,6,4]")
    case("parameters_of(fixed(nn.Conv2d(%s)))" % _text)
case("fixed(nn.Conv2d(2, 3, 3))(a)", "f32[2,5,5]", "f32[1,3,5,5]", "f16[1,2,5,5]", "f64[1,2,5,5]", "i32[1,2,5,5]", "f32[0,2,5,5]", "f32[1,2,1,1]", "2.5")
calls("weight_gradients(fixed(nn.Conv2d(2, 3, 3%s)), a)", ",has_bias=True ,stride=2 ,pad_mode='valid'", "f32[1,2,5,5]", gradient=False)
for _text in ["2, 3, 3", "2, 3, 3, stride=2", "2, 3, 3, pad_mode='valid'", "2, 3, 3, pad_mode='pad', padding=1", "2, 3, 3, has_bias=True", "2, 4, 3, group=2", "2, 3, 3, dilation=2", "2, 3, (3, 3)", "2, 3, 0"]:
    case("fixed(nn.Conv1d(%s))(a)" % _text, "f32[1,2,6]", "f32[2,6]")
    case("parameters_of(fixed(nn.Conv1d(%s)))" % _text)

POOL = ["2", "2, 2", "3, 2", "(2, 3), 2", "3, 2, 'same'", "3, 2, 'SAME'", "3, 2, 'pad', 1", "3, 2, 'pad', padding=1, ceil_mode=True", "2, 2, 'bogus'", "0", "2, 0", "2, 2, 'valid', 1", "2.0", "'2'", "", "2, 2, 'pad', 2"]
for _text in POOL:
    calls("nn.%s({})(a)".format(_text), "MaxPool2d AvgPool2d", "f32[1,2,5,5]", "f32[2,5,5]")
calls("nn.%s(2, 2)(a)", "MaxPool2d AvgPool2d", "f16[1,2,4,4]", "f64[1,2,4,4]", "i32[1,2,4,4]", "f32[4,4]", "f32[1,2,1,1]", "f32[0,2,4,4]", "f32[1,2,3,3]", "2.5")
calls("nn.AdaptiveAvgPool2d(%s)(a)", "2 (2,3) (None,2) 1 0 'x' 2.0 (2,2,2)", "f32[1,2,5,5]", "f32[2,4,6]", "f32[4,4]")

for _text in ["3", "3, eps=0.1", "3, momentum=0.5", "3, affine=False", "3, gamma_init='zeros'", "3, use_batch_statistics=True", "3, use_batch_statistics=False", "0", "3.0", "3, momentum=2", "3, momentum=-0.1", "3, eps=0", "3, dtype=ms.float16"]:
    for _mode in ("fixed", "training"):
        calls(_mode + "(nn.%s({}))(a)".format(_text), "BatchNorm1d", "f32[4,3]", "f32[4,3,2]")
        calls(_mode + "(nn.%s({}))(a)".format(_text), "BatchNorm2d", "f32[2,3,2,2]")
    calls("parameters_of(nn.%s({}))".format(_text), "BatchNorm1d BatchNorm2d")
calls("%s(nn.BatchNorm1d(3))(a)", "fixed training", "f32[3]", "f32[4,2]", "f16[4,3]", "f64[4,3]", "i32[4,3]", "f32[1,3]", "f32[4,3,2,2]", "f32[0,3]")
calls("%s(nn.BatchNorm2d(3))(a)", "fixed training", "f32[4,3]", "f32[4,2,2,2]", "f16[4,3,2,2]", "f32[1,3,1,1]", "i32[2,3,2,2]", "f32[2,3,2]")
case("after(training(nn.BatchNorm2d(3)), a)", "f32[2,3,2,2]", gradient=False)
case("(lambda cell: (cell(a), parameters_of(cell)))(training(nn.BatchNorm1d(3)))", "f32[4,3]", gradient=False)
case("(lambda cell: (cell(a), parameters_of(cell)))(training(nn.BatchNorm2d(3, momentum=0.7)))", "f32[2,3,2,2]", gradient=False)
calls("weight_gradients(training(nn.%s(3)), a)", "BatchNorm1d", "f32[4,3]", gradient=False)
for _text in ["(3,)", "[3]", "3", "(2, 3), 1, 1", "(3,), epsilon=0.1", "(2, 3)", "(3,), 1, 1", "(3,), -1, -1, 'zeros', 'ones'", "(3,), dtype=ms.float16", "(4,)", "()", "'x'"]:
    case("fixed(nn.LayerNorm(%s))(a)" % _text, "f32[2,3]", "f32[4,2,3]", "f16[2,3]")
    case("parameters_of(nn.LayerNorm(%s))" % _text)
case("weight_gradients(fixed(nn.LayerNorm((3,))), a)", "f32[2,3]", gradient=False)
for _text in ["2, 4", "1, 4", "4, 4", "3, 4", "0, 4", "2, 4, eps=0.1", "2, 4, affine=False", "2.0, 4", "2, 4, gamma_init='zeros'", "2, 0"]:
    case("fixed(nn.GroupNorm(%s))(a)" % _text, "f32[2,4,2,2]", "f32[2,4,3]", "f16[2,4,2,2]", "f32[2,4]", "f32[2,6,2,2]")
    case("parameters_of(nn.GroupNorm(%s))" % _text)

case("fixed(nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2)))(a)", "f32[2,3]", "f32[2,4]")
case("fixed(nn.SequentialCell([nn.Dense(3, 4), nn.ReLU()]))(a)", "f32[2,3]")
calls("parameters_of(nn.SequentialCell(%s))", "nn.Dense(3,4,'ones','ones'),nn.ReLU() [nn.Dense(3,4,'ones','ones')] 1 None nn.ReLU,nn.ReLU() {'x':nn.Dense(3,4,'ones','ones')} {'x':1}")
calls("[type(c).__name__ for c in nn.SequentialCell(nn.ReLU(), nn.Tanh(), nn.Sigmoid())[%s]]", "0:2 ::2 -1: :")
calls("type(nn.SequentialCell(nn.ReLU(), nn.Tanh())[%s]).__name__", "0 -1 1 2 -3 'x' 0:1 True 1.0")
calls("type(nn.CellList([nn.ReLU(), nn.Tanh()])[%s]).__name__", "0 -1 1 2 -3 'x' 0:1 True 1.0")
calls("len(nn.CellList(%s))", "[] [nn.ReLU()] [1] None nn.ReLU() [nn.ReLU] (nn.ReLU(),nn.Tanh()) [[nn.ReLU()]] [None]")
case("parameters_of(nn.CellList([nn.Dense(2, 2, 'ones', 'ones'), nn.Dense(2, 2, 'ones', 'ones')]))")
calls("(lambda c: (c.%s, len(c)))(nn.CellList([nn.ReLU()]))", "append(nn.Tanh()) append(1) extend([nn.Tanh()]) extend(nn.Tanh()) insert(0,nn.Tanh()) insert(5,nn.Tanh()) insert(-1,nn.Tanh()) extend([1]) __delitem__(0) __delitem__(3) __setitem__(0,nn.Tanh()) __setitem__(0,1) __setitem__(4,nn.Tanh())")
calls("len(nn.CellDict(%s))", "{} {'x':nn.ReLU()} [('x',nn.ReLU())] {'x':1} {1:nn.ReLU()} None {'':nn.ReLU()} {'x.y':nn.ReLU()} [('x',nn.ReLU(),1)] {'x':nn.CellDict({'y':nn.ReLU()})} {'x':nn.CellList([nn.ReLU()])} {'x':nn.SequentialCell(nn.ReLU())} 1 nn.CellDict({'x':nn.ReLU()}) {'x':None} {'keys':nn.ReLU()} {'_cells':nn.ReLU()} [['x',nn.ReLU()]] {'x':nn.ReLU} [1]")
calls("(lambda c: (c.%s, len(c)))(nn.CellDict({'x': nn.Identity()}))", "pop('x').cls_name pop('y') __contains__('x') update({'y':nn.ReLU()}) update([('z',nn.ReLU())]) update(1) __getitem__('y') __delitem__('y') clear() __setitem__('y',1) __setitem__(1,nn.ReLU()) update({'x':nn.Tanh()})")
case("list(nn.CellDict({'x': nn.ReLU(), 'y': nn.Tanh()}).keys())")
case("nn.CellDict({'x': nn.ReLU()})(a)", "f32[2]")
case("nn.CellList([nn.ReLU()])(a)", "f32[2]")
case("parameters_of(nn.CellDict({'x': nn.Dense(2, 2, 'ones', 'ones')}))")
