"""experimental.optim.Adam: as nn.Adam, where eps is added before the correction."""
from ... import ops
from ...optim import grouped_optimizers as _grouped


class Adam(_grouped.Adam):
    """Adam with bias correction; weight decay is added to the gradient. eps is added to the uncorrected root, as in nn.Adam."""

    def _root(self, squares, correction, eps):
        return (ops.sqrt(squares) + eps) / correction ** 0.5
