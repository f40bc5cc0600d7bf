// Construction of containers, slices, strings and functions.
#include <fmt/core.h>

#include "bytecode/builtins/models.h"
#include "bytecode/builtins/sets.h"
#include "bytecode/instance.h"
#include "bytecode/scan_capture.h"
#include "bytecode/table_objects.h"

namespace msjit {
namespace {

std::vector<SymRef> take(SymFrame& f, int count) {
  std::vector<SymRef> items(f.stack.end() - count, f.stack.end());
  f.stack.resize(f.stack.size() - count);
  return items;
}

bool build_items(SymFrame& f, const Instr& i, SymKind kind) {
  f.push(make_items(kind, take(f, i.arg)));
  return true;
}

// The container a comprehension or call is filling; it was made in the region.
bool fresh(Executor& x, const SymRef& container, SymKind kind) {
  if (!x.look(container)) return false;
  if (container->kind == kind) return true;
  return x.fail(BreakReason::kMutation, describe(*container));
}

bool put_all(Executor& x, const SymRef& dict,
             const std::vector<std::pair<SymRef, SymRef>>& entries) {
  for (const auto& [key, value] : entries) {
    if (!x.look(key)) return false;
    if (!x.heap().pin_key(key))
      return x.fail(BreakReason::kUnsupported, "dict key " + describe(*key));
    const bool changed = dict->changed;
    x.heap().dict_set(dict, key, value);
    dict->changed = changed || dict->source != kNoSource;
  }
  return true;
}

bool update_dict(Executor& x, SymFrame& f, const Instr& i, bool refuse_duplicates) {
  SymRef from = f.pop();
  const SymRef into = f.peek(i.arg);
  if (!as_dict(x, &from) || !fresh(x, into, SymKind::kDict)) return false;
  if (from->kind != SymKind::kDict)
    return x.fail(BreakReason::kUnsupported, "update from " + describe(*from));
  if (!x.heap().dict_all(from) || !x.heap().dict_all(into))
    return x.fail(BreakReason::kObjectType, x.heap().error);
  if (refuse_duplicates)
    for (const auto& [key, value] : from->entries)
      if (x.heap().dict_get(into, key))
        return x.fail(BreakReason::kRaises, "repeated keyword argument");
  return put_all(x, into, from->entries);
}

}  // namespace

bool exec_BuildTuple(Executor&, SymFrame& f, const Instr& i) {
  return build_items(f, i, SymKind::kTuple);
}
bool exec_BuildList(Executor&, SymFrame& f, const Instr& i) {
  return build_items(f, i, SymKind::kList);
}

bool exec_BuildMap(Executor& x, SymFrame& f, const Instr& i) {
  const std::vector<SymRef> flat = take(f, 2 * i.arg);
  std::vector<std::pair<SymRef, SymRef>> entries;
  for (size_t k = 0; k < flat.size(); k += 2) entries.emplace_back(flat[k], flat[k + 1]);
  SymRef dict = make_sym(SymKind::kDict);
  if (!put_all(x, dict, entries)) return false;
  f.push(std::move(dict));
  return true;
}

bool exec_BuildConstKeyMap(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef keys = f.pop();
  const std::vector<SymRef> values = take(f, i.arg);
  const std::vector<SymRef>* known = x.heap().items(keys);
  if (!known || known->size() != values.size())
    return x.fail(BreakReason::kUnsupported, "keys of a dict that are no tuple");
  const std::vector<SymRef>& names = *known;
  std::vector<std::pair<SymRef, SymRef>> entries;
  for (size_t k = 0; k < values.size(); ++k) entries.emplace_back(names[k], values[k]);
  SymRef dict = make_sym(SymKind::kDict);
  if (!put_all(x, dict, entries)) return false;
  f.push(std::move(dict));
  return true;
}

bool exec_BuildSlice(Executor& x, SymFrame& f, const Instr& i) {
  std::vector<SymRef> parts = take(f, i.arg);
  if (parts.size() == 2) parts.push_back(make_const(Ref::none()));
  for (const SymRef& part : parts)
    if (!x.look_open(part)) return false;
  f.push(make_items(SymKind::kSlice, std::move(parts)));
  return true;
}

bool exec_BuildString(Executor& x, SymFrame& f, const Instr& i) {
  const std::vector<SymRef> parts = take(f, i.arg);
  Ref text = Ref::steal(PyUnicode_FromString(""));
  for (const SymRef& part : parts) {
    if (!x.look(part)) return false;
    if (part->kind != SymKind::kConst || !PyUnicode_CheckExact(part->object.get()))
      return x.fail(BreakReason::kUnsupported, "text from " + describe(*part));
    text = Ref::steal(PyUnicode_Concat(text.get(), part->object.get()));
    if (!text) {
      PyErr_Clear();
      return x.fail(BreakReason::kRaises, "text");
    }
  }
  f.push(make_const(std::move(text)));
  return true;
}

namespace {

// The constant on top, popped, when its text is known while capturing; null after x.fail().
// `as_str`: str() of an instance will do.
Ref pop_showable(Executor& x, SymFrame& f, bool as_str) {
  SymRef value = f.pop();
  if (!x.look(value)) return {};
  if (value->kind == SymKind::kObject && as_str && !instance_str(x, SymRef(value), &value))
    return {};
  const Ref known = to_python(x, value);
  if (known && !(PyLong_CheckExact(known.get()) && may_be_too_long(known.get()))) return known;
  x.fail(value->is_tensor() ? BreakReason::kTensorValue : BreakReason::kUnsupported,
         value->is_tensor() ? "formatting" : "formatting of " + describe(*value));
  return {};
}

Ref convert(const Ref& object, int conversion) {
  switch (conversion) {
    case 1: return Ref::steal(PyObject_Str(object.get()));
    case 2: return Ref::steal(PyObject_Repr(object.get()));
    case 3: return Ref::steal(PyObject_ASCII(object.get()));
    default: return object;
  }
}

bool push_text(Executor& x, SymFrame& f, Ref text) {
  if (!text) {
    PyErr_Clear();
    return x.fail(BreakReason::kRaises, "formatting");
  }
  f.push(make_const(std::move(text)));
  return true;
}

}  // namespace

bool exec_ConvertValue(Executor& x, SymFrame& f, const Instr& i) {
  const Ref object = pop_showable(x, f, i.arg == 1);
  return object && push_text(x, f, convert(object, i.arg));
}

bool exec_FormatValue(Executor& x, SymFrame& f, const Instr& i) {
  Ref spec = Ref::steal(PyUnicode_FromString(""));
  if (i.arg & kFormatSpec) {
    const SymRef top = f.pop();
    if (!x.look(top)) return false;
    spec = constant_object(top);
    if (!spec || !PyUnicode_CheckExact(spec.get()) || shows_locale(spec.get()))
      return x.fail(BreakReason::kUnsupported, "format specification");
  }
  if (!x.look(f.peek(1))) return false;
  const int conversion = i.arg & kFormatConversion;
  // format() of an instance is its str(), unless the class says otherwise.
  const bool as_str = conversion == 1 || (conversion == 0 && PyUnicode_GET_LENGTH(spec.get()) == 0);
  const Ref object = pop_showable(x, f, as_str && !has_special(f.peek(1), "__format__"));
  if (!object) return false;
  const Ref shown = convert(object, conversion);
  return push_text(x, f, shown ? Ref::steal(PyObject_Format(shown.get(), spec.get())) : Ref());
}

bool exec_ListAppend(Executor& x, SymFrame& f, const Instr& i) {
  SymRef item = f.pop();
  const SymRef list = f.peek(i.arg);
  if (list->kind == SymKind::kRows) return append_row(x, list, item);
  if (!fresh(x, list, SymKind::kList)) return false;
  list->items.push_back(std::move(item));
  list->changed = list->source != kNoSource;
  return true;
}

bool exec_MapAdd(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef value = f.pop();
  const SymRef key = f.pop();
  const SymRef dict = f.peek(i.arg);
  if (!fresh(x, dict, SymKind::kDict)) return false;
  if (!x.heap().dict_all(dict)) return x.fail(BreakReason::kObjectType, x.heap().error);
  return put_all(x, dict, {{key, value}});
}

bool exec_ListExtend(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef from = f.pop();
  const SymRef list = f.peek(i.arg);
  std::vector<SymRef> items;
  if (!fresh(x, list, SymKind::kList) || !x.unpack(from, &items)) return false;
  list->items.insert(list->items.end(), items.begin(), items.end());
  list->changed = list->source != kNoSource;
  return true;
}

namespace {

bool unpack_maps(Executor& x, const std::vector<SymRef>& maps, bool keywords, SymRef* out) {
  *out = make_sym(SymKind::kDict);
  for (SymRef map : maps) {
    if (!as_dict(x, &map)) return false;
    if (map->kind != SymKind::kDict)
      return x.fail(BreakReason::kUnsupported, "update from " + describe(*map));
    if (!x.heap().dict_all(map)) return x.fail(BreakReason::kObjectType, x.heap().error);
    if (keywords)
      for (const auto& [key, value] : map->entries)
        if (x.look(key) && x.heap().dict_get(*out, key))
          return x.fail(BreakReason::kRaises, "repeated keyword argument");
    if (!put_all(x, *out, map->entries)) return false;
  }
  return true;
}

}  // namespace

bool exec_BuildUnpack(Executor& x, SymFrame& f, const Instr& i) {
  const UnpackInto into = UnpackInto(i.aux);
  const std::vector<SymRef> parts = take(f, i.arg);
  SymRef out;
  if (into == UnpackInto::kSet) {
    if (!set_of_all(x, parts, &out)) return false;
  } else if (into == UnpackInto::kMap || into == UnpackInto::kKeywords) {
    if (!unpack_maps(x, parts, into == UnpackInto::kKeywords, &out)) return false;
  } else {
    std::vector<SymRef> items;
    for (const SymRef& part : parts) {
      std::vector<SymRef> more;
      if (!x.unpack(part, &more)) return false;
      items.insert(items.end(), more.begin(), more.end());
    }
    out =
        make_items(into == UnpackInto::kList ? SymKind::kList : SymKind::kTuple, std::move(items));
  }
  f.push(std::move(out));
  return true;
}

bool exec_ListToTuple(Executor& x, SymFrame& f, const Instr&) {
  const SymRef list = f.pop();
  if (!fresh(x, list, SymKind::kList)) return false;
  f.push(make_items(SymKind::kTuple, list->items));
  return true;
}

bool exec_DictUpdate(Executor& x, SymFrame& f, const Instr& i) {
  return update_dict(x, f, i, false);
}
bool exec_DictMerge(Executor& x, SymFrame& f, const Instr& i) { return update_dict(x, f, i, true); }

bool exec_MakeFunction(Executor& x, SymFrame& f, const Instr& i) {
  SymRef name = i.aux == 1 ? f.pop() : nullptr;
  const SymRef code = f.pop();
  if (!x.look(code) || (name && !x.look(name))) return false;
  if (code->kind != SymKind::kConst || !PyCode_Check(code->object.get()))
    return x.fail(BreakReason::kUnsupported, "a function without known code");
  SymRef made = make_sym(SymKind::kFunction);
  made->function = std::make_unique<SymFunction>();
  SymFunction& function = *made->function;
  function.code = code->object;
  function.globals = f.globals;
  function.globals_source = f.globals_source;
  if (name && (name->kind != SymKind::kConst || !PyUnicode_Check(name->object.get())))
    return x.fail(BreakReason::kUnsupported, "a function without a name");
  if (name) function.qualified_name = name->object;
  if (i.arg & 8) function.closure = f.pop();
  if (i.arg & 4) function.annotations = f.pop();
  if (i.arg & 2) function.kwdefaults = f.pop();
  if (i.arg & 1) function.defaults = f.pop();
  for (const SymRef& part : {function.closure, function.kwdefaults, function.defaults})
    if (part && !x.look(part)) return false;
  f.push(std::move(made));
  return true;
}

bool exec_SetFunctionAttribute(Executor& x, SymFrame& f, const Instr& i) {
  const SymRef made = f.pop();
  const SymRef value = f.pop();
  if (made->kind != SymKind::kFunction)
    return x.fail(BreakReason::kUnsupported, "a function made before");
  if (i.arg != 4 && i.arg != kAnnotate && !x.look(value)) return false;
  SymFunction& function = *made->function;
  switch (i.arg) {
    case 1: function.defaults = value; break;
    case 2: function.kwdefaults = value; break;
    case 4:
    case kAnnotate: function.annotations = value; break;
    default: function.closure = value; break;
  }
  f.push(made);
  return true;
}

}  // namespace msjit
