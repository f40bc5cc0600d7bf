// ScanTurns: which gradients arrive in which turns of a scan. In the last turns other gradients of
// carried values may arrive than in the turns before: often the last state is not used, so no
// gradient arrives for it. All turns before these few are alike. Where a branch decides whether a
// gradient arrives, a bool travels with it (grad.h).
#pragma once

#include <memory>

#include "graph/autodiff.h"
#include "graph/scan.h"

namespace msjit {

class ScanTurns {
 public:
  struct Turn {
    VjpGraph vjp;
    std::vector<Arrival> given;  // one per output of the body
  };

  ScanTurns(std::shared_ptr<const Graph> body, const ScanShape& shape,
            std::span<const bool> wanted);
  // Finds `steady` and `last`. An error: the turns differ too much.
  Status settle(std::span<const Grad> output_grads);

  const Meta& meta(size_t input) const { return body_->meta(body_->inputs[input]); }
  bool is_carried(size_t input) const { return input < shape_.carried; }
  bool is_scanned(size_t input) const {
    return !is_carried(input) && input < shape_.carried + shape_.scanned;
  }
  // In the graph of a turn, the gradient of an input of the body and its bool; -1: none.
  ValueId gradient(const Turn& turn, size_t input) const;
  ValueId arrives(const Turn& turn, size_t input) const;
  Arrival arrival(const Turn& turn, size_t input) const;

  Turn steady;             // all turns but the last ones
  std::vector<Turn> last;  // from the very last turn backwards

 private:
  int place_of(size_t input) const;
  // The gradients that arrive in the turn before this one. `sometimes`: in a new place a bool is
  // needed.
  std::vector<Arrival> before(const Turn& turn, bool* sometimes) const;

  const std::shared_ptr<const Graph> body_;
  const ScanShape shape_;
  // A gradient may reach a carried float by way of another carried value, so all carried floats
  // count as wanted.
  std::unique_ptr<bool[]> wanted_;
};

ErrorPtr scan_gradient_refused(const char* what);

}  // namespace msjit
