// Which options of a python command line are meant for msjit.
#pragma once

#include <string>
#include <vector>

namespace msjit::launcher {

// The values of `-X msjit=VALUE` in order, an empty one for `-X msjit`. Nothing is taken out:
// Python reads the same command line and keeps the options in sys._xoptions.
std::vector<std::string> msjit_options(int argc, char** argv);

}  // namespace msjit::launcher
