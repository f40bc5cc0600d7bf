"""QuantDtype: the widths of quantised numbers. They are only names: no operator computes with them."""
import enum


class _Named(enum.Enum):
    def __str__(self):
        return self.name

    def value(self):
        """The number of the type."""
        return self._value_


QuantDtype = _Named("QuantDtype", [("INT%d" % bits, bits - 1) for bits in range(1, 17)]
                    + [("UINT%d" % bits, bits + 99) for bits in range(1, 17)], module=__name__)
