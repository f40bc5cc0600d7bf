"""The transforms under the module path py_transforms, where older programs look for them."""
from .transforms import *  # noqa: F401,F403
