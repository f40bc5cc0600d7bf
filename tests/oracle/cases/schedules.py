"""Learning rates over time, and the deterministic initializers."""
from samples import calls, case

STEPS = ["i32[]<4", "Tensor(0, ms.int32)", "Tensor(1, ms.int32)", "Tensor(3, ms.int32)", "Tensor(9, ms.int32)", "2", "2.5", "Tensor(2.0, ms.float32)", "Tensor([2], ms.int32)", "None"]
LISTS = {"cosine_decay_lr": ["0.01, 0.1, 6, 2, 2", "0.0, 0.1, 6, 2, 2", "0.1, 0.01, 6, 2, 2", "0.01, 0.1, 6, 2, 0", "0.01, 0.1, 0, 2, 2", "0.01, 0.1, 6, 2, 2.0", "0.01, 1, 6, 2, 2", "-0.1, 0.1, 6, 2, 2", "0.01, 0.1, 6, 0, 2", "'x', 0.1, 6, 2, 2"],
         "exponential_decay_lr": ["0.1, 0.9, 6, 2, 1", "0.1, 0.9, 6, 2, 2, True", "0.1, 0.9, 6, 2, 2", "0, 0.9, 6, 2, 1", "0.1, 0, 6, 2, 1", "0.1, 2.0, 6, 2, 1", "0.1, 0.9, 6, 2, 1, 1", "1, 0.9, 6, 2, 1"],
         "natural_exp_decay_lr": ["0.1, 0.9, 6, 2, 2", "0.1, 0.9, 6, 2, 2, True", "0.1, 0.9, 6.0, 2, 1", "-0.1, 0.9, 6, 2, 1"],
         "inverse_decay_lr": ["0.1, 0.5, 6, 1, 1", "0.1, 0.5, 6, 2, 2, True", "0.1, -0.5, 6, 1, 1"],
         "polynomial_decay_lr": ["0.1, 0.01, 6, 2, 2, 0.5", "0.1, 0.01, 6, 1, 2, 0.5, True", "0.1, 0.01, 6, 2, 2, 2.0", "0.1, -0.01, 6, 2, 2, 0.5", "0.1, 0.01, 6, 2, 2, -0.5", "0.1, 0.1, 6, 2, 2, 0.5", "0.1, 0.01, 6, 2, 2, 1", "0.1, 0.01, 6, 2, 2, 0.5, 1"],
         "warmup_lr": ["0.1, 6, 2, 2", "0.1, 6, 2, 0", "0.1, 6, 2, -1", "0.1, 6, 2, 2.0", "0, 6, 2, 2", "1, 6, 2, 2"],
         "piecewise_constant_lr": ["[2, 5, 10], [0.1, 0.05, 0.01]", "[2, 5], [0.1]", "[5, 2], [0.1, 0.05]", "[0, 2], [0.1, 0.05]", "[2.0], [0.1]", "(2, 5), (0.1, 0.05)", "[2], [-0.1]", "[], []", "[2], [1]", "2, 0.1"]}
for _name, _rows in LISTS.items():
    for _row in _rows:
        case("nn.%s(%s)" % (_name, _row))
OBJECTS = {"CosineDecayLR": ["0.01, 0.1, 4", "0.0, 0.1, 4", "0.1, 0.01, 4", "0.01, 0.1, 0", "0.01, 0.1, 4.0", "0.01, 1, 4", "-0.1, 0.1, 4"],
           "ExponentialDecayLR": ["0.1, 0.9, 4", "0.1, 0.9, 2, True", "0.1, 0.9, 0", "0.0, 0.9, 4", "0.1, -0.9, 4", "1, 0.9, 4"],
           "NaturalExpDecayLR": ["0.1, 0.9, 4", "0.1, 0.9, 2, True", "0.1, 0.9, 4.0"], "InverseDecayLR": ["0.1, 0.9, 4", "0.1, 0.9, 2, True"],
           "PolynomialDecayLR": ["0.1, 0.01, 4, 0.5", "0.1, 0.01, 4, 2.0", "0.1, 0.01, 2, 0.5, True", "0.1, -0.01, 4, 0.5", "0.1, 0.01, 4, 0.0", "0.1, 0.1, 4, 0.5", "0.1, 0.01, 4, 1"],
           "WarmUpLR": ["0.1, 4", "0.1, 0", "0.1, 4.0", "1, 4", "-0.1, 4"]}
for _name, _rows in OBJECTS.items():
    for _row in _rows:
        case("nn.%s(%s)(a)" % (_name, _row), *STEPS)

SHAPES = "[2,3] (2,3) 3 [] None [0,2] [-1,2] [2.5] 'x'"
calls("initializer('ones', %s)", SHAPES)
calls("initializer(%s, [2, 3])", "'ones' 'zeros' 'one' 'zero' 1 2.5 True 'bogus' None init.One() init.Zero() init.Constant(3) init.Constant(2.5) Tensor(weights_of((2,3))) Tensor(weights_of((3,2))) init.Identity() 'identity' init.One [1,2] init.Constant('x')")
calls("initializer('ones', [2], %s)", "ms.float16 ms.int32 ms.bool_ ms.float64 ms.bfloat16 None 'x'")
calls("initializer(%s, [3])", "init.Identity() 'identity' 'ones'")
RANDOM = "'normal' 'uniform' 'truncatedNormal' 'xavier_uniform' 'he_uniform' 'he_normal' 'heUniform' init.Normal() init.Normal(0.1,0.5) init.Uniform(0.5) init.XavierUniform() init.XavierUniform(2.0) init.XavierNormal() init.HeUniform(1.0) init.HeNormal(mode='fan_out') init.HeNormal(mode='bogus') init.Orthogonal() init.TruncatedNormal(0.1) init.HeUniform(nonlinearity='bogus') 'xavier_normal' 'orthogonal' 'Normal' 'HeNormal'"
calls("kind(initializer(%s, [3, 4]))", RANDOM)
calls("kind(initializer(%s, [3]))", RANDOM)
calls("kind(initializer(%s, [2, 3, 2, 2], ms.float16))", RANDOM)
