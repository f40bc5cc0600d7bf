"""Layers of mindspore.nn that few cases had: values, printed form, names of Parameters, wrong arguments of their constructors."""
from samples import calls, case
from variations import several, vary

SHOWN = ["AdaptiveMaxPool3d((2,2,2))", "AdaptiveMaxPool3d((2,None,1))", "AdaptiveAvgPool1d(2)", "AdaptiveAvgPool3d(2)", "AdaptiveMaxPool1d(2)", "AdaptiveMaxPool2d((2,None))", "AvgPool1d(2,2)", "AvgPool2d(3,2,'same')", "AvgPool2d(2,pad_mode='pad',padding=1)",
         "AvgPool3d(2)", "MaxPool1d(2,2)", "MaxPool2d(3,2,'same')", "MaxPool2d(2,pad_mode='pad',padding=1,return_indices=True)", "MaxPool3d(2,2)", "LPPool1d(2,2)", "LPPool2d(2.0,(2,1),stride=1)", "ConstantPad1d((1,2),2.0)", "ConstantPad2d((1,0,2,1),0.5)", "ConstantPad3d(1,2)",
         "ZeroPad2d((1,2,0,1))", "ReflectionPad1d(1)", "ReflectionPad2d((1,0,1,2))", "ReflectionPad3d(1)", "ReplicationPad1d(1)", "ReplicationPad2d(1)", "ReplicationPad3d(1)", "Pad(((1,1),(0,2),(0,0),(1,0)))",
         "Pad(((1,1),(0,2),(0,0),(1,0)),'SYMMETRIC')", "PixelShuffle(2)", "PixelUnshuffle(2)", "ChannelShuffle(2)", "CentralCrop(0.5)", "Unfold([1,2,2,1],[1,1,1,1],[1,1,1,1])", "Roll(1,0)", "Roll((1,2),(0,1))", "Dropout(p=0.0)", "Dropout1d(0.0)", "Dropout2d(0.0)", "Dropout3d(0.0)",
         "InstanceNorm1d(4)", "InstanceNorm2d(4)", "InstanceNorm3d(4)", "InstanceNorm2d(4,affine=False)", "BatchNorm1d(4)", "BatchNorm2d(4,affine=False)", "BatchNorm3d(4)", "GroupNorm(2,4)", "GroupNorm(4,4,affine=False)", "LayerNorm((4,))", "LayerNorm((4,4),-2,-2)",
         "Upsample(scale_factor=2.0,mode='nearest',recompute_scale_factor=True)", "Upsample(size=(5,3),mode='bilinear')", "LRN(2,0.5,1.0,0.75)", "Softmax(1)", "LogSoftmax(1)", "Softmin(1)", "Softmax2d()", "GLU(1)", "PReLU(4)", "PReLU(1,0.1)", "RReLU(0.2,0.2)", "Threshold(0.5,2.0)",
         "Norm(1,True)", "ReduceLogSumExp(1,True)", "Moments(1,True)", "ClipByNorm(1)", "MatrixDiag()", "MatrixDiagPart()", "MatInverse()", "MatDet()", "LGamma()", "DiGamma()", "ImageGradients()", "L1Regularizer(0.1)", "Tril()", "Triu()", "Flatten()", "Flatten(0,1)", "Unflatten(1,(2,2))", "Identity()",
         "Conv1d(4,6,3)", "Conv1d(4,6,3,pad_mode='pad',padding=1,has_bias=True)", "Conv2d(4,6,3)", "Conv2d(4,6,(3,1),2,'valid',has_bias=True)", "Conv2d(4,4,3,group=4)", "Conv2d(4,6,3,pad_mode='pad',padding=(1,0,2,1),dilation=2)", "Conv3d(4,2,2)", "Conv1dTranspose(4,2,3)", "Conv2dTranspose(4,2,3,2)",
         "Conv2dTranspose(4,2,3,2,'pad',1,output_padding=1)", "Conv3dTranspose(4,2,2)", "Dense(4,3)", "Dense(4,3,has_bias=False)", "Dense(4,3,activation='relu')", "Conv2dBnAct(4,3,3)", "Conv2dBnAct(4,3,3,has_bn=True,activation='relu')", "DenseBnAct(4,3,has_bn=True,activation='relu')", "DenseBnAct(4,3)"]
INPUTS = ["f32[2,4,4]", "f32[2,4,4,4]", "f32[2,4,4,4,4]", "f32[4,4]", "f16[2,4,4,4]"]
for layer in SHOWN:
    case("fixed(nn.%s)(a)" % layer, *INPUTS)
    case("training(nn.%s)(a)" % layer, *INPUTS[:4]) if "Norm" in layer or "Bn" in layer else None
    case("shown(nn.%s), parameters_of(fixed(nn.%s))" % (layer, layer)) if not layer.startswith("Conv") else None
    case("parameters_of(fixed(nn.%s))" % layer)
    case("weight_gradients(fixed(nn.%s), a)" % layer, INPUTS[1], gradient=False) if layer.startswith(("Conv2d", "Group", "Dense(4,3)", "Layer", "BatchNorm2d(4", "PReLU(4")) else None
