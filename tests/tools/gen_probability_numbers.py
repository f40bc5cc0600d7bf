"""usage: PYTHON gen_probability_numbers.py FILE, where PYTHON has MindSpore

Writes what MindSpore's distributions give, as JSON: "Normal.log_prob": numbers, or null where it offers nothing.
tests/py/probability_numbers.json is made of it.
"""
import json
import sys
import warnings
from functools import partial

# name: parameters, those of another distribution, values
DISTRIBUTIONS = {
    "Bernoulli": ((0.3,), (0.6,), [0.0, 1.0, 1.0]), "Beta": (([2.0], [3.0]), ([1.0], [2.0]), [0.2, 0.5, 0.9]),
    "Categorical": (([0.2, 0.3, 0.5],), ([0.1, 0.1, 0.8],), [0.0, 1.0, 2.0]), "Cauchy": ((1.0, 2.0), (0.0, 1.0), [-1.0, 0.5, 2.0]),
    "Exponential": ((0.5,), (2.0,), [0.2, 0.5, 3.0]), "Gamma": (([2.0], [3.0]), ([1.0], [2.0]), [0.2, 0.5, 3.0]),
    "Geometric": ((0.3,), (0.6,), [0.0, 1.0, 4.0]), "Gumbel": ((1.0, 2.0), (0.0, 1.0), [-1.0, 0.5, 3.0]),
    "LogNormal": ((1.0, 2.0), (0.0, 1.0), [0.2, 0.5, 3.0]), "Logistic": ((1.0, 2.0), (0.0, 1.0), [-1.0, 0.5, 3.0]),
    "Normal": ((1.0, 2.0), (0.0, 1.0), [-1.0, 0.5, 3.0]), "Poisson": (([2.0],), ([3.0],), [0.0, 1.0, 4.0]),
    "Uniform": ((1.0, 3.0), (0.0, 4.0), [0.5, 1.5, 3.5]), "HalfNormal": ((0.0, 2.0), (0.0, 1.0), [0.5, 1.5, 3.5]),
    "Laplace": ((1.0, 2.0), (0.0, 1.0), [0.5, 1.5, 3.5]), "StudentT": ((3.0, 1.0, 2.0), (2.0, 0.0, 1.0), [0.5, 1.5, 3.5]),
}
BIJECTORS = {"Exp": (), "Softplus": (2.0,), "ScalarAffine": (2.0, 3.0), "PowerTransform": (2.0,), "GumbelCDF": (1.0, 2.0)}
OF_VALUES = ("prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival")
OF_PARAMETERS = ("mean", "sd", "var", "mode", "entropy")
OF_OTHERS = ("kl_loss", "cross_entropy")
OF_BIJECTORS = ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")


def _on(made, method, tensor, values, *first):
    return getattr(made, method)(*first, *[tensor(value) for value in values])


def calls(distribution, bijector, tensor):
    """(name, function without arguments) of every number, for the modules of either library."""
    for name, (params, others, values) in DISTRIBUTIONS.items():
        made = getattr(distribution, name)(*params)
        for method in OF_VALUES:
            yield name + "." + method, partial(_on, made, method, tensor, [values])
        for method in OF_PARAMETERS:
            yield name + "." + method, getattr(made, method)
        for method in OF_OTHERS:
            yield name + "." + method, partial(_on, made, method, tensor, others, name)
    for name, params in BIJECTORS.items():
        made = getattr(bijector, name)(*params)
        for method in OF_BIJECTORS:
            yield name + "." + method, partial(_on, made, method, tensor, [[0.5, 0.9]])


def main(path):
    warnings.simplefilter("ignore")
    import numpy as np
    from mindspore import Tensor
    from mindspore.nn.probability import bijector, distribution
    rows = {}
    for name, call in calls(distribution, bijector, lambda value: Tensor(np.float32(value))):
        try:
            rows[name] = [str(round(float(v), 5)) for v in np.ravel(call().asnumpy())]
        except (NotImplementedError, TypeError, ValueError):
            rows[name] = None
    with open(path, "w") as file:
        file.write("{\n%s\n}\n" % ",\n".join("%s: %s" % (json.dumps(k), json.dumps(v)) for k, v in rows.items()))


if __name__ == "__main__":
    main(sys.argv[1])
