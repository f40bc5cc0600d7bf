// SerialScope: while one lives, num_threads() is 1 on this thread. For small library calls: other
// threads might have to wait for a core that another program keeps busy.
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
