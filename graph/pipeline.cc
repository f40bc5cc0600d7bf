#include "graph/pipeline.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "graph/passes/passes.h"
#include "kernels/core/log.h"

namespace msjit {
namespace {

// In this order. Branches and loops come first, then passes on graphs as front ends and gradient
// rules write them. Passes that fuse come last, when no other pass moves nodes any more.
constexpr PassInfo kPipeline[] = {
    {"select_writes", select_writes},   {"merge_scans", merge_scans},
    {"lift_products", lift_products},   {"dead_code", dead_code},
    {"fold_constants", fold_constants}, {"simplify", simplify},
    {"merge_equal", merge_equal},       {"join_products", join_products},
    {"slice_first", slice_first},       {"expand_rows", expand_rows, true},
    {"fuse_linear", fuse_linear},       {"stack_products", stack_products},
    {"slice_batches", slice_batches},
};

struct Settings {
  std::string disabled;  // ",a,b," for a plain search
  int64_t bisect = -1;   // passes allowed to run in this process; -1 = all
  bool strict;
  Settings() : disabled("," + env_text("MSJIT_DISABLE") + ","), strict(env_flag("MSJIT_STRICT")) {
    std::string limit = env_text("MSJIT_BISECT");
    if (!limit.empty()) bisect = std::strtoll(limit.c_str(), nullptr, 10);
#ifndef NDEBUG
    strict = true;
#endif
  }
};

const Settings& settings() {
  static const Settings* instance = new Settings;
  return *instance;
}

bool skipped(const PassInfo& pass) {
  static std::atomic<int64_t> runs{0};
  if (settings().disabled.find(fmt::format(",{},", pass.name)) != std::string::npos) return true;
  if (settings().bisect < 0) return false;
  int64_t run = runs.fetch_add(1) + 1;
  if (run == settings().bisect)
    log_text(LogTopic::kPasses, fmt::format("last pass run: {}", pass.name));
  return run > settings().bisect;
}

void dump_graph(const char* when, const Graph& graph) {
  if (dump_enabled()) dump_file(fmt::format("graph_{}.txt", when), print(graph));
}

}  // namespace

bool pipeline_is_watched() {
  return dump_enabled() || settings().bisect >= 0 || log_enabled(LogTopic::kPasses) ||
         log_enabled(LogTopic::kGraph) || log_enabled(LogTopic::kPlan);
}

std::span<const PassInfo> pipeline() { return kPipeline; }

const PassInfo* find_pass(std::string_view name) {
  for (const PassInfo& pass : kPipeline)
    if (name == pass.name) return &pass;
  return nullptr;
}

namespace {

Status run_one(const PassInfo& pass, Graph& graph, bool dump) {
  if (skipped(pass)) return {};
  auto start = std::chrono::steady_clock::now();
  size_t before = graph.nodes.size();
  Result<bool> changed = pass.run(graph);
  if (!changed.ok())
    return internal_error("[{}] the pass failed on {}: {}", pass.name, graph.name,
                          changed.error().message);
  double us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  MSJIT_LOGF(LogTopic::kPasses, "{}: {}: {} -> {} nodes{}, {:.0f} us", graph.name, pass.name,
             before, graph.nodes.size(), changed.value() ? "" : ", unchanged", us);
  if (changed.value() && dump) dump_graph(pass.name, graph);
  if (!settings().strict) return {};
  if (Status status = verify(graph); !status.ok())
    return internal_error("[{}] the pass broke the graph: {}", pass.name, status.error().message);
  return {};
}

}  // namespace

Status run_pass(const PassInfo& pass, Graph& graph) { return run_one(pass, graph, true); }

Status run_pipeline_nested(Graph& graph, bool fuses) {
  for (const PassInfo& pass : kPipeline)
    if (fuses || !pass.for_fusing) MSJIT_OK(run_one(pass, graph, false));
  return {};
}

Status run_pipeline(Graph& graph, bool fuses) {
  MSJIT_LOGF(LogTopic::kGraph, "as captured\n{}", print(graph));
  dump_graph("captured", graph);
  if (settings().strict) MSJIT_OK(verify(graph));
  for (const PassInfo& pass : kPipeline)
    if (fuses || !pass.for_fusing) MSJIT_OK(run_pass(pass, graph));
  MSJIT_LOGF(LogTopic::kGraph, "optimised\n{}", print(graph));
  return {};
}

}  // namespace msjit
