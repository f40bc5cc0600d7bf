"""The transforms under the module path transforms, where older programs look for them."""
from ..transforms import Compose, PyTensorOperation, RandomApply, RandomChoice, RandomOrder  # noqa: F401
from . import *  # noqa: F401,F403
