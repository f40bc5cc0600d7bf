// Draws that are made again, for the recomputation of a Cell. Recomputations may be inside one
// another, so a mark holds two numbers: the draws made so far, and the one to be repeated next.
#include "bytecode/builtins/models.h"

namespace msjit {
namespace {

bool set_draws(Executor& x, int first, SymRef* out) {
  x.sink().draw_again(first);
  if (ShapeRecorder* const recorder = x.sizes().recorder()) recorder->draws(first);
  return *out = sym_none(), true;
}

bool model_mark(Executor& x, Args args, PyObject* names, SymRef* out) {
  if (!positional(x, "rng_mark", args, names, 0, 0)) return false;
  if (!x.gradient_scopes().any() || x.in_arm())
    return x.fail(BreakReason::kGradient, "that recomputes");
  const int next = x.sink().repeated_draw();
  return *out = make_items(SymKind::kTuple, {sym_int(x.sink().num_draws()), sym_int(next)}), true;
}

// Takes a mark that was made in the region apart.
bool read_mark(Executor& x, const char* name, Args args, PyObject* names, int* drawn, int* next) {
  if (!positional(x, name, args, names, 1, 1)) return false;
  const SymRef& mark = args[0];
  int64_t numbers[2];
  if (mark->kind != SymKind::kTuple || mark->source != kNoSource || mark->items.size() != 2 ||
      !to_int(x, mark->items[0], &numbers[0]) || !to_int(x, mark->items[1], &numbers[1]))
    return x.fail(BreakReason::kGradient, "that recomputes");
  *drawn = static_cast<int>(numbers[0]);
  *next = static_cast<int>(numbers[1]);
  return true;
}

bool model_rewind(Executor& x, Args args, PyObject* names, SymRef* out) {
  int drawn = 0, next = 0;
  return read_mark(x, "rng_rewind", args, names, &drawn, &next) &&
         set_draws(x, next >= 0 ? next : drawn, out);
}

bool model_resume(Executor& x, Args args, PyObject* names, SymRef* out) {
  int drawn = 0, next = 0;
  return read_mark(x, "rng_resume", args, names, &drawn, &next) && set_draws(x, next, out);
}

const ModelRow kDrawModels[] = {
    {"rng_mark", model_mark}, {"rng_rewind", model_rewind}, {"rng_resume", model_resume}};

}  // namespace

const ModelTable models_draws = {"msjit._msjit", kDrawModels, {}};

}  // namespace msjit
