"""The transforms under the module path c_transforms, where older programs look for them."""
from .transforms import *  # noqa: F401,F403
