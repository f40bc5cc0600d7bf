"""What the samples' expressions may use besides ms, ops, nn, P, np and Tensor; each side runs it with its own library."""


def tensors(out):
    """All tensors in a result."""
    if isinstance(out, Tensor):
        return [out]
    return [t for item in out for t in tensors(item)] if isinstance(out, (tuple, list)) else []


def weights_of(shape, scale=1.0):
    size = int(np.prod(shape))
    return (scale * np.cos(np.arange(size) * 0.7 + 0.3)).astype(np.float32).reshape(shape)


def weigh(out):
    """A scalar whose gradient tells the elements of a result apart."""
    total = 0
    for t in tensors(out):
        if t.dtype in (ms.float16, ms.float32, ms.float64, ms.bfloat16):
            total = total + (t * Tensor(weights_of(t.shape), t.dtype)).sum()
    return total


def fixed(cell):
    """The Cell with the same values in its Parameters on both sides."""
    for p in cell.get_parameters():
        values = weights_of(p.shape, 0.5)
        p.set_data(Tensor(values + 1 if "variance" in p.name else values, p.dtype))
    return cell


def training(cell):
    return fixed(cell).set_train()


def weight_gradients(cell, *inputs):
    """Gradients with respect to the Parameters."""
    params = list(cell.trainable_params())
    return ms.grad(lambda *xs: weigh(cell(*xs)), None, params)(*inputs)


def parameters_of(cell):
    return [(p.name, p.requires_grad, p) for p in cell.get_parameters()]


def shown(cell):
    """How a Cell prints, without the addresses of objects."""
    import re
    return re.sub("<.*?>", "<>", repr(cell))


def descend(make, steps=4):
    """Parameter values after each step of an optimizer on fixed gradients."""
    shapes = {"w.weight": (2, 3), "b.bias": (4,)}
    params = [ms.Parameter(Tensor(weights_of(shape)), name=name) for name, shape in shapes.items()]
    optimizer, found = make(params), []
    for step in range(steps):
        optimizer(tuple(Tensor(weights_of(p.shape) * (step - 1.5)) for p in params))
        found += [Tensor(p.asnumpy().copy()) for p in params]
    return found


def kind(out):
    """Dtypes and shapes alone, where values are drawn."""
    return [(str(t.dtype), tuple(t.shape)) for t in tensors(out)]


def after(action, *operands):
    """The operands once something was done to them in place."""
    action(*operands)
    return operands


def fit(cell, loss, make, *batch):
    """Losses of some training steps, and the Parameters after them."""
    net = training(cell)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), make(net.trainable_params()))
    losses = [Tensor(step(*batch).asnumpy()) for _ in range(3)]
    return losses, [Tensor(p.asnumpy()) for p in net.get_parameters()]
