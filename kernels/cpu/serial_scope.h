// SerialScope: while one lives, num_threads() is 1 on this thread. For small library calls:
// the other threads may have to wait for a core, where other programs keep them busy.
#pragma once

namespace msjit {

class SerialScope {
 public:
  explicit SerialScope(bool on);
  ~SerialScope();
  SerialScope(const SerialScope&) = delete;

 private:
  bool on_;
};

}  // namespace msjit
