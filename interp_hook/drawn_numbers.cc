#include "interp_hook/drawn_numbers.h"

#include <algorithm>

namespace msjit {
namespace {

// What tells whether somebody else has drawn from a generator meanwhile, or seeded it: a draw moves
// the index, and a seed changes all words.
constexpr size_t kMarks = 3;
void add_marks(const Twister& state, std::vector<uint32_t>* out) {
  out->insert(out->end(), {static_cast<uint32_t>(state.index), state.words[0],
                           state.words[Twister::kWords - 1]});
}

}  // namespace

Twister& DrawnNumbers::state(PyObject* generator) {
  Twister& now = twister_of(generator);
  const auto known = [&](const Generator& g) { return g.object.is(generator); };
  if (std::ranges::none_of(generators_, known))
    generators_.push_back({Ref::share(generator), now});
  return now;
}

void DrawnNumbers::draw(const std::vector<Draw>& draws, PyObject* const* registers) {
  numbers_.reserve(draws.size());
  for (const Draw& draw : draws) {
    Twister& from = state(registers[draw.generator]);
    Number number{draw.kind == Draw::Kind::kUnit, 0, 0};
    switch (draw.kind) {
      case Draw::Kind::kUnit: number.real = from.unit(); break;
      case Draw::Kind::kBits:
        number.integer = static_cast<int64_t>(from.bits(static_cast<int>(draw.limit)));
        break;
      case Draw::Kind::kBelow:
        number.integer = static_cast<int64_t>(from.below(static_cast<uint64_t>(draw.limit)));
        break;
    }
    numbers_.push_back(number);
  }
  for (const Generator& generator : generators_) add_marks(twister_of(generator.object.get()), &left_);
}

void DrawnNumbers::take_back() {
  for (size_t i = 0; i < generators_.size(); ++i) {
    Twister& now = twister_of(generators_[i].object.get());
    std::vector<uint32_t> marks;
    add_marks(now, &marks);
    if (std::equal(marks.begin(), marks.end(), left_.begin() + static_cast<long>(i * kMarks)))
      now = generators_[i].before;
  }
  generators_.clear();
}

Tensor DrawnNumbers::input(int draw) const {
  const Number& number = numbers_[static_cast<size_t>(draw)];
  return number.is_float ? Tensor::scalar<double>(number.real, true)
                         : Tensor::scalar<int64_t>(number.integer, true);
}

Ref DrawnNumbers::object(int draw) const {
  const Number& number = numbers_[static_cast<size_t>(draw)];
  return Ref::steal(number.is_float ? PyFloat_FromDouble(number.real)
                                    : PyLong_FromLongLong(number.integer));
}

}  // namespace msjit
