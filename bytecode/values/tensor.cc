#include <fmt/core.h>

#include "bytecode/attribute.h"
#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/instance.h"
#include "bytecode/values/iterators.h"
#include "guards/py/host_call.h"
#include "guards/py/objects.h"
#include "guards/py/tensor_class.h"

namespace msjit {

bool tensor_attr(Executor& x, const SymRef& tensor, const char* name, SymRef* out,
                 bool* known);  // builtins/tensor.cc
bool tensor_subscript(Executor& x, const SymRef& tensor, const SymRef& key,
                      SymRef* out);                 // builtins/tensor.cc
BuiltinModel find_tensor_method(const char* name);  // builtins/tensor.cc
bool tensor_set_item(Executor& x, const SymRef& tensor, const SymRef& key,
                     const SymRef& value);  // builtins/tensor_make.cc

namespace {

PyTypeObject* tensor_type(const SymValue& value) {
  return value.object ? Py_TYPE(value.object.get()) : &g_tensor_type;
}

bool tensor_takes(PyObject* object) { return is_tensor(object); }
bool tensor_read(Heap& heap, const SymRef& value) { return heap.read_tensor(value); }

bool tensor_truth(Executor& x, const SymRef&, bool*) {
  return x.fail(BreakReason::kTensorTruth, "this expression");
}

bool tensor_length(Executor& x, const SymRef& value, SymRef* out) {
  if (value->tensor.rank() == 0)
    return x.fail(BreakReason::kCallUnknown, "len() of " + describe(*value));
  return *out = x.sizes().dims(value->tensor)[0], true;
}

bool tensor_iterate(Executor& x, const SymRef& value, SymRef* out) {
  if (value->tensor.rank() == 0) return x.fail(BreakReason::kRaises, "iteration over a 0-d tensor");
  std::vector<SymRef> rows;
  if (!x.look(x.sizes().dims(value->tensor)[0])) return false;
  for (int64_t i = 0; i < value->tensor.shape()[0]; ++i) {
    SymRef row;
    if (!x.subscript(value, sym_int(i), &row)) return false;
    rows.push_back(std::move(row));
  }
  *out = x.new_iterator(iter_sequence, {make_items(SymKind::kTuple, std::move(rows))});
  (*out)->iterator->of_tensor = true;
  return true;
}

bool tensor_store(Executor& x, const SymRef& tensor, const SymRef& key, const SymRef& value) {
  return value ? tensor_set_item(x, tensor, key, value)
               : x.fail(BreakReason::kMutation, "an item of " + describe(*tensor));
}

// An attribute that the program has added to a tensor object. A tensor made in the region has none.
// A tensor that a branch hands on may be an older one, so its attributes are not known.
bool added_attribute(Executor& x, const SymRef& tensor, PyObject* name, SymRef* out) {
  if (tensor->joined)
    return x.fail(BreakReason::kAttribute, fmt::format("{} of a tensor", utf8_text(name)));
  if (tensor->source == kNoSource) return no_attribute(x, tensor, utf8_text(name));
  if (!x.heap().guard_attributes_plain(tensor))
    return x.fail(BreakReason::kAttribute, x.heap().error);
  return generic_get_attr(x, tensor, name, out);
}

// A tensor of a class derived from Tensor also has attributes of that class.
bool tensor_attribute(Executor& x, const SymRef& tensor, PyObject* name, SymRef* out) {
  const char* text = utf8_text(name);
  PyTypeObject* type = type_of(*tensor);
  PyObject* found = host::find_on_class(type, name);
  const bool set = is_set_on_tensor(text);  // then an instance may override it
  if (found == host::find_on_class(&g_tensor_type, name) && !set) {
    bool known = false;
    if (!tensor_attr(x, tensor, text, out, &known)) return false;
    if (known) return true;
  }
  const bool derived = type != &g_tensor_type;
  if (derived && tensor->source != kNoSource && std::string_view(text) != "__dict__")
    return generic_get_attr(x, tensor, name, out);
  if (found && !derived && (!set || (tensor->source == kNoSource && !tensor->joined)))
    return bind_attribute(x, tensor, type, type, found, name, out);
  if (!derived) return added_attribute(x, tensor, name, out);
  return x.fail(BreakReason::kAttribute, fmt::format("{} of a tensor", text));
}

BuiltinModel tensor_method(const SymRef&, const char* name) { return find_tensor_method(name); }

int tensor_rebuild(ExitBuilder& exit, const SymRef& value) { return exit.tensor(value); }

}  // namespace

const ValueKind value_tensor = {.name = "tensor",
                                .type = tensor_type,
                                .takes = tensor_takes,
                                .read = tensor_read,
                                .declines_instances = declines_all,
                                .matches_for_good = true,
                                .truth = tensor_truth,
                                .length = tensor_length,
                                .iterate = tensor_iterate,
                                .subscript = tensor_subscript,
                                .set_item = tensor_store,
                                .attribute = tensor_attribute,
                                .call = not_callable,
                                .method = tensor_method,
                                .rebuild = tensor_rebuild};

}  // namespace msjit
