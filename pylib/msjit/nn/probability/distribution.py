"""Distributions."""
from ... import _paths
from .bounded import Beta, Exponential, Gamma, Uniform
from .continuous import Cauchy, Gumbel, HalfNormal, Laplace, Logistic, LogNormal, Normal, StudentT
from .discrete import Bernoulli, Categorical, Geometric, Poisson
from .own import Distribution
from .transformed import TransformedDistribution

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.

__all__ = ["Distribution", "TransformedDistribution", "Bernoulli", "Beta", "Categorical", "Cauchy", "Exponential", "Gamma", "Geometric",
           "Gumbel", "Logistic", "LogNormal", "Normal", "Poisson", "Uniform", "HalfNormal", "Laplace", "StudentT"]
