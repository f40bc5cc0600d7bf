// Capture: the result of symbolic execution of a region, with everything needed to replay it
// without Python. It holds the graph and the guards under which it is valid. It says where the
// graph's inputs come from, how to build the Python objects that leave the region (recipes), how to
// change existing objects (effects), and where the region ends.
#pragma once

#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "bytecode/decode.h"
#include "bytecode/numbers.h"
#include "graph/ir.h"
#include "graph/shape_trace.h"
#include "guards/cache.h"

namespace msjit {

enum class BreakReason : uint8_t {
#define MSJIT_BREAK(name, ...) name,
#include "bytecode/breaks.def"
};
const char* break_name(BreakReason reason);     // "call_unknown"
const char* break_message(BreakReason reason);  // with {} for the detail
const char* break_cure(BreakReason reason);
// The cure for a break_name(); `whole`: for a function that is to be one graph.
const char* break_cure_of(const char* name, bool whole);
std::string break_text(BreakReason reason, const std::string& detail);

struct Recipe;
struct ExitState;                  // interp_hook/recipes.h
using Objects = std::vector<Ref>;  // made by the recipes so far
// Makes the object of a recipe; empty with an exception set.
using Build = Ref (*)(const Recipe& recipe, const Objects& objects);

// Where the object of a recipe comes from. Defined in interp_hook/recipes.cc.
struct RecipeKind {
  // The object; empty with an exception set, or with an error noted in `exit`.
  Ref (*make)(const Recipe& recipe, const ExitState& exit);
  // Whether it can always be made from the outputs of the graph, memory permitting.
  bool (*is_certain)(const Recipe& recipe, const Graph& graph);
};
extern const RecipeKind recipe_loaded,  // the object loaded by source `index`
    recipe_output,                      // a new Tensor from graph output `index`
    recipe_size,                        // a new int: `size` evaluated with the sizes of the call
    recipe_number,    // a new float: `open` evaluated with the numbers of the call
    recipe_scalar,    // a new number of class `object` from graph output `index`
    recipe_drawn,     // draw `index`, as a new float or int
    recipe_constant,  // `object`
    recipe_built;     // the result of `build`, from `object`, `number` and the arguments

// One Python object to build at the region's exit. Its arguments are earlier recipes.
struct Recipe {
  const RecipeKind* kind;
  Build build = nullptr;
  int32_t index = 0;
  int64_t number = 0;
  std::vector<int32_t> args;  // -1: absent
  Pin object;
  SizeExpr size;
  NumberExpr open;
};

// A number, or an array of numbers, that a generator of Python's random module or of NumPy gives
// anew in each call. The region draws its numbers in program order, before its graph runs.
struct Draw {
  enum class Kind : uint8_t { kUnit, kBits, kBelow, kCall };
  Kind kind;  // random(), getrandbits(limit), an int below `limit`; `function` of NumPy
  SourceId generator;
  int64_t limit = 0;
  Ref function, arguments, keywords;  // kCall: a method, and what it gets behind its generator
  Meta meta;                          // kCall: of the result as a tensor
  bool is_array = false;              // kCall: else a Python number
};
inline int bits_of(const Draw& draw) {  // of a drawn int
  constexpr int kUnknown = 64;
  if (draw.kind == Draw::Kind::kCall) return kUnknown;
  const auto limit = static_cast<uint64_t>(draw.limit);
  return draw.kind == Draw::Kind::kBelow ? std::bit_width(limit - 1) : static_cast<int>(limit);
}

// An input of the graph that is no tensor of the program: an open size or float or a drawn number
// as a 0-d tensor, or the elements of a NumPy array.
struct ScalarInput {
  int32_t input;
  SizeExpr size;
  NumberExpr number;           // null: `size` is the input
  SourceId array = kNoSource;  // where the array is found
  bool copies = false;         // copy the elements: the region writes to tensors, which may share
                               // the array's memory
  int draw = -1;               // which draw
};

class Departure;
struct Effect;
// How a kind of change is made at the exit. Defined beside the kind of value that it changes
// (values/), or in interp_hook/effects.cc.
struct EffectKind {
  // False with an exception set.
  bool (*apply)(PyObject* target, const Effect& effect, const Objects& objects);
  // Notes the references that the target drops. Null: none.
  void (*drops)(PyObject* target, const Effect& effect, Departure* departure) = nullptr;
  bool refills = false;  // removes all items and puts others in
};
extern const EffectKind
    effect_print,           // values are the arguments of print(), name the keyword dict or empty
    effect_set_global,      // target is the dict of globals; without a value the name is deleted
    effect_write_tensor,    // copies a tensor's elements into the memory of the target
    effect_replace_tensor;  // gives the target the memory of a tensor

// A change of an object that existed before the region, replayed in order at the exit.
struct Effect {
  const EffectKind* kind;
  int32_t target;                   // recipe; -1 of effect_print alone: sys.stdout
  Ref name;                         // of an attribute or a global
  std::vector<int32_t> values;      // recipes; of a dict: key, value, ...
  std::vector<SourceId> same = {};  // of a tensor: other sources of the target
  bool state = false;               // of a tensor: whether it is a Parameter
  bool recorded = false;            // of a tensor: whether it has a gradient history afterwards
};

// The region assumes that an output of its graph, a bool, has this truth. The run goes to its end
// first. If the assumption was wrong nothing has been changed yet, and the interpreter runs the
// region.
struct Assumption {
  int32_t output;
  bool truth;
  std::string otherwise;  // what the program does if it does not hold
};

// A line of user code: the innermost one outside msjit and outside installed packages.
struct UserPlace {
  PyCodeObject* code = nullptr;
  int offset = 0;
  std::string beyond;  // "file:line" in what it called, if that is not user code
};

struct InlinedCode {
  Ref code;
  UserPlace call;
};

struct SlotWrite {
  int32_t slot;
  int32_t recipe;  // -1 = unbound
};

// A name that a module of msjit has yet to find (pylib/msjit/first_use.py).
struct FirstUse {
  Ref module, name;
};

struct Capture {
  std::shared_ptr<Graph> graph;
  GuardSet guards;
  std::vector<SourceId> inputs;  // of the graph, in order; kNoSource: one of `scalars`
  std::vector<ScalarInput> scalars;
  std::vector<Draw> draws;
  std::unique_ptr<OpenSizes> open;          // null: all sizes are constant
  std::shared_ptr<const ShapeTrace> trace;  // of the graph, when it depends on open sizes
  std::vector<Recipe> recipes;
  std::vector<Effect> effects;
  std::vector<Assumption> assumptions;
  bool returns = false;
  int32_t result = -1;     // recipe, when it returns
  int32_t exit_index = 0;  // instruction to continue at, when it breaks
  std::vector<SlotWrite> locals;
  std::vector<int32_t> stack;  // recipes, bottom first; -1 = NULL
  // Slots whose references the frame has dropped at the exit.
  std::vector<int32_t> dropped_locals, dropped_stack;
  BreakReason reason = BreakReason::kInternal;
  std::string detail;
  int break_line = 0;
  std::string break_place;  // "file:line" inside a callee, when the reason lies there
  PyCodeObject* break_callee =
      nullptr;  // outermost callee that contained the break: worth capturing by itself
  UserPlace break_at;
  std::vector<InlinedCode> inlined;  // their source must be in the strict language
  int num_ops = 0;
  int steps = 0;  // instructions of the outermost frame
  // The program's function that the last call in the outermost frame runs, and the step of that
  // call.
  PyCodeObject* last_callee = nullptr;
  int last_call = -1;
  bool joined = false;  // an output may be the same tensor as an input or another output
  // It contains a step with a gradient of its own, or a whole gradient transform: no input may be
  // tracked.
  bool plain = false;
  bool recorded = false;  // ends before such a step, because gradients are asked for
  bool for_now = false;   // a later capture may go further (Executor::fail_for_now)
  FirstUse first_use;     // what ended it, if it was that; empty otherwise
};

struct CaptureLimits {
  int inline_depth = 52;
  // Limit on the instructions executed and items taken from iterators in one region, and the
  // additional allowance for each operation of its graph.
  int unroll = 20000;
  int unroll_per_op = 250;
  int turns = 0;  // of one loop of the outermost frame that are unrolled; 0 = no limit
  int max_ops = 16000;
  int loop_ops = 4000;  // max_ops where a loop's turns can be separate regions instead
  int steps = -1;       // end before this step of the outermost frame; -1 = no such limit
  int break_every = 0;  // force an exit at every n-th instruction of the frame; 0 = never
  bool whole = false;   // a region that ends early is useless, so loops are unrolled fully
  bool strict = false;  // level STRICT of PSJit: language.h
};

// Symbolically executes `code` from instruction `start` in the frame state `slots` (stack of
// `depth` items). Objects are looked at, never changed. Errors are internal ones. A region that
// cannot begin has num_ops == 0 and exit_index at the start. `sizes`: what has changed between
// calls. `long_loops`: headers of loops of this code that are too long to unroll; the run may add
// to them. A region ends on arrival at one, so that each turn is a region.
Result<Capture> capture_region(const DecodedCode& code, int start, const Slots& slots, int depth,
                               const CaptureLimits& limits,
                               const std::vector<SizeHistory>* sizes = nullptr,
                               std::vector<int>* long_loops = nullptr);

}  // namespace msjit
