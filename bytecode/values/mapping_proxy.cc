// What a proxy is asked for, it asks its mapping.
#include "bytecode/values/mapping_proxy.h"

#include "bytecode/builtins/models.h"
#include "bytecode/exit.h"
#include "bytecode/table_objects.h"
#include "bytecode/values/build.h"
#include "bytecode/values/value_kind.h"
#include "guards/py/host_call.h"

namespace msjit {
namespace {

PyTypeObject* proxy_type(const SymValue&) { return &PyDictProxy_Type; }

bool proxy_takes(PyObject* object) { return Py_TYPE(object) == &PyDictProxy_Type; }

bool proxy_read(Heap& heap, const SymRef& value) {
  heap.guard_exact_type(value);
  value->kind = SymKind::kMappingProxy;
  // The only pointer behind the head. Nothing can replace it.
  auto** const mapping = reinterpret_cast<PyObject**>(value->object.get() + 1);
  value->items = {heap.part(value, mapping, "mapping")};
  return true;
}

bool proxy_truth(Executor& x, const SymRef& proxy, bool* out) {
  int64_t size = 0;
  return x.length(proxy->items[0], &size) && (*out = size != 0, true);
}

bool proxy_length(Executor& x, const SymRef& proxy, SymRef* out) {
  return x.length(proxy->items[0], out);
}

bool proxy_iterate(Executor& x, const SymRef& proxy, SymRef* out) {
  return x.iterate(proxy->items[0], out);
}

bool proxy_contains(Executor& x, const SymRef& proxy, const SymRef& item, bool* out) {
  return x.contains(proxy->items[0], item, out);
}

bool proxy_subscript(Executor& x, const SymRef& proxy, const SymRef& key, SymRef* out) {
  return x.subscript(proxy->items[0], key, out);
}

bool call_mapping(Executor& x, const char* name, Args args, PyObject* names, SymRef* out) {
  SymRef method;
  return x.get_attr(args[0]->items[0], interned_text(name).get(), &method) &&
         x.call(method, {args.begin() + 1, args.end()}, names, out);
}
bool proxy_get(Executor& x, Args args, PyObject* names, SymRef* out) {
  return call_mapping(x, "get", args, names, out);
}
bool proxy_keys(Executor& x, Args args, PyObject* names, SymRef* out) {
  return call_mapping(x, "keys", args, names, out);
}
bool proxy_values(Executor& x, Args args, PyObject* names, SymRef* out) {
  return call_mapping(x, "values", args, names, out);
}
bool proxy_items(Executor& x, Args args, PyObject* names, SymRef* out) {
  return call_mapping(x, "items", args, names, out);
}
bool proxy_copy(Executor& x, Args args, PyObject* names, SymRef* out) {
  return call_mapping(x, "copy", args, names, out);
}

const ModelRow kMethods[] = {{"get", proxy_get},
                             {"keys", proxy_keys},
                             {"values", proxy_values},
                             {"items", proxy_items},
                             {"copy", proxy_copy}};

BuiltinModel proxy_method(const SymRef&, const char* name) { return find_row(kMethods, name); }

Ref build_proxy(const Recipe& recipe, const Objects& objects) {
  return Ref::steal(PyDictProxy_New(argument(recipe, objects, 0)));
}

int proxy_rebuild(ExitBuilder& exit, const SymRef& value) {
  return exit.add(made_by(build_proxy), value->items);
}

}  // namespace

bool make_mapping_proxy(Executor& x, const std::vector<SymRef>& args, PyObject* names,
                        SymRef* out) {
  if (names || args.size() != 1 || !x.look(args[0])) return wrong_arguments(x, "MappingProxyType");
  if (args[0]->kind != SymKind::kDict && !is_table_object(args[0]))
    return x.fail(BreakReason::kCallUnknown, "MappingProxyType() of " + describe(*args[0]));
  return *out = make_items(SymKind::kMappingProxy, args), true;
}

const ValueKind value_mapping_proxy = {.name = "mappingproxy",
                                       .type = proxy_type,
                                       .takes = proxy_takes,
                                       .read = proxy_read,
                                       .declined_by_tensors = true,
                                       .truth = proxy_truth,
                                       .length = proxy_length,
                                       .iterate = proxy_iterate,
                                       .contains = proxy_contains,
                                       .subscript = proxy_subscript,
                                       .call = not_callable,
                                       .method = proxy_method,
                                       .rebuild = proxy_rebuild};

}  // namespace msjit
