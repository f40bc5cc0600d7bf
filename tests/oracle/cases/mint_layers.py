"""Layers of mindspore.mint.nn and mindspore.mint.nn.functional."""
from samples import calls, case
from variations import several, vary

F = "mint.nn.functional."
several(F + "%s(input=a)", "relu sigmoid silu tanh logsigmoid elu gelu relu6 hardtanh selu softsign hardswish hardsigmoid mish softplus hardshrink softshrink leaky_relu", "f32[2,3]", "f32[]")
several(F + "%s(input=a, dim=1, dtype=ms.float64)", "softmax log_softmax", "f32[2,3]")
calls(F + "%s(a)", "softmax log_softmax", "f32[3]", "f32[2,3]", "f32[2,3,4]", "f32[]")
vary(F + "elu(input=a, alpha=2.0, inplace=False)", "f32[2,3]")
vary(F + "hardtanh(input=a, min_val=-0.5, max_val=0.5)", "f32[2,3]")
vary(F + "threshold(input=a, threshold=0.5, value=2.0)", "f32[2,3]")
vary(F + "glu(input=a, dim=1)", "f32[2,4]")
vary(F + "normalize(input=a, p=2.0, dim=1, eps=1e-12)", "f32[2,3]")
vary(F + "prelu(input=a, weight=b)", ("f32[2,3]", "f32[1]"), ("f32[2,3]", "f32[3]"))
vary(F + "linear(input=a, weight=b, bias=c)", ("f32[2,3]", "f32[4,3]", "f32[4]"), ("f32[3]", "f32[4,3]", "f32[4]"))
vary(F + "embedding(input=a, weight=b, padding_idx=1)", ("i32[2,3]<4", "f32[4,2]"))
vary(F + "one_hot(tensor=a, num_classes=4)", "i64[3]<4")
vary(F + "layer_norm(input=a, normalized_shape=(3,), weight=b, bias=b, eps=1e-05)", ("f32[2,3]", "f32[3]"))
vary(F + "group_norm(input=a, num_groups=2, weight=b, bias=b, eps=1e-05)", ("f32[2,4,3]", "f32[4]"))
vary(F + "batch_norm(input=a, running_mean=b, running_var=c, weight=b, bias=b, training=False, momentum=0.1, eps=1e-05)", ("f32[2,3,4]", "f32[3]", "f32[3]+"))
calls("after(lambda x, m, v: " + F + "batch_norm(x, m, v, training=True), a, b, c)", "x", ("f32[4,3]", "f32[3]p", "f32[3]+"), gradient=False)
several(F + "%s(input=a, target=b, reduction='sum')", "mse_loss soft_margin_loss l1_loss smooth_l1_loss kl_div", ("f32[2,3]", "f32[2,3]+#1"), ("f32[2,3]", "f32[3]"))
several(F + "%s(input=a, target=b, reduction='none')", "mse_loss soft_margin_loss", ("f32[2,3]", "f32[2,3]+#1"), dtypes=False)
vary(F + "kl_div(input=a, target=b, reduction='batchmean', log_target=True)", ("f32[2,3]", "f32[2,3]#1"))
vary(F + "binary_cross_entropy(input=a, target=b, weight=c, reduction='mean')", ("f32[2,3]u", "f32[2,3]u#1", "f32[2,3]+"))
vary(F + "binary_cross_entropy_with_logits(input=a, target=b, weight=c, reduction='mean', pos_weight=c)", ("f32[2,3]", "f32[2,3]u", "f32[3]+"))
vary(F + "cross_entropy(input=a, target=b, weight=c, ignore_index=-100, reduction='mean', label_smoothing=0.1)", ("f32[4,3]", "i64[4]<3", "f32[3]+"))
calls(F + "cross_entropy(a, b%s)", "x ,reduction='none' ,reduction='sum' ,ignore_index=1 ,label_smoothing=0.2", ("f32[4,3]", "i32[4]<3"), ("f32[2,3,2]", "i64[2,2]<3"), ("f32[4,3]", "f32[4,3]u"), ("f32[3]", "i64[]<3"))
vary(F + "nll_loss(input=a, target=b, weight=c, ignore_index=-100, reduction='mean')", ("f32[4,3]", "i64[4]<3", "f32[3]+"))
vary(F + "cosine_embedding_loss(input1=a, input2=b, target=c, margin=0.1, reduction='mean')", ("f32[2,3]", "f32[2,3]#1", "Tensor([1, -1])"), dtypes=False)
for size in ("(1, 1, 1, 1)", "(1, 2)", "(1, -1)"):
    vary(F + "pad(input=a, pad=%s, mode='constant', value=2.0)" % size, "f32[2,3,4]", wrong=False)
