"""nn.probability, scipy and mint.optim."""
from samples import calls, case

# -- distributions ----------------------------------------------------------------------------------------------------
F32 = "dtype=ms.float32"
CONTINUOUS = ["Normal(0.5,2.0,%s)" % F32, "Uniform(0.5,3.0,%s)" % F32, "Exponential(2.0,%s)" % F32, "LogNormal(0.2,1.5,%s)" % F32,
              "Gumbel(0.5,2.0,%s)" % F32, "Logistic(0.5,2.0,%s)" % F32, "Cauchy(0.5,2.0,%s)" % F32, "Beta([2.0],[3.0],%s)" % F32,
              "Gamma([2.0],[3.0],%s)" % F32]
DISCRETE = ["Bernoulli(0.3,dtype=ms.int32)", "Geometric(0.3,dtype=ms.int32)", "Poisson([2.0],dtype=ms.float32)"]
calls("msd.%s.prob(a)", " ".join(CONTINUOUS), "f32[2,3]u", "Tensor([0.9])", gradient=False)
calls("msd.%s.log_prob(a)", " ".join(CONTINUOUS), "f32[2,3]u")
calls("msd.%s.cdf(a)", " ".join(CONTINUOUS), "f32[3]u", gradient=False)
calls("msd.%s.log_cdf(a)", " ".join(CONTINUOUS), "f32[3]u", gradient=False)
calls("msd.%s.survival_function(a)", " ".join(CONTINUOUS), "f32[3]u", gradient=False)
calls("msd.%s.log_survival(a)", " ".join(CONTINUOUS), "f32[3]u", gradient=False)
for _method in "mean sd var mode entropy".split():  # MindSpore stops at the mode of Bernoulli
    calls("msd.%s." + _method + "()", " ".join(CONTINUOUS + DISCRETE[_method == "mode":]))
for _method in "prob log_prob cdf survival_function".split():
    calls("msd.%s." + _method + "(a)", " ".join(DISCRETE), "Tensor([0.0, 1.0, 1.0])", gradient=False)
for _method in "kl_loss cross_entropy".split():
    case("msd.Normal(0.5, 2.0, dtype=ms.float32).%s('Normal', a, b)" % _method, ("f32[3]", "f32[3]+"), gradient=False)
    case("msd.Uniform(0.5, 3.0, dtype=ms.float32).%s('Uniform', Tensor(0.0), Tensor(4.0))" % _method)
    case("msd.Exponential(2.0, dtype=ms.float32).%s('Exponential', a)" % _method, "f32[3]+", gradient=False)
    case("msd.Bernoulli(0.3, dtype=ms.int32).%s('Bernoulli', a)" % _method, "f32[3]u", gradient=False)
    case("msd.Geometric(0.3, dtype=ms.int32).%s('Geometric', a)" % _method, "f32[3]u", gradient=False)
    case("msd.LogNormal(0.5, 2.0, dtype=ms.float32).%s('LogNormal', a, b)" % _method, ("f32[3]", "f32[3]+"), gradient=False)
    case("msd.Gamma([2.0], [3.0], dtype=ms.float32).%s('Gamma', a, b)" % _method, ("f32[3]+", "f32[3]+#1"), gradient=False)
    case("msd.Beta([2.0], [3.0], dtype=ms.float32).%s('Beta', a, b)" % _method, ("f32[3]+", "f32[3]+#1"), gradient=False)
    case("msd.Categorical(Tensor([0.2, 0.3, 0.5]), dtype=ms.int32).%s('Categorical', Tensor([0.5, 0.25, 0.25]))" % _method)
    case("msd.Normal(0.5, 2.0, dtype=ms.float32).%s('Uniform', a, b)" % _method, ("f32[3]", "f32[3]+"), gradient=False)
for _method in "prob log_prob cdf survival_function".split():
    case("msd.Categorical(Tensor([0.2, 0.3, 0.5]), dtype=ms.int32).%s(a)" % _method, "Tensor([0.0, 1.0, 2.0])", gradient=False)
