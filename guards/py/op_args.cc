#include "guards/py/op_args.h"

#include <string>
#include <utility>

namespace msjit {
namespace {

int find_param(PyObject* param_names, PyObject* name) {
  const Py_ssize_t count = PyTuple_GET_SIZE(param_names);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (PyTuple_GET_ITEM(param_names, i) == name) return static_cast<int>(i);
  for (Py_ssize_t i = 0; i < count; ++i)  // not interned: a name made at run time
    if (PyUnicode_Compare(PyTuple_GET_ITEM(param_names, i), name) == 0) return static_cast<int>(i);
  return -1;
}

// Parameter names of MindSpore where the operators here use NumPy's. input_perm is the name up to
// MindSpore 2.8.
int find_alias(PyObject* param_names, PyObject* name) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"input", "x"}, {"input_x", "x"}, {"value", "x"},   {"other", "y"},   {"exponent", "y"},
      {"mat2", "y"},  {"dims", "perm"}, {"dims", "reps"}, {"axis", "perm"}, {"input_perm", "perm"}};
  for (auto [alias, own] : kNames) {
    if (PyUnicode_CompareWithASCIIString(name, alias) != 0) continue;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(param_names); ++i)
      if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(param_names, i), own) == 0)
        return static_cast<int>(i);
  }
  return -1;
}

const char* text_of(PyObject* name) {
  const char* utf8 = PyUnicode_AsUTF8(name);
  if (!utf8) PyErr_Clear();
  return utf8 ? utf8 : "?";
}

bool unknown_keyword(const OpDef& op, PyObject* name) {
  std::string known;
  for (const Param& param : op.signature.params) known += (known.empty() ? "" : ", ") + param.name;
  return fail(type_error("[{}] keyword argument, got '{}', expected one of {}", op.name,
                         text_of(name), known));
}

bool bind_keywords(const OpDef& op, PyObject* param_names, Py_ssize_t num_positional,
                   PyObject* names, BoundArgs* out) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    int at = find_param(param_names, name);
    if (at < 0) at = find_alias(param_names, name);
    if (at < 0) return unknown_keyword(op, name);
    if (out->from[at] >= 0)
      return fail(
          type_error("[{}] argument '{}', got two values, expected one", op.name, text_of(name)));
    out->from[at] = static_cast<int>(num_positional + i);
  }
  return true;
}

bool too_many(const OpDef& op, Py_ssize_t got) {
  return fail(type_error("[{}] positional arguments, got {}, expected at most {}", op.name, got,
                         op.signature.params.size()));
}

// Converts an argument that is no tensor. The new tensor is kept in `out->made` and borrowed from
// there.
bool convert_input(const OpDef& op, PyObject* object, CallArgs* out) {
  Tensor made;
  if (!operand_from_object(object, op.name, &made)) return false;
  out->inputs.push_back(made.impl());
  out->made.push_back(std::move(made));
  return true;
}

bool add_input(const OpDef& op, const Param& param, PyObject* object, CallArgs* out) {
  if (is_tensor(object)) {
    out->inputs.push_back(nullptr);  // borrow_inputs fills it in
    return true;
  }
  if (object == Py_None && param.kind == ParamKind::kOptionalTensor) {
    out->inputs.push_back(nullptr);
    return true;
  }
  if (!takes_number(op, param, object) || (!is_number(object) && !is_numpy_scalar(object)))
    return fail(type_error("[{}] argument '{}', got {}, expected a Tensor{}", op.name, param.name,
                           type_name(object),
                           takes_number(op, param, Py_True) ? " or number" : ""));
  return convert_input(op, object, out);
}

bool add_list(const OpDef& op, const Param& param, PyObject* object, CallArgs* out) {
  if (!PyList_Check(object) && !PyTuple_Check(object))
    return fail(type_error("[{}] argument '{}', got {}, expected a list or tuple of Tensors",
                           op.name, param.name, type_name(object)));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    Ref item = Ref::share(PySequence_Fast_GET_ITEM(object, i));
    // A list may change while a later element is converted, so its tensors are kept, not borrowed.
    if (is_tensor(item.get())) {
      out->made.push_back(tensor_of(item.get()));
      out->inputs.push_back(out->made.back().impl());
    } else {
      return fail(type_error("[{}] item {} of '{}', got {}, expected a Tensor", op.name, i,
                             param.name, type_name(item.get())));
    }
  }
  return true;
}

