"""Settings of MindSpore's graph compiler: programs may set them, and none changes anything here. One that is not set is ""."""


def __getattr__(name):
    if name.isupper():
        return ""
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
