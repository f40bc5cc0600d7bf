#include "graph/scan_turns.h"

namespace msjit {

ErrorPtr scan_gradient_refused(const char* what) {
  return not_implemented_error("[backward] gradient of a loop, got {}, expected none", what);
}

ScanTurns::ScanTurns(std::shared_ptr<const Graph> body, const ScanShape& shape,
                     std::span<const bool> wanted)
    : body_(std::move(body)), shape_(shape), wanted_(std::make_unique<bool[]>(shape.inputs())) {
  for (size_t i = 0; i < shape.inputs(); ++i)
    wanted_[i] = is_carried(i) ? is_inexact(meta(i).dtype) : wanted[i];
}

std::vector<Arrival> ScanTurns::before(const Turn& turn, bool* sometimes) const {
  std::vector<Arrival> given = turn.given;
  for (size_t i = 0; i < shape_.carried; ++i) {
    if (!wanted_[i] || given[i] == Arrival::kSometimes) continue;
    given[i] = arrival(turn, i);
    *sometimes |= given[i] == Arrival::kSometimes;
  }
  return given;
}

Status ScanTurns::settle(std::span<const Grad> output_grads) {
  constexpr size_t kMaxLastTurns = 3;
  std::vector<Arrival> given;
  for (size_t i = 0; i < shape_.outputs(); ++i) {
    const bool unused = is_carried(i) && !wanted_[i];
    given.push_back(unused ? Arrival::kNever : output_grads[i].arrival());
    if (!is_carried(i) && given[i] == Arrival::kSometimes)
      return scan_gradient_refused("a gradient that sometimes arrives");
  }
  for (;;) {
    MSJIT_TRY(VjpGraph vjp, vjp_graph(*body_, {wanted_.get(), shape_.inputs()}, given));
    Turn turn{std::move(vjp), given};
    bool sometimes = false;
    const std::vector<Arrival> next = before(turn, &sometimes);
    if (next == given) {
      steady = std::move(turn);
      return {};
    }
    if (sometimes) {
      // A bool can also say what always or never arrives, so this turn need not be a last one.
      for (size_t i = 0; i < given.size(); ++i)
        if (next[i] == Arrival::kSometimes) given[i] = next[i];
      continue;
    }
    given = next;
    last.push_back(std::move(turn));
    if (last.size() > kMaxLastTurns || last.size() >= static_cast<size_t>(shape_.length))
      return scan_gradient_refused("gradients that differ from turn to turn");
  }
}

int ScanTurns::place_of(size_t input) const {
  int k = 0;
  for (size_t i = 0; i < input; ++i) k += wanted_[i];
  return wanted_[input] ? k : -1;
}

ValueId ScanTurns::gradient(const Turn& turn, size_t input) const {
  const int k = place_of(input);
  return k < 0 ? -1 : turn.vjp.grads[static_cast<size_t>(k)];
}

ValueId ScanTurns::arrives(const Turn& turn, size_t input) const {
  return gradient(turn, input) < 0 ? -1 : turn.vjp.arrives[static_cast<size_t>(place_of(input))];
}

Arrival ScanTurns::arrival(const Turn& turn, size_t input) const {
  if (gradient(turn, input) < 0) return Arrival::kNever;
  return arrives(turn, input) < 0 ? Arrival::kAlways : Arrival::kSometimes;
}

}  // namespace msjit
