// msjit-python: the interpreter with msjit in place from its start. If neither the command line nor
// MSJIT_AUTO asks for msjit, it is plain python.
#include <Python.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "launcher/command_line.h"
#include "launcher/start.h"

// Python's main function; 3.7 does not declare it.
extern "C" int MSJIT_PYTHON_MAIN(int argc, char** argv);

namespace {

// Compares up to the minor version (`3.10.` of 3.10.13): its releases have the same ABI.
bool is_built_for(const char* version) {
  const size_t size = std::strrchr(PY_VERSION, '.') - PY_VERSION + 1;
  return std::strncmp(version, PY_VERSION, size) == 0;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && value[std::strspn(value, ", \t\n")];
}

}  // namespace

int main(int argc, char** argv) {
  if (!is_built_for(Py_GetVersion())) {
    std::fprintf(stderr,
                 "msjit-python: [libpython] version, got %.8s, expected that of " PY_VERSION
                 ", as %s is; look at LD_LIBRARY_PATH, or build msjit again\n",
                 Py_GetVersion(), MSJIT_LIBPYTHON);
    return 2;
  }
  std::vector<std::string> options = msjit::launcher::msjit_options(argc, argv);
  if (!options.empty() || is_set("MSJIT_AUTO")) msjit::launcher::arrange_start(std::move(options));
  return MSJIT_PYTHON_MAIN(argc, argv);
}