calls(F + "pad(a, %s)", "(1,1),'reflect' (1,1),'replicate' (1,1),'circular' (1,1),'x' (1,2,1,1),'reflect' (5,5),'reflect' (1,)", "f32[2,3,4]", "f32[3,4]", gradient=False)
for rank, sizes in ((1, "5"), (2, "5,4"), (3, "4,5,4")):
    vary(F + "avg_pool%dd(input=a, kernel_size=2, stride=2, padding=1, ceil_mode=True, count_include_pad=False)" % rank, "f32[1,2,%s]" % sizes, dtypes=rank == 2)
    vary(F + "adaptive_avg_pool%dd(input=a, output_size=2)" % rank, "f32[1,2,%s]" % sizes, dtypes=rank == 2)
calls(F + "adaptive_avg_pool2d(a, %s)", "(2,None) (None,None) (3,2) 1 (1,)", "f32[1,2,5,4]", "f32[2,5,4]")
vary(F + "adaptive_max_pool2d(input=a, output_size=2, return_indices=True)", "f32[1,2,5,4]", dtypes=False)
vary(F + "adaptive_max_pool1d(input=a, output_size=2)", "f32[1,2,5]", dtypes=False)
vary(F + "max_pool2d(input=a, kernel_size=2, stride=2, padding=1, dilation=1, ceil_mode=True, return_indices=True)", "f32[1,2,5,4]")
calls(F + "max_unpool2d(*" + F + "max_pool2d(a, 2, return_indices=True), kernel_size=2)", "x", "f32[1,2,4,4]", gradient=False)
vary(F + "conv1d(input=a, weight=b, bias=c, stride=2, padding=1, dilation=1, groups=1)", ("f32[1,2,6]", "f32[3,2,3]", "f32[3]"), dtypes=False)
vary(F + "conv2d(input=a, weight=b, bias=c, stride=2, padding=1, dilation=1, groups=1)", ("f32[1,2,5,6]", "f32[3,2,3,3]", "f32[3]"))
vary(F + "conv3d(input=a, weight=b, bias=c, stride=2, padding=1, dilation=1, groups=1)", ("f32[1,2,5,5,4]", "f32[3,2,3,3,3]", "f32[3]"), dtypes=False)
vary(F + "conv_transpose2d(input=a, weight=b, bias=c, stride=2, padding=1, output_padding=1, groups=1, dilation=1)", ("f32[1,2,4,3]", "f32[2,3,3,3]", "f32[3]"), dtypes=False)
vary(F + "interpolate(input=a, scale_factor=2.0, mode='nearest')", "f32[1,2,3,4]", wrong=False)
calls(F + "interpolate(a, size=%s)", "(5,6),mode='bilinear' (5,6),mode='bilinear',align_corners=True (2,2),mode='nearest' (5,6),mode='bicubic' 5,mode='nearest'", "f32[1,2,3,4]")
calls(F + "interpolate(a, size=%s)", "7 7,mode='linear' 7,mode='linear',align_corners=True (7,)", "f32[1,2,4]")
vary(F + "grid_sample(input=a, grid=b, mode='bilinear', padding_mode='zeros', align_corners=True)", ("f32[1,2,3,4]", "f32[1,2,2,2]u"), dtypes=False)
vary(F + "unfold(input=a, kernel_size=2, dilation=1, padding=1, stride=2)", "f32[1,2,4,4]", dtypes=False)
vary(F + "fold(input=a, output_size=(4, 4), kernel_size=2, dilation=1, padding=1, stride=2)", "f32[1,8,9]", dtypes=False)
vary(F + "pixel_shuffle(input=a, upscale_factor=2)", "f32[1,4,2,3]", dtypes=False)
vary(F + "flatten(input=a, start_dim=1, end_dim=-1)", "f32[2,3,2]")
vary(F + "dropout(input=a, p=0.0, training=True)", "f32[2,3]")
calls(F + "%s(a, p=0.5, training=False)", "dropout dropout2d", "f32[2,3,2,2]")
several("fixed(mint.nn.%s())(a)", "ReLU ReLU6 SELU GELU SiLU Sigmoid Tanh ELU Hardshrink Hardsigmoid Hardswish Hardtanh LogSigmoid LogSoftmax Softmax Mish PReLU Flatten Identity", "f32[2,3]", "f32[2,3,2]", wrong=False)
calls("(shown(mint.nn.%s()), parameters_of(mint.nn.%s()))", "ReLU ReLU6 SELU GELU SiLU Sigmoid Tanh ELU Hardshrink Hardsigmoid Hardswish Hardtanh LogSigmoid LogSoftmax Softmax Mish PReLU Flatten Identity BCELoss BCEWithLogitsLoss KLDivLoss L1Loss MSELoss "
      "SmoothL1Loss SoftMarginLoss CosineEmbeddingLoss CrossEntropyLoss NLLLoss Dropout Dropout2d")
