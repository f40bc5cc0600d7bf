"""The state of an optimizer as Parameters, like those of MindSpore, for parameters_dict, checkpoints and state_dict.

The optimizers count their steps as a Python int and store numbers as floats, which graphs read cheaply. A Parameter that shows such a
number is made, and updated, when somebody lists the Parameters. A value that set_data writes to it is copied back at once. A value that
operators write is copied back at the next listing, and when a checkpoint has been loaded.
"""
from ..common import dtype as mstype
from ..common.parameter import Parameter, ParameterTuple, has_own_name
from ..common.tensor import Tensor
from ..nn.cell import Cell
from ..nn.cell_index import drop_item, store_item
from .rates import _ConvertToCell, _IteratorLearningRate


class _ShownParameter(Parameter):
    """A Parameter that shows a number of an optimizer; its set_data changes that number too."""

    _written = None

    def set_data(self, data, slice_shape=False):
        made = super().set_data(data, slice_shape)
        if self._written is not None:
            self._written()
        return made

    def __reduce__(self):
        return Parameter.__reduce__(self.clone_alone())

    def clone_alone(self):
        """A plain Parameter of the same name and value, without a connection to the optimizer."""
        return Parameter(self.detach(), name=self.name, requires_grad=self.requires_grad)


_ShownParameter.__name__ = "Parameter"  # what programs print


class Shown:
    """Base of objects with Parameters that show data which the object keeps in another form."""

    def _adopt(self, name, values):
        """Takes over what was written to a Parameter that shows something; values: an array."""

    def _take_shown(self):
        """Copies back what was written to the Parameters that show numbers."""
        for name, (param, shown) in list(self.__dict__.get("_shown", {}).items()):
            now = param.asnumpy()
            if now.tobytes() != shown.tobytes():
                self.__dict__["_shown"][name] = param, now.copy()
                self._adopt(name, now)

    def _show(self, name, values, dtype=mstype.float32):
        """The Parameter that shows values, brought up to date."""
        import numpy
        kept = self.__dict__.setdefault("_shown", {})
        values = numpy.array(values, mstype.dtype_to_nptype(dtype))
        if name not in kept:
            param = _ShownParameter(Tensor(values), name=name, requires_grad=False)
            kept[name], param._written = (param, values), self._take_shown
        elif kept[name][1].tobytes() != values.tobytes():
            Parameter.set_data(kept[name][0], Tensor(values))
            kept[name] = kept[name][0], values
        return kept[name][0]


class ShownState(Shown):
    """The part of Optimizer that lists its Parameters."""

    def _shown_numbers(self):
        """(name, values) of the Parameters that MindSpore has between the parameters and their state."""
        return ()

    def _shown_last(self):
        """(name, values) of the Parameters that MindSpore has after them."""
        return ()

    def _adopt(self, name, values):
        """Takes over what was written to a Parameter that shows something; values: an array."""
        if name == "global_step":
            object.__setattr__(self, "step_count", int(values.reshape(-1)[0]))
        elif name.startswith("learning_rate"):
            for group in self._groups:
                if _rate_name(group) == name:  # the number is replaced by a Parameter, which every step then reads
                    group.rate = tuple(values.tolist()) if isinstance(group.rate, tuple) else self._shown[name][0]

    def _show_step(self):
        """The number of updates done, as MindSpore's Parameter global_step."""
        if self._own_step is not None:
            return self._own_step
        self._take_shown()
        return self._show("global_step", [self.step_count], mstype.int32)

    def _ms_own_parameters(self):
        """(attribute, Parameter) in MindSpore's order."""
        self._take_shown()
        rates, changing = self._shown_rates()
        yield "global_step", self._show_step()
        if not changing:
            yield from rates
        yield from zip(self._first_names, self.parameters)
        for name, values in self._shown_numbers():
            yield name, self._show(name, values)
        yield from list(self._param_index.items())
        for name, values in self._shown_last():
            yield name, self._show(name, values)
        if changing:
            yield from rates

    def _shown_rates(self):
        """(attribute, Parameter) of each learning rate, and whether any changes with the step."""
        changing, found = self.dynamic_lr, {}
        for place, index in enumerate(self._group_index):
            name = _rate_name(self._groups[index])
            if name not in found:
                path = ("learning_rate.%d.learning_rate" % place if self.is_group_lr else "learning_rate.learning_rate") if changing else name
                found[name] = path, self._shown_rate(self._groups[index])
        return [pair for pair in found.values() if pair[1] is not None], changing

    def _show_learning_rate(self):
        """What `learning_rate` gives; a Cell among that is listed below the optimizer."""
        for group in self._groups:
            if isinstance(group.rate, float):
                group.rate = self._shown_rate(group)
        changing = self.dynamic_lr
        if not self.is_group_lr:
            shown = self._rate_cell(self._groups[0]) if changing else self._groups[0].rate
        elif not changing:
            return ParameterTuple([group.rate for group in self._group_of])
        elif "learning_rate" in self._cell_index:
            return self._cell_index["learning_rate"]
        else:
            from ..nn.container import CellList  # here, as that module needs optimizers
            cells = [self._rate_cell(group) for group in self._group_of]
            shown = CellList(cells, auto_prefix=False) if all(isinstance(cell, Cell) for cell in cells) else tuple(cells)
        if isinstance(shown, Cell):
            store_item(self._cell_index, "learning_rate", shown)
        return shown

    def _rate_cell(self, group):
        """The learning rate of a group as something that is called with the step number."""
        kept = self.__dict__.setdefault("_rate_cells", {})
        name = _rate_name(group)
        if name not in kept:
            if isinstance(group.rate, tuple):
                kept[name] = _IteratorLearningRate(self._shown_rate(group))
            else:
                kept[name] = _ConvertToCell(group.rate) if isinstance(group.rate, Parameter) else group.rate
        return kept[name]

    def _forget_rates(self):
        """Makes the Cells of learning rates that were set anew, where all change with the step: MindSpore lists them from the start."""
        self.__dict__.pop("_rate_cells", None)
        drop_item(self._cell_index, "learning_rate")
        if all(isinstance(group.rate, (tuple, Cell)) for group in self._groups):
            self._show_learning_rate()

    def _shown_rate(self, group):
        """A Parameter with a learning rate; None for a schedule."""
        if isinstance(group.rate, (float, tuple)):
            return self._show(_rate_name(group), group.rate)
        return group.rate if isinstance(group.rate, Parameter) else None


def _rate_name(group):
    return "learning_rate" if group.place is None else "learning_rate_group_%d" % group.place


def name_parameters(parameters):
    """Gives Parameters without a name the names that MindSpore gives to those of an optimizer."""
    number = 0
    for param in parameters:
        if not has_own_name(param):
            number += 1
            param.name = "Parameter$%d" % number
    return ParameterTuple(parameters)


def take_loaded(net, step):
    """Lets the optimizers of a network take over what was loaded into their Parameters.

    `step` is a number of updates for the first of them, or None. An optimizer's own Parameter with this number has a longer name than the
    file, so a copy by names does not reach it. Returns whether an optimizer took it.
    """
    cells = [cell for _, cell in net.cells_and_names() if isinstance(cell, Shown)]
    for optimizer in cells:
        optimizer._take_shown()
    optimizers = [cell for cell in cells if isinstance(cell, ShownState)]
    if step is None or not optimizers:
        return False
    optimizers[0].global_step = step.detach()
    return True
