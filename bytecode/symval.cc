#include "bytecode/symval.h"

#include <fmt/core.h>

#include "guards/py/objects.h"

namespace msjit {

uint64_t SymValue::next_serial() {
  static uint64_t last = 0;  // under the GIL
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
    const auto items = std::move(value->items);  // what they hold dies after the value is empty
    const auto entries = std::move(value->entries);
    const auto attributes = std::move(value->attributes);
    const auto function = std::move(value->function);
    const auto iterator = std::move(value->iterator);
  }
}

SymRef make_sym(SymKind kind) {
  SymRef sym = std::make_shared<SymValue>();
  sym->kind = kind;
  if (t_arena && kind != SymKind::kNull) t_arena->made_.push_back(sym);
  return sym;
}

SymRef make_const(Ref object) {
  SymRef sym = make_sym(SymKind::kConst);
  sym->object = std::move(object);
  return sym;
}

SymRef make_tensor(Val value) {
  SymRef sym = make_sym(SymKind::kTensor);
  sym->tensor = std::move(value);
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

namespace {

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

}  // namespace

std::string describe(const SymValue& value) {
  switch (value.kind) {
    case SymKind::kNull: return "nothing";
    case SymKind::kTensor: return "tensor";
    case SymKind::kSize: return "int that differs between calls";
    case SymKind::kNumber: return "float that differs between calls";
    case SymKind::kTuple: return "tuple";
    case SymKind::kList: return "list";
    case SymKind::kDict: return value.cls ? type_of(value)->tp_name : "dict";
    case SymKind::kSlice: return "slice";
    case SymKind::kMethod: return "method of " + describe(*value.items[1]);
    case SymKind::kFunction: {
      const char* name =
          utf8_text(reinterpret_cast<PyCodeObject*>(value.function->code.get())->co_name);
      return fmt::format("function {}", name ? name : "?");
    }
    case SymKind::kCell: return "cell";
    case SymKind::kIterator: return "iterator";
    case SymKind::kSuper: return "super object";
    case SymKind::kVars: return "__dict__";
    case SymKind::kSet: return type_of(value)->tp_name;
    case SymKind::kScalar: return fmt::format("{}() of a tensor", type_of(value)->tp_name);
    case SymKind::kChoice: return "object that a tensor picks";
    case SymKind::kTurn: return "number of a turn";
    case SymKind::kRows: return "list that a loop makes";
    case SymKind::kObject: return fmt::format("{} object", type_of(value)->tp_name);
    default: return value.object ? describe_object(value.object.get()) : "object";
  }
}

std::string describe_value(const SymRef& value) {
  PyObject* const o = value->kind == SymKind::kConst ? value->object.get() : nullptr;
  if (o && (PyLong_CheckExact(o) || PyBool_Check(o) || PyFloat_CheckExact(o))) {
    const Ref text = Ref::steal(PyObject_Repr(o));
    if (const char* shown = text ? utf8_text(text.get()) : nullptr)
      return fmt::format("the {} {}", Py_TYPE(o)->tp_name, shown);
    PyErr_Clear();
  }
  return o == Py_None ? "None" : describe(*value);
}

bool is_unread_list(const SymValue& value) {
  return value.kind == SymKind::kLazy && PyList_CheckExact(value.object.get());
}

PyTypeObject* type_of(const SymValue& value) {
  if (value.cls) return reinterpret_cast<PyTypeObject*>(value.cls.get());
  switch (value.kind) {
    case SymKind::kConst:
    case SymKind::kObject: return Py_TYPE(value.object.get());
    case SymKind::kTurn:
    case SymKind::kSize: return &PyLong_Type;
    case SymKind::kNumber: return &PyFloat_Type;
    case SymKind::kTensor: return value.object ? Py_TYPE(value.object.get()) : &g_tensor_type;
    case SymKind::kTuple: return &PyTuple_Type;
    case SymKind::kRows:
    case SymKind::kList: return &PyList_Type;
    case SymKind::kVars:
    case SymKind::kDict: return &PyDict_Type;
    case SymKind::kSlice: return &PySlice_Type;
    case SymKind::kMethod: {
      const PyObject* function = value.items[0]->object.get();
      const bool builtin =
          function && (PyUnicode_Check(function) || Py_TYPE(function) == &PyMethodDescr_Type ||
                       Py_TYPE(function) == &PyWrapperDescr_Type);
      return builtin ? nullptr : &PyMethod_Type;
    }
    case SymKind::kFunction: return &PyFunction_Type;
    case SymKind::kCell: return &PyCell_Type;
    case SymKind::kSuper: return &PySuper_Type;
    case SymKind::kSet:
    case SymKind::kScalar:
    case SymKind::kChoice:
    case SymKind::kIterator:
    case SymKind::kLazy:
    case SymKind::kNull: break;
  }
  return nullptr;
}

Ref constant_object(const SymRef& value) {
  if (value->kind == SymKind::kConst) return value->object;
  if (value->kind == SymKind::kTuple && !value->cls) {
    Ref tuple = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(value->items.size())));
    for (size_t i = 0; i < value->items.size(); ++i) {
      Ref item = constant_object(value->items[i]);
      if (!item) return {};
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item.release());
    }
    return tuple;
  }
  if (value->kind == SymKind::kSlice) {
    Ref parts[3];
    for (int i = 0; i < 3; ++i)
      if (!(parts[i] = constant_object(value->items[i]))) return {};
    return Ref::steal(PySlice_New(parts[0].get(), parts[1].get(), parts[2].get()));
  }
  return {};
}

}  // namespace msjit
