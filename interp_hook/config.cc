#include "interp_hook/config.h"

#include <cstdlib>

namespace msjit {
namespace {

int env_int(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text && *text ? std::atoi(text) : fallback;
}

thread_local constinit int t_pauses = 0;

}  // namespace

JitConfig& jit_config() {
  static JitConfig config = [] {
    JitConfig made;
    made.limits.break_every = env_int("MSJIT_BREAK_EVERY", 0);
    made.strict = env_int("MSJIT_STRICT", 0) != 0;
    made.check = env_int("MSJIT_CHECK", 0) != 0;
    return made;
  }();
  return config;
}

void begin_capture_pause() { ++t_pauses, ++jit_config().pauses; }
void end_capture_pause() {
  if (t_pauses > 0) --t_pauses, --jit_config().pauses;
}
bool in_capture_pause() { return t_pauses > 0; }

}  // namespace msjit
