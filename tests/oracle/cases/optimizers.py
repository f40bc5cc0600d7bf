"""Optimizers: Parameters after some steps, and what the constructors accept."""
from samples import calls, case

RATES = "0.1 1 0 -1 True 'x' None [0.1,0.05,0.02,0.01] [0.1,0.05] [] Tensor([0.1,0.05,0.02,0.01],ms.float32) Tensor(0.1,ms.float32) nn.CosineDecayLR(0.01,0.1,4) nn.ExponentialDecayLR(0.1,0.9,2) (0.1,0.05,0.02,0.01) [0.1,'x'] [1,2,3,4]"
SETTINGS = {
    "SGD": ["", "0.1", "0.1, 0.9", "0.1, 0.9, 0.5", "0.1, 0.9, 0.0, 0.01", "0.1, 0.9, nesterov=True", "0.1, weight_decay=0.01", "0.1, loss_scale=2.0", "0.1, momentum=-1.0", "0.1, momentum='x'", "0.1, dampening=-0.5", "0.1, 0.0, nesterov=True",
            "0.1, 0.9, 0.5, nesterov=True", "0.1, weight_decay=-1.0", "0.1, weight_decay='x'", "0.1, loss_scale=0.0", "0.1, loss_scale='x'", "0.1, nesterov=1", "0.1, weight_decay=1", "0.1, momentum=1", "0.1, loss_scale=2"],
    "Momentum": ["", "0.1", "0.1, 0.9", "0.1, 0.9, 0.01", "0.1, 0.9, 0.0, 2.0", "0.1, 0.9, use_nesterov=True", "0.1, 0.9, 0.01, use_nesterov=True", "0.1, -1.0", "0.1, 'x'", "0.1, 1", "0.1, 0", "0.1, 0.9, use_nesterov=1", "0.1, 0.9, -0.1", "0.1, 0.0"],
    "Adam": ["", "0.01", "0.01, 0.8, 0.99", "0.01, eps=1e-3", "0.01, weight_decay=0.1", "0.01, loss_scale=4.0", "0.01, 1.0", "0.01, 0.0", "0.01, -0.1", "0.01, 0.9, 1.0", "0.01, eps=0.0", "0.01, eps=-1.0", "0.01, beta1='x'", "0.01, beta1=1",
             "0.01, use_nesterov=True", "0.01, use_amsgrad=True", "0.01, use_locking=True", "0.01, bogus=1", "0.01, eps=1"],
    "AdamWeightDecay": ["", "0.01", "0.01, 0.8, 0.99", "0.01, weight_decay=0.1", "0.01, eps=1e-3", "0.01, 1.0", "0.01, 0.0", "0.01, eps=0.0", "0.01, weight_decay=-1.0", "0.01, beta1='x'"],
}
for _name, _rows in SETTINGS.items():
    for _row in _rows:
        case("descend(lambda ps: nn.%s(ps%s))" % (_name, ", " + _row if _row else ""))
    _more = ", 0.9" if _name == "Momentum" else ""
    calls("descend(lambda ps: nn.%s(ps, %%s%s))" % (_name, _more), RATES)
    _group = "descend(lambda ps: nn.%s([{'params': ps[:1], %%s}, {'params': ps[1:]}], 0.05%s))" % (_name, _more)
    calls(_group, "'lr':0.2 'weight_decay':0.1 'lr':0.2,'weight_decay':0.1 'lr':[0.1,0.2,0.3,0.4] 'lr':-1.0 'lr':'x' 'bogus':1 'weight_decay':-1.0 'order_params':1")
    calls("descend(lambda ps: nn.%s(%%s, 0.1%s))" % (_name, _more), "[] None 1 [1] ps+ps ps[:1] tuple(ps) iter(ps) [Tensor([1.0])] [{'params':[]}] [{'lr':0.1}] ms.ParameterTuple(ps)")
    calls("nn.%s(nn.Dense(2, 2).trainable_params(), 0.1%s).%%s" % (_name, _more), "get_lr() global_step learning_rate weight_decay loss_scale dynamic_lr param_length is_group")
    calls("(lambda ps: nn.%s(ps, 0.1%s)(%%s))([Parameter(Tensor([1.0, 2.0], ms.float32), name='w')])" % (_name, _more),
          "(Tensor([1.0,2.0],ms.float32),) [Tensor([1.0,2.0],ms.float32)] () (Tensor([1.0],ms.float32),) (Tensor([1.0,2.0],ms.float16),) 1 None (None,) (1.0,)")

MORE = {
    "RMSProp": ["", "0.01", "0.01, 0.8, 0.5", "0.01, centered=True", "0.01, weight_decay=0.1", "0.01, decay=1", "0.01, epsilon=0.0", "0.01, momentum=-1.0", "0.01, use_locking=1"],
    "Adagrad": ["", "update_slots=False", "0.2, 0.01", "0.2, 0.01, True, 2.0", "-1.0", "'x'", "0.1, 0.01, 1", "0.1, [0.1,0.05,0.02,0.01]", "weight_decay=0.1"],
    "Adadelta": ["", "0.5, 0.8", "rho=2.0", "epsilon=-1.0", "rho=1", "weight_decay=0.1, loss_scale=2.0"], "AdaMax": ["", "0.01, 0.8", "beta1=1.0", "eps=0.0", "beta2=1", "weight_decay=0.1"],
    "ProximalAdagrad": ["", "0.1, 0.1, 0.01, 0.1", "accum=-1.0", "l1=-1.0", "l2='x'", "weight_decay=0.1"], "ASGD": ["", "0.1, 0.01", "t0=1.0", "lambd=1", "alpha='x'", "weight_decay=0.1"],
    "Rprop": ["", "0.01", "etas=(0.4,1.3)", "etas=[0.5,1.2]", "etas=(0.5,0.9)", "step_sizes=(2.0,1.0)", "step_sizes=(0.01,0.02)"], "Lamb": ["", "0.1", "0.1, 0.8, 0.9", "0.1, weight_decay=0.1", "0.1, 1.0", "0.1, eps=0.0", "[0.1,0.05,0.02,0.01]"],
    "FTRL": ["lr_power=1.0", "learning_rate=[0.1,0.2]", "l1=-1.0", "initial_accum=-1.0"],
    "AdaFactor": ["", "0.1", "0.1, relative_step=False", "scale_parameter=False", "warmup_init=True", "beta1=0.0", "weight_decay=0.1", "clip_threshold=0.5", "eps=(1e-30,)", "relative_step=False", "decay_rate=1.0"],
}
for _name, _rows in MORE.items():
    for _row in _rows:
        case("descend(lambda ps: nn.%s(ps%s))" % (_name, ", " + _row if _row else ""))
for _row in ("", ", use_clip=True, coefficient=0.3", ", epsilon=1", ", use_clip=1"):
    case("descend(lambda ps: nn.LARS(nn.Momentum(ps, 0.1, 0.9, 0.1)%s))" % _row)
