"""The standard library's multiprocessing, whole: Tensors are pickled on their way between processes."""
from multiprocessing import *  # noqa: F401,F403
from multiprocessing import __all__  # noqa: F401