SHOWN = ["ConstantPad1d((1,2),2.0)", "ConstantPad2d(1,2.0)", "ConstantPad3d(1,2.0)", "ZeroPad1d(1)", "ZeroPad2d((1,2,0,1))", "ZeroPad3d(1)", "ReflectionPad1d(1)", "ReflectionPad2d(1)", "ReflectionPad3d(1)", "ReplicationPad1d(1)",
         "ReplicationPad2d((1,0,1,2))", "ReplicationPad3d(1)", "AdaptiveAvgPool1d(2)", "AdaptiveAvgPool2d((2,3))", "AdaptiveAvgPool2d((None,2))", "AdaptiveAvgPool3d(2)", "AdaptiveMaxPool1d(2)", "AdaptiveMaxPool2d(2)", "AvgPool1d(2)", "AvgPool2d(2,1,1)",
         "AvgPool3d(2)", "MaxPool2d(2)", "MaxPool2d(3,2,1,return_indices=True)", "PixelShuffle(2)", "Unfold(2)", "Fold((4,4),2)", "Upsample(scale_factor=2.0)", "Upsample(size=(4,5),mode='bilinear')", "UpsamplingNearest2d(scale_factor=2.0)",
         "UpsamplingBilinear2d(size=(3,3))", "Softmax(1)", "LogSoftmax(0)", "ELU(2.0)", "Hardtanh(-2.0,2.0)", "Threshold(0.5,2.0)", "PReLU(4,0.1)", "GELU('tanh')", "Flatten(0)", "Conv1d(4,6,3)", "Conv2d(4,6,3,padding=1)", "Conv2d(4,6,(3,1),2,bias=False)",
         "Conv2d(4,4,3,groups=4,padding='same')", "Conv2d(4,4,3,padding=1,padding_mode='reflect')", "Conv3d(4,2,2)", "ConvTranspose2d(4,2,3,2,1,1)", "Linear(4,3)", "Linear(4,3,bias=False)", "Embedding(5,3)", "Embedding(5,3,padding_idx=1)", "GroupNorm(2,4)",
         "GroupNorm(2,4,affine=False)", "LayerNorm(4)", "LayerNorm((4,4),elementwise_affine=False)", "BatchNorm1d(4)", "BatchNorm2d(4,affine=False)", "BatchNorm2d(4,track_running_stats=False)", "BatchNorm3d(4)"]
INPUTS = ["f32[2,4,4]", "f32[2,4,4,4]", "f32[2,4,4,4,4]", "f32[4,4]"]
for layer in SHOWN:
    case("fixed(mint.nn.%s)(a)" % layer, *INPUTS)
    case("shown(mint.nn.%s), parameters_of(fixed(mint.nn.%s))" % (layer, layer))
    case("weight_gradients(fixed(mint.nn.%s), a)" % layer, INPUTS[1], gradient=False) if layer.startswith(("Conv2d", "Group", "LayerNorm(4)", "BatchNorm2d(4)", "Linear")) else None
calls("fixed(mint.nn.%s(reduction='sum'))(a, b)", "BCEWithLogitsLoss KLDivLoss L1Loss MSELoss SmoothL1Loss SoftMarginLoss", ("f32[2,3]", "f32[2,3]+"))
calls("fixed(mint.nn.%s(reduction=%s))(a, b)".replace("%s(reduction=%s)", "%s"), "BCELoss() CrossEntropyLoss() NLLLoss()", ("f32[4,3]u", "i64[4]<3"), ("f32[4,3]u", "f32[4,3]u#1"))
calls("mint.nn.%s", "Conv2d(4,6) Conv2d(0,6,3) Conv2d(4,6,3,groups=3) Conv2d(4,6,3,padding='x') Conv2d(4,6,3,padding_mode='x') Conv2d('4',6,3) Linear(-1,3) Linear(4.0,3) GroupNorm(3,4) BatchNorm2d(0) BatchNorm2d('x') PReLU(0) Embedding(-1,3)"
      " Embedding(5,3,padding_idx=7) LayerNorm(()) LayerNorm('x') MSELoss('x') L1Loss(reduction=1) Dropout(2.0) Dropout(-0.1) Softmax('x') Hardtanh(2.0,1.0) ELU('x') Upsample() MaxPool2d('x') AvgPool2d(-1) AdaptiveAvgPool2d((1,2,3))")