calls("(shown(nn.%s), parameters_of(fixed(nn.%s)))", "Embedding(5,3) Embedding(5,3,True,padding_idx=1) EmbeddingLookup(5,3) BiDense(2,3,4) LSTM(3,4) LSTM(3,4,2,bidirectional=True,batch_first=True) GRU(3,4,has_bias=False) RNN(3,4,nonlinearity='relu') LSTMCell(3,4) GRUCell(3,4) "
      "RNNCell(3,4) MultiheadAttention(8,2) TransformerEncoderLayer(8,2,16) TransformerDecoderLayer(8,2,16) TransformerEncoder(nn.TransformerEncoderLayer(8,2,16),2) SequentialCell(nn.ReLU(),nn.Dense(2,3)) CellList([nn.ReLU(),nn.Dense(2,3)]) "
      "CellDict({'x':nn.ReLU(),'y':nn.Dense(2,3)}) SyncBatchNorm(4) MaxUnpool1d(2) MaxUnpool2d(2) MaxUnpool3d(2) FractionalMaxPool2d(2,(2,2)) TimeDistributed(nn.Dense(2,3),1,(-1,2)) OneHot(depth=3) Range(1,5) "
      "ReLU() ReLU6() SeLU() SiLU() GELU() FastGelu() Sigmoid() Tanh() ELU() CELU() HShrink() HSigmoid() HSwish() Hardtanh() LeakyReLU() LogSigmoid() Mish() SoftShrink() Softsign() Tanhshrink() "
      "BCELoss() BCEWithLogitsLoss() CosineEmbeddingLoss() CrossEntropyLoss() CTCLoss() DiceLoss() FocalLoss() GaussianNLLLoss() HingeEmbeddingLoss() HuberLoss() KLDivLoss() L1Loss() MAELoss() MSELoss() MarginRankingLoss() MultiClassDiceLoss() MultiLabelSoftMarginLoss() "
      "MultiMarginLoss() MultilabelMarginLoss() NLLLoss() PoissonNLLLoss() RMSELoss() SmoothL1Loss() SoftMarginLoss() SoftmaxCrossEntropyWithLogits() TripletMarginLoss() SSIM() PSNR() MSSSIM() CosineSimilarity() LBeta() IGamma()")
for layer, extra in (("LSTM(3,4,2,bidirectional=True,batch_first=True)", ""), ("GRU(3,4)", ""), ("RNN(3,4)", ""), ("LSTM(3,4)", ", seq_length=Tensor([2, 1], ms.int32)"), ("GRU(3,4,batch_first=True)", ", seq_length=Tensor([2, 1], ms.int32)")):
    case("fixed(nn.%s)(a%s)" % (layer, extra), "f32[2,2,3]")
