"""A registry in which packages store their own function for recomputation, for others to find."""


class RecomputeRegistry:
    """Keeps one function: register(generator), then get()."""

    def __init__(self):
        self.recompute_generator = None

    def register(self, generator):
        """Keeps a function, instead of the one before."""
        self.recompute_generator = generator

    def get(self):
        """The function, None before register()."""
        return self.recompute_generator


recompute_registry = RecomputeRegistry()
