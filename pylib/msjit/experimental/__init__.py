"""msjit.experimental: optimizers with groups of options, and schedulers that change their rates."""
