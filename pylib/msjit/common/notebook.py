"""How notebooks show Tensors and Cells: `_repr_html_`."""
_MOST_NUMBERS = 1000  # elements of a Tensor that is shown with its values
_CELL = 'style="text-align:left"'


def tensor_html(tensor):
    """Shape and dtype, and the values of a Tensor that is not large."""
    from html import escape
    head = "%s, shape %s, %s" % (type(tensor).__name__, tuple(tensor.shape), tensor.dtype)
    if getattr(tensor, "name", None):
        head = "%s %r" % (head, tensor.name)
    text = str(tensor.asnumpy()) if tensor.size <= _MOST_NUMBERS else "%d values" % tensor.size
    return "<div>%s<pre>%s</pre></div>" % (escape(head), escape(text))


def cell_html(cell):
    """A table with a row for the Cell and each Cell below it: path, class, extend_repr() and own Parameters."""
    from html import escape
    rows, total, trained = [], 0, 0
    for path, layer in cell.cells_and_names():
        own = [p for p in layer._param_index.values() if p is not None]
        shapes = ", ".join("%s %s" % (p.name.rpartition(".")[2], tuple(p.shape)) for p in own)
        rows.append((path or "(itself)", type(layer).__name__, layer.extend_repr(), shapes))
    for p in cell.get_parameters():
        total += p.size
        trained += p.size if p.requires_grad else 0
    body = "".join("<tr>%s</tr>" % "".join("<td %s>%s</td>" % (_CELL, escape(text)) for text in row) for row in rows)
    head = "".join("<th %s>%s</th>" % (_CELL, text) for text in ("name", "layer", "options", "parameters"))
    return "<div><b>%s</b>: %d parameters, %d of them trained<table><tr>%s</tr>%s</table></div>" % (
        escape(type(cell).__name__), total, trained, head, body)