bool add_packed_ints(const OpDef& op, const Param& param, PyObject* const* args, Py_ssize_t count,
                     CallArgs* out) {
  IntList list;
  for (Py_ssize_t i = 0; i < count; ++i) {
    int64_t value;
    if (!int_from_object(args[i], op.name, param.name.c_str(), &value)) return false;
    list.push_back(value);
  }
  out->attrs.push_back(AttrValue(std::move(list)));
  return true;
}

// Borrows the headers of tensor arguments. This is done last: converting the other arguments may
// run Python code, which may give a tensor object another header.
void borrow_inputs(const Signature& signature, const BoundArgs& bound, PyObject* const* args,
                   CallArgs* out) {
  uint32_t input = 0;
  for (size_t i = 0; i < signature.params.size(); ++i) {
    if (!signature.params[i].is_tensor()) continue;
    if (bound.from[i] >= 0 && is_tensor(args[bound.from[i]]))
      out->inputs[input] = tensor_of(args[bound.from[i]]).impl();
    ++input;
  }
}

}  // namespace

bool takes_number(const OpDef& op, const Param& param, PyObject* number) {
  if (op.signature.num_tensors < 2) return false;
  if (!op.has(kElementwise)) return true;
  if (op.dtype_rule == DTypeRule::kSelect) return &param != &op.signature.params[0];
  return op.dtype_rule != DTypeRule::kLogical || (number && PyBool_Check(number));
}

bool bind_args(const OpDef& op, PyObject* param_names, Py_ssize_t num_positional, PyObject* names,
               BoundArgs* out) {
  const auto& params = op.signature.params;
  const auto count = static_cast<Py_ssize_t>(params.size());
  for (Py_ssize_t i = 0; i < count; ++i)
    out->from[i] = static_cast<int>(i < num_positional ? i : -1);
  if (num_positional > count) {
    if (count == 0 || params.back().kind != ParamKind::kIntList || num_positional > 127)
      return too_many(op, num_positional);
    out->packed = static_cast<int>(count - 1);
  }
  if (names && PyTuple_GET_SIZE(names) + num_positional > 127) return too_many(op, num_positional);
  if (names && !bind_keywords(op, param_names, num_positional, names, out)) return false;
  for (Py_ssize_t i = 0; i < count; ++i)
    if (out->from[i] < 0 && !params[i].has_default)
      return fail(type_error(
          "[{}] missing argument '{}', got {} positional arguments, expected the signature ({})",
          op.name, params[i].name, num_positional, [&] {
            std::string all;
            for (const Param& p : params) all += (all.empty() ? "" : ", ") + p.name;
            return all;
          }()));
  return true;
}

bool parse_call(const OpObject& callable, PyObject* const* args, Py_ssize_t num_positional,
                PyObject* names, CallArgs* out) {
  const OpDef& op = *callable.op;
  BoundArgs bound;
  if (!bind_args(op, callable.param_names, num_positional, names, &bound)) return false;
  const auto& params = op.signature.params;
  for (size_t i = 0; i < params.size(); ++i) {
    const Param& param = params[i];
    const int from = bound.from[i];
    if (from < 0) {
      if (!param.is_tensor())
        out->attrs.push_back(param.default_value);
      else if (param.kind != ParamKind::kTensorList)
        out->inputs.push_back(nullptr);
      continue;
    }
    PyObject* object = args[from];
    if (param.kind == ParamKind::kTensorList) {
      if (!add_list(op, param, object, out)) return false;
    } else if (param.is_tensor()) {
      if (!add_input(op, param, object, out)) return false;
    } else if (static_cast<int>(i) == bound.packed) {
      if (!add_packed_ints(op, param, args + from, num_positional - from, out)) return false;
    } else {
      out->attrs.emplace_back();
      if (!attr_from_object(op, param, object, &out->attrs.back())) return false;
    }
  }
  if (!op.signature.variadic) borrow_inputs(op.signature, bound, args, out);
  return true;
}

}  // namespace msjit