case("msd.Categorical(Tensor([0.2, 0.3, 0.5]), dtype=ms.int32).mean()")
case("msd.Normal(dtype=ms.float32).prob(a, b, c)", ("f32[3]", "f32[3]#1", "f32[3]+"), gradient=False)
case("msd.Normal(Tensor([0.0, 1.0]), 1.0).log_prob(a)", "f32[2,2]")
case("msd.Normal(0.0, -1.0)", ()), case("msd.Uniform(2.0, 1.0)", ()), case("msd.Bernoulli(1.5)", ())
calls("kind(msd.%s.sample((2, 3)))", " ".join(CONTINUOUS[:6] + DISCRETE))
calls("kind(msd.%s.sample())", " ".join(CONTINUOUS[:6] + DISCRETE))
case("msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0, dtype=ms.float32)).prob(a)", "f32[3]+", gradient=False)
case("msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0, dtype=ms.float32)).log_prob(a)", "f32[3]+", gradient=False)
case("msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0, dtype=ms.float32)).cdf(a)", "f32[3]+", gradient=False)
case("msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0, dtype=ms.float32)).mean()")

# -- bijectors --------------------------------------------------------------------------------------------------------
BIJECTORS = "Exp() PowerTransform(0.5) PowerTransform(0.0) ScalarAffine(2.0,1.0) Softplus(2.0) GumbelCDF(0.5,2.0) Invert(msb.Exp()) Softplus()"
for _method in "forward forward_log_jacobian".split():
    calls("msb.%s." + _method + "(a)", BIJECTORS, "f32[2,3]+", gradient=False)
for _method in "inverse inverse_log_jacobian".split():
    calls("msb.%s." + _method + "(a)", BIJECTORS, "f32[2,3]u", gradient=False)

# -- scipy ------------------------------------------------------------------------------------------------------------
SPD, GENERAL = "Tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])", "Tensor([[1.0, 2.0, 0.0], [3.0, 4.0, 1.0], [0.0, 1.0, 5.0]])"
calls("linalg.%s(a)", "inv det cholesky cho_factor", SPD, gradient=False)
calls("linalg.%s(a)", "inv det lu lu_factor", GENERAL, gradient=False)
case("linalg.cholesky(a, lower=True)", SPD, gradient=False)
case("linalg.cho_factor(a, lower=True)", SPD, gradient=False)
case("linalg.cho_solve(linalg.cho_factor(a), b)", (SPD, "f32[3]"), (SPD, "f32[3,2]"), gradient=False)
case("linalg.cho_solve(linalg.cho_factor(a, lower=True), b)", (SPD, "f32[3]"), gradient=False)
calls("linalg.solve_triangular(a, b%s)", ", ,lower=True ,trans=1 ,trans='T' ,lower=True,unit_diagonal=True", (SPD, "f32[3]"), (SPD, "f32[3,2]"), gradient=False)
case("linalg.eigh(a, eigvals_only=True)", SPD, gradient=False)
case("linalg.eigh(a, lower=False, eigvals_only=True)", SPD, gradient=False)
case("linalg.eigh(a)[0]", SPD, "f64[2,2]", gradient=False)
case("linalg.block_diag(a, b)", ("f32[2,3]", "f32[3]"), ("f32[1,1]", "f32[2,2]"), gradient=False)
case("optimize.minimize(lambda x: ((x - Tensor([1.0, 2.0])) ** 2).sum(), a, method='BFGS').x", "Tensor([0.0, 0.0])", gradient=False)
case("optimize.minimize(lambda x: ((x - Tensor([1.0, 2.0])) ** 2).sum(), a, method='BFGS', options=dict(maxiter=3)).x", "Tensor([0.0, 0.0])", gradient=False)
case("optimize.line_search(lambda x: ((x - 1.0) ** 2).sum(), a, Tensor([1.0, 1.0])).a_k", "Tensor([0.0, 0.5])", gradient=False)
case("optimize.linear_sum_assignment(a, False, Tensor(3))", "Tensor([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0], [3.0, 2.0, 2.0]], ms.float64)", gradient=False)
case("optimize.linear_sum_assignment(a, maximize=True)", "Tensor([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]], ms.float64)", gradient=False)

# -- mint.optim -------------------------------------------------------------------------------------------------------
calls("descend(lambda ps: opt.%s)", "Adam(ps) Adam(ps,lr=0.1,betas=(0.8,0.9),eps=1e-6,weight_decay=0.1) Adam(ps,amsgrad=True) Adam(ps,maximize=True) AdamW(ps)"
      " AdamW(ps,lr=0.1,weight_decay=0.1,amsgrad=True) SGD(ps,lr=0.1) SGD(ps,lr=0.1,momentum=0.9) SGD(ps,lr=0.1,momentum=0.9,nesterov=True)"
      " SGD(ps,lr=0.1,momentum=0.9,dampening=0.5,weight_decay=0.1) SGD(ps,lr=0.1,maximize=True) Adam(ps,lr=-1.0) SGD(ps) Adam(ps,betas=(1.5,0.9))")
