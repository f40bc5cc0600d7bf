// What the JIT did, for msjit.explain, --explain and --explain-json: one record for each function
// that was called.
#pragma once

#include <string>

#include "guards/cache.h"

namespace msjit {

// JSON texts in the form of the command line's --explain-json: the list of functions, and the
// totals.
std::string explain_functions_json();
std::string explain_totals_json();
// One function's regions in full: guards as Python expressions, the graph and the plan.
std::string explain_details_json(PyCodeObject* code);

}  // namespace msjit
