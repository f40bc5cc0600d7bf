// Models of the methods that draw numbers from a random.Random of the program. The others of
// Python's random module are Python code on top of these, which is inlined.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "bytecode/builtins/models.h"
#include "bytecode/drawn_numbers.h"
#include "guards/py/host_call.h"
#include "guards/py/twister.h"

namespace msjit {
namespace {

constexpr int kMostBits = 62;

bool draw(Executor& x, const SymRef& self, Draw draw, const char* name, SymRef* out) {
  if (x.strict() || self->source == kNoSource)
    return x.fail(BreakReason::kCallUnknown, fmt::format("{}.{}", describe(*self), name));
  // A draw on one way of a branch would have to be made on that way only.
  if (x.in_arm())
    return x.fail(BreakReason::kUnsupported, "a number drawn in a branch or a loop on a tensor");
  draw.generator = self->source;
  return *out = drawn_number(x, draw), true;
}

bool model_random(Executor& x, Args args, PyObject* names, SymRef* out) {
  return positional(x, "random", args, names, 1, 1) &&
         draw(x, args[0], {Draw::Kind::kUnit, kNoSource}, "random", out);
}

bool model_getrandbits(Executor& x, Args args, PyObject* names, SymRef* out) {
  int64_t bits = 0;
  if (!positional(x, "getrandbits", args, names, 2, 2)) return false;
  if (!x.look(args[1])) return false;
  if (!to_int(x, args[1], &bits) || bits < 1 || bits > kMostBits)
    return x.fail(BreakReason::kCallUnknown, "getrandbits() with this number of bits");
  return draw(x, args[0], {Draw::Kind::kBits, kNoSource, bits}, "getrandbits", out);
}

constexpr ModelRow kGeneratorMethods[] = {{"random", model_random},
                                          {"getrandbits", model_getrandbits}};

bool is_generator(const SymRef& self) {
  PyTypeObject* const base = twister_type();
  return base && self->kind == SymKind::kObject && self->object &&
         PyType_IsSubtype(Py_TYPE(self->object.get()), base);
}

// Whether `self.name` is the method written in C. Reading it guards that it stays so.
bool is_own_method(Executor& x, const SymRef& self, const char* name, bool* out) {
  SymRef found;
  if (!x.get_attr(self, interned_text(name).get(), &found)) return false;
  PyObject* const own = host::find_name(twister_type()->tp_dict, name);
  const bool bound = found->kind == SymKind::kMethod && x.look(found->items[0]);
  return *out = bound && own && found->items[0]->is_const(own), true;
}

// Random._randbelow(n): draws bits until they give an int below n.
bool model_below(Executor& x, Args args, PyObject* names, SymRef* out) {
  int64_t limit = 0;
  bool plain = false, plain_bits = false;
  if (!positional(x, "_randbelow", args, names, 2, 2)) return false;
  if (!x.look(args[0]) || !x.look(args[1])) return false;
  if (!is_generator(args[0]) || !to_int(x, args[1], &limit) || limit < 1 || limit >> kMostBits != 0)
    return x.fail(BreakReason::kCallUnknown, "_randbelow() with these arguments");
  if (!is_own_method(x, args[0], "random", &plain) ||
      !is_own_method(x, args[0], "getrandbits", &plain_bits))
    return false;
  if (!plain || !plain_bits)
    return x.fail(BreakReason::kCallUnknown, "_randbelow() of a generator with its own methods");
  return draw(x, args[0], {Draw::Kind::kBelow, kNoSource, limit}, "_randbelow", out);
}

// Up to 3.7 it is one function; later the class chooses between two.
const ModelRow kRandomModels[] = {{"Random._randbelow", model_below},
                                  {"Random._randbelow_with_getrandbits", model_below}};

int64_t first_draw(const SymRef& value) {
  constexpr size_t kMostValues = 256;
  std::vector<SymRef> seen = {value};
  int64_t first = -1;
  for (size_t i = 0; i < seen.size(); ++i) {
    const SymRef at = seen[i];
    const bool drawn = is_drawn(*at) || (at->kind == SymKind::kTensorArray && at->draw >= 0);
    if (drawn && (first < 0 || at->born < first)) first = at->born;
    const bool made = at->kind == SymKind::kChoice || at->kind == SymKind::kTensorArray;
    if (made && !at->entries.empty()) seen.push_back(at->entries[0].first);
    if (at->kind != SymKind::kComputed && at->kind != SymKind::kTuple) continue;
    for (const SymRef& item : at->items)
      if (seen.size() < kMostValues) seen.push_back(item);
  }
  return first;
}

}  // namespace

BuiltinModel generator_method(const SymRef& self, const char* name) {
  return is_generator(self) ? find_row(kGeneratorMethods, name) : nullptr;
}

SymRef drawn_number(Executor& x, const Draw& draw) {
  SymRef made = make_sym(SymKind::kScalar);
  made->draw = static_cast<int>(x.heap().draws().size());
  made->tensor = x.heap().draw_input(draw);
  const bool is_real = is_float(made->tensor.dtype());
  made->cls = Ref::share(reinterpret_cast<PyObject*>(is_real ? &PyFloat_Type : &PyLong_Type));
  made->born = std::max(x.root_step(), 0);
  return made;
}

Ref draw_by_call(const Draw& draw, PyObject* generator) {
  const Py_ssize_t count = PyTuple_GET_SIZE(draw.arguments.get());
  const Ref args = Ref::steal(PyTuple_New(count + 1));
  if (!args) return {};
  PyTuple_SET_ITEM(args.get(), 0, Ref::share(generator).release());
  for (Py_ssize_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(args.get(), i + 1,
                     Ref::share(PyTuple_GET_ITEM(draw.arguments.get(), i)).release());
  return Ref::steal(host::call(host::checked, PyObject_Call, draw.function.get(), args.get(),
                               draw.keywords.get()));
}

bool drawn_in(const SymRef& value) { return first_draw(value) >= 0; }

bool refuse_drawn(Executor& x, const SymRef& value, std::string what) {
  return x.fail_before(static_cast<int>(first_draw(value)), BreakReason::kUnsupported,
                       std::move(what));
}

const ModelTable models_random = {"random", kRandomModels, {}};

}  // namespace msjit