case("fixed(nn.LSTM(3,4))(a, (b, c))", ("f32[2,2,3]", "f32[1,2,4]", "f32[1,2,4]#1"))
case("fixed(nn.LSTMCell(3,4))(a, (b, c))", ("f32[2,3]", "f32[2,4]", "f32[2,4]#1"))
calls("fixed(nn.%s(3,4))(a, b)", "GRUCell RNNCell", ("f32[2,3]", "f32[2,4]"), ("f32[2,2]", "f32[2,4]"))
calls("fixed(nn.%s)(a, b)", "BiDense(3,3,4) MatMul() MatMul(True,False) IGamma() LBeta() SoftMarginLoss() RMSELoss() DiceLoss() MultilabelMarginLoss() CosineSimilarity()", ("f32[3,3]u", "f32[3,3]u#1"), gradient=False)
calls("nn.%s(a, b)", "SSIM(filter_size=3) PSNR()", ("f32[1,1,8,8]u", "f32[1,1,8,8]u#1"))
calls("nn.SSIM(%s)(a, b)", "max_val=2.0,filter_size=5,filter_sigma=1.0 filter_size=3,k1=0.1,k2=0.2", ("f32[1,2,8,8]u", "f32[1,2,8,8]u#1"))
calls("nn.%s(a, b, c)", "TripletMarginLoss() TripletMarginLoss(1,True,reduction='none') GaussianNLLLoss() GaussianNLLLoss(full=True,reduction='sum')", ("f32[3,4]+", "f32[3,4]+#1", "f32[3,4]+#2"))
calls("nn.%s(a, b)", "MultiClassDiceLoss() FocalLoss(gamma=1.0)", ("f32[2,3]u", "f32[2,3]u#1"), gradient=False)
calls("nn.MultilabelMarginLoss(reduction=%s)(a, b)", "'mean' 'sum' 'none' 'x'", ("f32[2,4]", "i32[2,4]<4"))
calls("nn.CTCLoss(reduction=%s)(a, b, Tensor([3, 3], ms.int32), Tensor([2, 1], ms.int32))", "'mean' 'sum' 'none'", ("f32[3,2,4]", "Tensor([[1, 2], [3, 1]], ms.int32)"), gradient=False)
case("nn.MatrixSetDiag()(a, b)", ("f32[2,3]", "f32[2]"), ("f32[2,2,3]", "f32[2,2]"))
case("fixed(nn.EmbeddingLookup(5, 3))(a)", "i32[2,3]<5", "i64[2]<5")
calls("fixed(nn.%s)(a)", "Embedding(5,3) Embedding(5,3,True) Embedding(5,3,padding_idx=1) Embedding(5,3,dtype=ms.float16)", "i32[2,3]<5", "i64[2]<5", "f32[2]", "i32[]")
calls("nn.%s()", "Range(5) Range(1,5) Range(1,5,2) Range(0.0,1.0,0.25) Range('x') Range(5,1)")
calls("nn.MaxUnpool2d(%s)(*nn.MaxPool2d(2,2,return_indices=True)(a))", "2 (2,2),2 2,2,0 2,stride=1", "f32[1,2,4,4]", gradient=False)
several("nn.%s()(a)", "ReLU ReLU6 SeLU SiLU GELU FastGelu Sigmoid Tanh ELU CELU HShrink HSigmoid HSwish Hardtanh LeakyReLU LogSigmoid Mish SoftShrink Softsign Tanhshrink Softmax LogSoftmax Softmin", "f32[2,3]", "f32[]", wrong=False)
for ctor in ("ELU(alpha=1.0)", "CELU(alpha=2.0)", "GELU(approximate=False)", "HShrink(lambd=0.3)", "SoftShrink(lambd=0.3)", "Hardtanh(min_val=-0.5, max_val=0.5)", "LeakyReLU(alpha=0.1)", "Threshold(threshold=0.5, value=2.0)", "Softmax(axis=1)", "LogSoftmax(axis=1)", "Softmin(axis=1)", "GLU(axis=-1)",
             "PReLU(channel=1, w=0.25)", "RReLU(lower=0.125, upper=0.5)", "Dense(in_channels=4, out_channels=3, has_bias=True)", "Conv1d(in_channels=4, out_channels=2, kernel_size=3, stride=1, pad_mode='same', padding=0, dilation=1, group=1, has_bias=False)",
             "Conv2d(in_channels=4, out_channels=2, kernel_size=3, stride=1, pad_mode='same', padding=0, dilation=1, group=1, has_bias=False)", "Conv2dTranspose(in_channels=4, out_channels=2, kernel_size=3, stride=1, pad_mode='same', padding=0, dilation=1, group=1, has_bias=False)",
             "MaxPool2d(kernel_size=2, stride=1, pad_mode='valid', padding=0, dilation=1, return_indices=False, ceil_mode=False)", "AvgPool2d(kernel_size=2, stride=1, pad_mode='valid', padding=0, ceil_mode=False, count_include_pad=True)",
             "BatchNorm2d(num_features=4, eps=1e-05, momentum=0.9, affine=True)", "LayerNorm(normalized_shape=(4,), begin_norm_axis=-1, begin_params_axis=-1, epsilon=1e-07)", "GroupNorm(num_groups=2, num_channels=4, eps=1e-05, affine=True)", "InstanceNorm2d(num_features=4, eps=1e-05, momentum=0.1, affine=True)",
             "Embedding(vocab_size=5, embedding_size=3, use_one_hot=False, padding_idx=1)", "LSTM(input_size=3, hidden_size=4, num_layers=1, has_bias=True, batch_first=False, dropout=0.0, bidirectional=False)", "Dropout(p=0.5)", "Flatten(start_dim=1, end_dim=-1)", "Unflatten(axis=1, unflattened_size=(2, 2))",
             "Upsample(size=(4, 4), mode='nearest')", "MultiheadAttention(embed_dim=8, num_heads=2, dropout=0.0, has_bias=True, batch_first=False)", "OneHot(axis=-1, depth=3, on_value=1.0, off_value=0.0)", "PixelShuffle(upscale_factor=2)", "AdaptiveAvgPool2d(output_size=2)", "AdaptiveMaxPool2d(output_size=2)",
             "CrossEntropyLoss(ignore_index=-100, reduction='mean', label_smoothing=0.0)", "MSELoss(reduction='mean')", "HuberLoss(reduction='mean', delta=1.0)", "SmoothL1Loss(beta=1.0, reduction='none')", "TripletMarginLoss(p=2, swap=False, eps=1e-06, reduction='mean', margin=1.0)",
             "MultiMarginLoss(p=1, margin=1.0, reduction='mean')", "NLLLoss(ignore_index=-100, reduction='mean')", "BCEWithLogitsLoss(reduction='mean')", "KLDivLoss(reduction='mean')", "FocalLoss(gamma=2.0, reduction='mean')", "LRN(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5)", "SSIM(max_val=1.0, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03)"):
    vary("nn.%s" % ctor)
