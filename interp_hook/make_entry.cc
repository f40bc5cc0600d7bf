// Turns a finished capture into an entry: compiles its graph, and orders its recipes so that a
// garbage collection in the middle of the exit does no harm.
#include <algorithm>
#include <utility>

#include "graph/control.h"
#include "interp_hook/config.h"
#include "interp_hook/entry.h"
#include "interp_hook/let_go.h"

namespace msjit {
namespace {

bool has_loop(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (is_while(node) || is_scan(node)) return true;
    for (const auto& sub : node.subgraphs)
      if (has_loop(*sub)) return true;
  }
  return false;
}

bool draws_numbers(const Graph& graph) {
  const auto draws = [](const Node& node) {
    return (node.kind == NodeKind::kOp && !node.is_control() && node.op->has(kRandom)) ||
           std::any_of(node.subgraphs.begin(), node.subgraphs.end(),
                       [](const auto& sub) { return draws_numbers(*sub); });
  };
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), draws);
}

bool is_small(const Graph& graph) {
  constexpr int kFewOps = 12;
  constexpr int64_t kFewElements = 4096;
  if (graph.num_ops() > kFewOps) return false;
  for (const Node& node : graph.nodes)
    for (int i = 0; i < node.num_outputs; ++i)
      if (graph.meta(node.first_output + i).shape.numel() > kFewElements) return false;
  return !has_loop(graph);
}

bool is_part(const Recipe& recipe) {
  return recipe.kind != &recipe_constant && recipe.kind != &recipe_built;
}

// Puts the recipes first that read registers and graph outputs. The other recipes make objects, and
// that may start a collection, whose finalizers may free objects that the registers only borrow.
void put_parts_first(Capture* capture) {
  const size_t count = capture->recipes.size();
  std::vector<Recipe> ordered;
  std::vector<int32_t> place(count);
  for (const bool parts : {true, false}) {
    for (size_t i = 0; i < count; ++i) {
      if (is_part(capture->recipes[i]) != parts) continue;
      place[i] = static_cast<int32_t>(ordered.size());
      ordered.push_back(capture->recipes[i]);
    }
  }
  const auto move = [&](int32_t& recipe) { recipe = recipe < 0 ? recipe : place[recipe]; };
  for (Recipe& recipe : ordered) std::ranges::for_each(recipe.args, move);
  for (Effect& effect : capture->effects) {
    move(effect.target);
    std::ranges::for_each(effect.values, move);
  }
  for (SlotWrite& write : capture->locals) move(write.recipe);
  std::ranges::for_each(capture->stack, move);
  move(capture->result);
  capture->recipes = std::move(ordered);
}

// The objects and changes that the exit makes.
void take_exit(Capture& capture, Entry* entry) {
  entry->recipes = std::move(capture.recipes);
  entry->effects = std::move(capture.effects);
  entry->result = capture.result;
  entry->locals = std::move(capture.locals);
  entry->stack = std::move(capture.stack);
  entry->dropped_locals = std::move(capture.dropped_locals);
  entry->dropped_stack = std::move(capture.dropped_stack);
  entry->kept = kept_objects(*entry);
  entry->writes_tensors = std::any_of(entry->effects.begin(), entry->effects.end(), writes_tensor);
  entry->rewrites = std::ranges::any_of(entry->effects,
                                        [](const Effect& effect) { return effect.kind->refills; });
}

// What the graph says of a run.
void note_graph(const Graph& graph, Entry* entry) {
  entry->draws = draws_numbers(graph);
  entry->calls = calls_processes(graph);
  entry->loops = has_loop(graph) || entry->calls;
  entry->small = !entry->returns && is_small(graph);
  for (const Node& node : graph.nodes)
    if (node.kind == NodeKind::kConstant) entry->constant_bytes += node.constant.nbytes();
}

// Why and where a region ends before its function does.
void take_break(const Capture& capture, Entry* entry) {
  entry->exit_index = capture.exit_index;
  entry->break_reason = break_name(capture.reason);
  entry->break_detail = break_text(capture.reason, capture.detail);
  const bool in_callee = !capture.break_place.empty();
  entry->may_go_further = in_callee || capture.for_now;
  if (in_callee) entry->break_detail += " (" + capture.break_place + ")";
  entry->break_line = capture.break_line;
}

// The output that is the result of the function, if a call has nothing to do but to return it; -1
// otherwise.
int only_output(const Entry& entry) {
  if (!entry.returns || !entry.effects.empty() || entry.num_outputs != 1) return -1;
  const Recipe& result = entry.recipes[entry.result];
  const bool numbers =  // these may raise, so every call must compute them
      std::ranges::any_of(entry.recipes,
                          [](const Recipe& recipe) { return recipe.kind == &recipe_number; });
  const bool only = result.kind == &recipe_output && !entry.joined && !entry.loops && !numbers &&
                    entry.drawn.empty();
  return only ? result.index : -1;
}

}  // namespace

Result<std::unique_ptr<Entry>> make_entry(const DecodedCode& code, int start, Capture capture) {
  auto entry = std::make_unique<Entry>();
  put_parts_first(&capture);
  entry->num_outputs = static_cast<int>(capture.graph->outputs.size());
  entry->open = std::move(capture.open);
  entry->trace = std::move(capture.trace);
  entry->scalars = std::move(capture.scalars);
  entry->drawn = std::move(capture.draws);
  entry->draws_by_calls = std::ranges::any_of(
      entry->drawn, [](const Draw& draw) { return draw.kind == Draw::Kind::kCall; });
  if (!entry->trace) {
    MSJIT_TRY(entry->region, RegionFunction::create(capture.graph));
  } else if (entry->prepare(entry->open->captured.data()) != Entry::Ready::kYes) {
    return internal_error("{}", entry->error);
  }
  entry->guards = std::move(capture.guards);
  entry->inputs = std::move(capture.inputs);
  entry->assumptions = std::move(capture.assumptions);
  entry->returns = capture.returns;
  entry->num_ops = capture.num_ops;
  entry->steps = capture.steps;
  entry->joined = capture.joined;
  entry->plain = capture.plain;
  entry->line = code[start].line;
  take_exit(capture, entry.get());
  note_graph(*capture.graph, entry.get());
  if (!entry->returns) take_break(capture, entry.get());
  entry->single_output = only_output(*entry);
  entry->guards.weaken(*entry);
  for (Recipe& recipe : entry->recipes) recipe.object.weaken(*entry);
  return entry;
}

}  // namespace msjit
