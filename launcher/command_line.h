// Finds the options of a python command line that are meant for msjit.
#pragma once

#include <string>
#include <vector>

namespace msjit::launcher {

// The values of `-X msjit=VALUE` in order, an empty one for `-X msjit`. The command line stays as
// it is: Python reads the same options and keeps them in sys._xoptions.
std::vector<std::string> msjit_options(int argc, char** argv);

}  // namespace msjit::launcher
