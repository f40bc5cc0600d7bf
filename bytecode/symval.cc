#include "bytecode/symval.h"

#include <fmt/core.h>

#include "guards/py/host_call.h"
#include "guards/py/objects.h"

namespace msjit {

uint64_t SymValue::next_serial() {
  static uint64_t last = 0;  // protected by the GIL
  return ++last;
}

namespace {
thread_local SymArena* t_arena = nullptr;
}

SymArena::SymArena() : outer_(std::exchange(t_arena, this)) {}

SymArena::~SymArena() {
  t_arena = outer_;
  for (const std::weak_ptr<SymValue>& weak : made_) {
    const SymRef value = weak.lock();
    if (!value) continue;
    const auto items = std::move(value->items);  // destroyed when the value is empty already
    const auto entries = std::move(value->entries);
    const auto attributes = std::move(value->attributes);
    const auto function = std::move(value->function);
    const auto iterator = std::move(value->iterator);
  }
}

std::vector<SymRef> SymArena::live_tensors() const {
  std::vector<SymRef> live;
  for (const std::weak_ptr<SymValue>& weak : made_)
    if (SymRef value = weak.lock(); value && value->is_tensor() && !value->past)
      live.push_back(std::move(value));
  return live;
}

SymRef make_sym(SymKind kind) {
  SymRef sym = std::make_shared<SymValue>();
  sym->kind = kind;
  if (t_arena && kind != SymKind::kNull) t_arena->made_.push_back(sym);
  return sym;
}

SymRef make_const(Ref object) {
  SymRef sym = make_sym(SymKind::kConst);
  sym->object = allocated(std::move(object));
  return sym;
}

SymRef make_tensor(Val value) {
  SymRef sym = make_sym(SymKind::kTensor);
  sym->tensor = std::move(value);
  return sym;
}

SymRef make_past_tensor(Val value) {
  SymRef sym = make_tensor(std::move(value));
  sym->past = true;
  return sym;
}

SymRef make_items(SymKind kind, std::vector<SymRef> items) {
  SymRef sym = make_sym(kind);
  sym->items = std::move(items);
  return sym;
}

const SymRef& null_sym() {
  static const SymRef null = make_sym(SymKind::kNull);
  return null;
}

std::string describe_object(PyObject* object) {
  if (PyFunction_Check(object)) {
    const char* name = utf8_text(reinterpret_cast<PyFunctionObject*>(object)->func_qualname);
    return fmt::format("function {}", name ? name : "?");
  }
  if (PyType_Check(object))
    return fmt::format("class {}", reinterpret_cast<PyTypeObject*>(object)->tp_name);
  if (PyCFunction_Check(object))
    return fmt::format("builtin {}", reinterpret_cast<PyCFunctionObject*>(object)->m_ml->ml_name);
  return fmt::format("{} object", Py_TYPE(object)->tp_name);
}

std::string describe_value(const SymRef& value) {
  PyObject* const o = value->kind == SymKind::kConst ? value->object.get() : nullptr;
  if (o && (PyLong_CheckExact(o) || PyBool_Check(o) || PyFloat_CheckExact(o))) {
    const std::string shown = host::text_of(o);
    if (shown != "?") return fmt::format("the {} {}", Py_TYPE(o)->tp_name, shown);
  }
  return o == Py_None ? "None" : describe(*value);
}

bool is_unread_list(const SymValue& value) {
  return value.kind == SymKind::kLazy && PyList_CheckExact(value.object.get());
}

}  // namespace msjit
