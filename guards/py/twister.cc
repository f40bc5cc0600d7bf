#include "guards/py/twister.h"

#include <bit>

#include "guards/py/host_call.h"
#include "guards/py/library_type.h"

namespace msjit {
namespace {

struct Layout {
  PyObject_HEAD Twister state;
};

// Whether the words of a generator are where Layout has them.
bool has_layout(PyTypeObject* type) {
  if (type->tp_basicsize != static_cast<Py_ssize_t>(sizeof(Layout))) return false;
  const Ref seed = Ref::steal(PyLong_FromLong(1));
  const Ref made = Ref::steal(host::call(host::checked, PyObject_CallFunctionObjArgs,
                                         reinterpret_cast<PyObject*>(type), seed.get(), nullptr));
  const Ref state = made ? Ref::steal(host::call(host::checked, PyObject_CallMethod, made.get(),
                                                 "getstate", nullptr))
                         : Ref();
  if (!state || !PyTuple_CheckExact(state.get()) ||
      PyTuple_GET_SIZE(state.get()) != Twister::kWords + 1)
    return PyErr_Clear(), false;
  const Twister& twister = twister_of(made.get());
  for (int i = 0; i <= Twister::kWords; ++i) {
    const int64_t word = PyLong_AsLongLong(PyTuple_GET_ITEM(state.get(), i));
    if (word != (i < Twister::kWords ? int64_t{twister.words[i]} : int64_t{twister.index}))
      return PyErr_Clear(), false;
  }
  return true;
}

}  // namespace

PyTypeObject* twister_type() {
  static constinit LibraryType loaded("_random", "Random", has_layout);
  return loaded.get();
}

Twister& twister_of(PyObject* generator) { return reinterpret_cast<Layout*>(generator)->state; }

uint32_t Twister::next() {
  constexpr int kMiddle = 397;
  constexpr uint32_t kTwist = 0x9908b0dfU, kUpper = 0x80000000U, kLower = 0x7fffffffU;
  if (index >= kWords) {
    for (int i = 0; i < kWords; ++i) {
      const uint32_t joined = (words[i] & kUpper) | (words[(i + 1) % kWords] & kLower);
      words[i] = words[(i + kMiddle) % kWords] ^ (joined >> 1) ^ (joined & 1 ? kTwist : 0);
    }
    index = 0;
  }
  uint32_t word = words[index++];
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680U;
  word ^= (word << 15) & 0xefc60000U;
  return word ^ (word >> 18);
}

// 53 bits.
double Twister::unit() {
  constexpr double kLow = 67108864.0, kAll = 9007199254740992.0;  // 2**26, 2**53
  const double high = next() >> 5;
  return (high * kLow + (next() >> 6)) * (1.0 / kAll);
}

// The first word gives the lowest bits; the last one gives its upper bits.
uint64_t Twister::bits(int count) {
  constexpr int kWord = 32;
  uint64_t made = 0;
  for (int place = 0; place < count; place += kWord) {
    const int wanted = count - place < kWord ? count - place : kWord;
    made |= uint64_t{next() >> (kWord - wanted)} << place;
  }
  return made;
}

uint64_t Twister::below(uint64_t limit) {
  const int count = std::bit_width(limit);
  uint64_t made = bits(count);
  while (made >= limit) made = bits(count);
  return made;
}

}  // namespace msjit
