"""The transforms under the module path transforms, where older programs look for them."""
from . import *  # noqa: F401,F403
from ..transforms import Compose, RandomApply, RandomChoice, RandomOrder  # noqa: F401
