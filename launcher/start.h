// Puts msjit in place in an interpreter that starts, before `site` runs.
#pragma once

#include <string>
#include <vector>

namespace msjit::launcher {

// To be called before Python's main function. Right before `site` is executed
// msjit.launcher.start(options) is called - when that fails, the process ends with a message - and
// right after it msjit.launcher.expect_program(). Without `site` (-S) both are called when the
// program begins.
void arrange_start(std::vector<std::string> options);

}  // namespace msjit::launcher
