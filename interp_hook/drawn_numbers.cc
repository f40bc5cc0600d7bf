#include "interp_hook/drawn_numbers.h"

#include <algorithm>

#include "bytecode/drawn_numbers.h"
#include "guards/py/convert.h"

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
  if (std::ranges::none_of(generators_, known)) generators_.push_back({Ref::share(generator), now});
  return now;
}

bool DrawnNumbers::save_legacy(PyObject* generator) {
  for (const auto& known : legacy_)
    if (known->is_of(generator)) return true;
  auto state = std::make_unique<LegacyState>();
  return state->save(generator) && (legacy_.push_back(std::move(state)), true);
}

// Calls a method of NumPy and checks that the result is of the kind that the capture has met.
bool DrawnNumbers::call(const Draw& draw, PyObject* generator, Number* out) {
  Ref result = draw_by_call(draw, generator);
  if (!result) return PyErr_Clear(), false;
  if (draw.is_array) {
    out->array = std::move(result);
    if (!tensor_from_buffer(out->array.get(), "Tensor", false, &out->elements))
      return PyErr_Clear(), false;
    return out->elements.meta() == draw.meta;
  }
  out->is_float = draw.meta.dtype == DType::kFloat64;
  if (out->is_float)
    return PyFloat_CheckExact(result.get()) && (out->real = PyFloat_AS_DOUBLE(result.get()), true);
  return PyLong_CheckExact(result.get()) && small_int(result.get(), &out->integer);
}

bool DrawnNumbers::draw(const std::vector<Draw>& draws, PyObject* const* registers) {
  numbers_.reserve(draws.size());
  bool all = true;
  for (const Draw& draw : draws) {
    PyObject* const generator = registers[draw.generator];
    Number number{draw.kind == Draw::Kind::kUnit, 0, 0, {}, {}};
    switch (draw.kind) {
      case Draw::Kind::kUnit: number.real = state(generator).unit(); break;
      case Draw::Kind::kBits:
        number.integer = static_cast<int64_t>(state(generator).bits(static_cast<int>(draw.limit)));
        break;
      case Draw::Kind::kBelow:
        number.integer =
            static_cast<int64_t>(state(generator).below(static_cast<uint64_t>(draw.limit)));
        break;
      case Draw::Kind::kCall: all = save_legacy(generator) && call(draw, generator, &number); break;
    }
    if (!all) break;
    numbers_.push_back(std::move(number));
  }
  for (const Generator& generator : generators_)
    add_marks(twister_of(generator.object.get()), &left_);
  for (const auto& state : legacy_) state->note_drawn();
  return all;
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
  for (const auto& state : legacy_) state->restore();
  legacy_.clear();
}

Tensor DrawnNumbers::input(int draw) const {
  const Number& number = numbers_[static_cast<size_t>(draw)];
  if (number.array) return number.elements;
  return number.is_float ? Tensor::scalar<double>(number.real, true)
                         : Tensor::scalar<int64_t>(number.integer, true);
}

Ref DrawnNumbers::object(int draw) const {
  const Number& number = numbers_[static_cast<size_t>(draw)];
  if (number.array) return number.array;
  return Ref::steal(number.is_float ? PyFloat_FromDouble(number.real)
                                    : PyLong_FromLongLong(number.integer));
}

}  // namespace msjit
