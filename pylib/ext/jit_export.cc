// A captured graph as Python data, for msjit.export: lists, tuples and Tensors, nothing that runs.
//
//   graph   = {"inputs": [value], "nodes": [node], "outputs": [id]}
//   value   = (id, dtype name, shape, weak)
//   node    = (op name, [id or -1], {attribute: value}, [value], [graph of a branch or loop])
//   constants are nodes of the op "constant" with the attribute "value", a Tensor
#include <limits>
#include <string_view>

#include "bytecode/values/build.h"
#include "guards/py/error.h"
#include "guards/py/host_call.h"
#include "interp_hook/entry.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/jit.h"
#include "pylib/ext/op_call.h"

namespace msjit {
namespace {

template <class Items, class F>
Ref list_of(const Items& items, F make) {
  Ref list = Ref::steal(PyList_New(0));
  if (!list) return {};
  for (const auto& item : items) {
    const Ref made = make(item);
    if (!made || PyList_Append(list.get(), made.get()) < 0) return {};
  }
  return list;
}

Ref id_object(ValueId id) { return Ref::steal(PyLong_FromLong(id)); }

Ref value_object(const Graph& graph, ValueId id) {
  const Meta& meta = graph.meta(id);
  const std::string dtype(dtype_name(meta.dtype));
  const Ref shape = shape_tuple(meta.shape);
  if (!shape) return {};
  return Ref::steal(
      Py_BuildValue("(isOO)", id, dtype.c_str(), shape.get(), meta.weak ? Py_True : Py_False));
}

bool put(const Ref& dict, const char* name, const Ref& value) {
  return value &&
         host::call(host::checked, PyDict_SetItemString, dict.get(), name, value.get()) == 0;
}

Ref attributes_of(const Node& node) {
  Ref dict = Ref::steal(PyDict_New());
  if (!dict) return {};
  if (node.kind == NodeKind::kConstant)
    return put(dict, "value", wrap_tensor(node.constant)) ? std::move(dict) : Ref();
  size_t at = 0;
  for (const Param& param : node.op->signature.params) {
    if (param.is_tensor()) continue;
    if (at >= node.attrs.size()) break;
    if (!put(dict, param.name.c_str(), attr_to_python(node.attrs[at++]))) return {};
  }
  return dict;
}

Ref graph_object(const Graph& graph);

Ref node_object(const Graph& graph, const Node& node) {
  std::vector<ValueId> outputs;
  for (int32_t i = 0; i < node.num_outputs; ++i) outputs.push_back(node.first_output + i);
  const Ref inputs = list_of(node.inputs, id_object);
  const Ref attributes = attributes_of(node);
  const Ref results = list_of(outputs, [&](ValueId id) { return value_object(graph, id); });
  const Ref parts = list_of(node.subgraphs, [](const auto& part) { return graph_object(*part); });
  if (!inputs || !attributes || !results || !parts) return {};
  const char* name = node.kind == NodeKind::kConstant ? "constant" : node.op->name;
  return Ref::steal(
      Py_BuildValue("(sOOOO)", name, inputs.get(), attributes.get(), results.get(), parts.get()));
}

Ref graph_object(const Graph& graph) {
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes)
    if (node.kind != NodeKind::kInput) nodes.push_back(&node);
  Ref dict = Ref::steal(PyDict_New());
  const auto value = [&](ValueId id) { return value_object(graph, id); };
  const auto node = [&](const Node* item) { return node_object(graph, *item); };
  if (!dict || !put(dict, "inputs", list_of(graph.inputs, value)) ||
      !put(dict, "nodes", list_of(nodes, node)) ||
      !put(dict, "outputs", list_of(graph.outputs, id_object)))
    return {};
  return dict;
}

Ref refuse(PyObject* why) {
  PyErr_SetObject(PyExc_ValueError, why);
  return {};
}
Ref refuse(const std::string& why) {
  return refuse(Ref::steal(PyUnicode_FromString(why.c_str())).get());
}

// Describes the function's result: an int for an output of the graph, ("input", i) for the tensor
// of an input, None, or tuples and lists of these.
Ref result_object(const Entry& entry, int32_t index) {
  const Recipe& recipe = entry.recipes[index];
  if (recipe.kind == &recipe_output) return Ref::steal(PyLong_FromLong(recipe.index));
  if (recipe.kind == &recipe_loaded)
    for (size_t i = 0; i < entry.inputs.size(); ++i)
      if (entry.inputs[i] == recipe.index)
        return Ref::steal(Py_BuildValue("(sn)", "input", static_cast<Py_ssize_t>(i)));
  if (recipe.kind == &recipe_constant && recipe.object.get() == Py_None) return Ref::none();
  if (recipe.build == build_tuple || recipe.build == build_list) {
    Ref items = list_of(recipe.args, [&](int32_t arg) { return result_object(entry, arg); });
    if (!items || recipe.build == build_list) return items;
    return Ref::steal(PyList_AsTuple(items.get()));
  }
  return refuse(
      "result, got an object that the graph does not make, expected Tensors, and tuples and lists "
      "of them");
}

Ref entry_object(const Entry& entry, const std::vector<PyObject*>& registers) {
  if (!entry.returns)
    return refuse("function, got one that the graph leaves at line " +
                  std::to_string(entry.break_line) + ": " + entry.break_detail +
                  ", expected one that is a whole graph");
  if (!entry.effects.empty())
    return refuse(
        "function, got one that changes or prints something, expected one that only returns: "
        "set_train(False) keeps layers from changing themselves");
  if (!entry.scalars.empty() || entry.trace)
    return refuse("function, got a graph for many sizes, expected one for constant sizes");
  const auto captured = entry.region->graph();
  if (!captured.ok()) return raise(captured.error()), Ref();
  const Ref graph = graph_object(*captured.value());
  const Ref inputs = list_of(entry.inputs, [&](SourceId id) { return Ref::share(registers[id]); });
  const Ref result = graph && inputs ? result_object(entry, entry.result) : Ref();
  if (!result) return {};
  return Ref::steal(Py_BuildValue("{s:O,s:O,s:O}", "graph", graph.get(), "inputs", inputs.get(),
                                  "result", result.get()));
}

// captured_graph(function, arguments): the graph of the most recently used entry at the start of
// the function whose guards hold for these positional arguments. The caller has called the function
// with them before.
Ref captured_graph(PyObject*, PyObject* arguments) {
  PyObject *function, *args;
  if (!PyArg_ParseTuple(arguments, "O!O!:captured_graph", &PyFunction_Type, &function,
                        &PyTuple_Type, &args))
    return {};
  PyCodeObject* const code = compat::function_code(function);
  CodeState* const state = find_code_state(code);
  auto decoded = decode(code);
  if (!state || !state->start || state->start->entries.empty() || !decoded.ok())
    return refuse(
        "function, got one that is not a graph from its start to its end, expected one: "
        "msjit.explain says where it is left");
  std::vector<PyObject*> locals(decoded.value()->slot_count());
  if (PyTuple_GET_SIZE(args) > static_cast<Py_ssize_t>(locals.size()))
    return refuse("arguments, got more than the function has, expected one a parameter");
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) locals[i] = PyTuple_GET_ITEM(args, i);
  PyObject* const builtins = compat::function_builtins(function);
  if (!builtins) return {};
  const Slots slots{as_slots(locals.data()), nullptr, PyFunction_GET_GLOBALS(function), builtins};
  const RegionRun keep;
  std::vector<PyObject*> registers(state->start->register_count);
  const auto* found = state->start->find(slots, registers.data());
  if (!found)
    return refuse("arguments, got others than the function was called with, expected the same");
  return entry_object(static_cast<const Entry&>(**found), registers);
}

PyObject* captured_graph_entry(PyObject* self, PyObject* arguments) noexcept {
  return entry<captured_graph>(self, arguments);
}

}  // namespace

PyMethodDef g_export_functions[] = {{"captured_graph", captured_graph_entry, METH_VARARGS,
                                     "graph, inputs and result of a captured function, as data"},
                                    {nullptr, nullptr, 0, nullptr}};

}  // namespace msjit
