#include "guards/py/legacy_generator.h"

#include <cstring>

#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

// The beginning of NumPy's bitgen_t.
struct BitGenerator {
  void* state;
};

Py_ssize_t gauss_offset = 0;  // of the second number of a pair of normal ones; 0: not known

Ref attribute(PyObject* object, const char* name) {
  Ref found = Ref::steal(host::call(host::checked, PyObject_GetAttrString, object, name));
  if (!found) PyErr_Clear();
  return found;
}

Ref called(PyObject* object, const char* name) {
  const Ref method = attribute(object, name);
  Ref made = method ? Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs,
                                            method.get(), nullptr))
                    : Ref();
  if (!made) PyErr_Clear();
  return made;
}

// Whether no other thread holds a lock, which may be a Lock or an RLock.
bool is_free(PyObject* lock) {
  const Ref acquire = attribute(lock, "acquire");
  const Ref got = acquire ? Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs,
                                                  acquire.get(), Py_False, nullptr))
                          : Ref();
  if (!got) PyErr_Clear();
  return got.is(Py_True) && called(lock, "release");
}

// Finds the place of the number that a generator keeps, given that number.
Py_ssize_t find_gauss(PyObject* generator, double gauss) {
  const char* const begin = reinterpret_cast<const char*>(generator);
  const Py_ssize_t size = Py_TYPE(generator)->tp_basicsize;
  Py_ssize_t found = 0;
  for (Py_ssize_t at = sizeof(PyObject) + 8; at + 8 <= size; at += 8) {
    int32_t has = 0;
    std::memcpy(&has, begin + at - 8, sizeof has);
    if (std::memcmp(begin + at, &gauss, sizeof gauss) != 0 || has != 1) continue;
    if (found) return 0;
    found = at;
  }
  return found;
}

// A generator seeded with 1.
Ref seeded(PyTypeObject* type) {
  const Ref seed = Ref::steal(PyLong_FromLong(1));
  Ref made = seed ? Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs,
                                          reinterpret_cast<PyObject*>(type), seed.get(), nullptr))
                  : Ref();
  if (!made) PyErr_Clear();
  return made;
}

// Item `place` of get_state(), whose items are the name, the words, the position, and the number
// kept of a pair.
Ref state_item(PyObject* generator, Py_ssize_t place) {
  const Ref state = called(generator, "get_state");
  return state && PyTuple_CheckExact(state.get()) && PyTuple_GET_SIZE(state.get()) > place
             ? Ref::share(PyTuple_GET_ITEM(state.get(), place))
             : Ref();
}

// Whether the words and the kept number of a generator are where they are expected.
bool is_laid_out(PyTypeObject* type) {
  constexpr Py_ssize_t kPosition = 2, kGauss = 4;
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) return false;
  const Ref made = seeded(type);
  if (!made || !called(made.get(), "standard_normal")) return false;
  const Ref gauss = state_item(made.get(), kGauss), position = state_item(made.get(), kPosition);
  if (!gauss || !PyFloat_Check(gauss.get()) || !position || !PyLong_Check(position.get()))
    return false;
  gauss_offset = find_gauss(made.get(), PyFloat_AS_DOUBLE(gauss.get()));
  LegacyState state;
  if (!gauss_offset || !state.save(made.get())) return false;
  // Drawing again what follows must give the same numbers.
  const auto draw = [&] { return called(made.get(), "standard_normal"); };
  const Ref first = draw(), second = draw(), third = draw();
  state.note_drawn();
  state.restore();
  const Ref again = draw(), next = draw(), last = draw();
  const auto same = [](const Ref& a, const Ref& b) {
    return a && b && PyFloat_Check(a.get()) && PyFloat_Check(b.get()) &&
           PyFloat_AS_DOUBLE(a.get()) == PyFloat_AS_DOUBLE(b.get());
  };
  return same(first, again) && same(second, next) && same(third, last) && same(first, gauss);
}

}  // namespace

PyTypeObject* legacy_generator_type() {
  static constinit LibraryType loaded("numpy.random.mtrand", "RandomState", is_laid_out);
  return loaded.get();
}

bool LegacyState::save(PyObject* generator) {
  static constinit LibraryType twister("numpy.random._mt19937", "MT19937");
  bits_ = attribute(generator, "_bit_generator");
  if (!bits_ || Py_TYPE(bits_.get()) != twister.get()) return false;
  const Ref lock = attribute(bits_.get(), "lock"), capsule = attribute(bits_.get(), "capsule");
  if (!lock || !is_free(lock.get()) || !capsule ||
      !PyCapsule_IsValid(capsule.get(), "BitGenerator"))
    return false;
  const auto* const source =
      static_cast<BitGenerator*>(PyCapsule_GetPointer(capsule.get(), "BitGenerator"));
  places_.words = static_cast<uint32_t*>(source->state);
  char* const object = reinterpret_cast<char*>(generator);
  places_.gauss = reinterpret_cast<double*>(object + gauss_offset);
  places_.has_gauss = reinterpret_cast<int32_t*>(object + gauss_offset - 8);
  generator_ = Ref::share(generator);
  before_ = now();
  return true;
}

LegacyState::State LegacyState::now() const {
  State state;
  std::memcpy(state.words, places_.words, sizeof state.words);
  state.has_gauss = *places_.has_gauss;
  state.gauss = *places_.gauss;
  return state;
}

void LegacyState::note_drawn() {
  left_[0] = places_.words[kWords - 1];
  left_[1] = places_.words[0];
  left_[2] = static_cast<uint32_t>(*places_.has_gauss);
  drawn_ = true;
}

void LegacyState::restore() {
  if (drawn_ && (left_[0] != places_.words[kWords - 1] || left_[1] != places_.words[0] ||
                 left_[2] != static_cast<uint32_t>(*places_.has_gauss)))
    return;
  std::memcpy(places_.words, before_.words, sizeof before_.words);
  *places_.has_gauss = before_.has_gauss;
  *places_.gauss = before_.gauss;
}

}  // namespace msjit
