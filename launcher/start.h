// Starts msjit in an interpreter before that runs `site`.
#pragma once

#include <string>
#include <vector>

namespace msjit::launcher {

// Call this before Python's main function. It arranges two calls: msjit.launcher.start(options)
// right before `site` is executed, and msjit.launcher.expect_program() right after. If the first
// one fails, the process ends with a message. Without `site` (-S) both are made when the program
// begins.
void arrange_start(std::vector<std::string> options);

}  // namespace msjit::launcher
