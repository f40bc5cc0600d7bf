// Runs the cases of tests/text/*.txt; the format is described in tests/text/README.md.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "graph/autodiff.h"
#include "graph/pipeline.h"

namespace msjit {
namespace {

struct TextCase {
  std::string name, passes, grad, given, comments, input, expected;
};

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
  size_t start = text.find_first_not_of(' ');
  return start == std::string::npos ? "" : text.substr(start);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(trimmed(part));
  return parts;
}

std::vector<TextCase> read_cases(const std::filesystem::path& path) {
  std::vector<TextCase> cases;
  std::ifstream file(path);
  std::string comments;
  bool expecting = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({.name = line.substr(4), .comments = std::exchange(comments, "")});
      expecting = false;
    } else if (line.starts_with("//")) {
      comments += line + "\n";
    } else if (cases.empty()) {
      continue;
    } else if (line == "--- expect") {
      expecting = true;
    } else if (line.starts_with("passes:")) {
      cases.back().passes = trimmed(line.substr(7));
    } else if (line.starts_with("grad:")) {
      cases.back().grad = trimmed(line.substr(5));
    } else if (line.starts_with("given:")) {
      cases.back().given = trimmed(line.substr(6));
    } else {
      (expecting ? cases.back().expected : cases.back().input) += line + "\n";
    }
  }
  for (TextCase& c : cases) {
    c.input = trimmed(c.input) + "\n";
    c.expected = trimmed(c.expected) + "\n";
  }
  return cases;
}

void write_cases(const std::filesystem::path& path, const std::vector<TextCase>& cases) {
  std::ofstream file(path);
  for (size_t i = 0; i < cases.size(); ++i) {
    const TextCase& c = cases[i];
    file << (i ? "\n" : "") << c.comments << "=== " << c.name << "\n";
    if (!c.passes.empty()) file << "passes: " << c.passes << "\n";
    if (!c.grad.empty()) file << "grad: " << c.grad << "\n";
    if (!c.given.empty()) file << "given: " << c.given << "\n";
    file << c.input << "--- expect\n" << c.expected;
  }
}

Status run_passes(const std::string& names, Graph& graph) {
  for (const std::string& name : split(names)) {
    if (name == "all") {
      MSJIT_OK(run_pipeline(graph));
    } else {
      const PassInfo* pass = find_pass(name);
      if (!pass) return value_error("unknown pass {}", name);
      MSJIT_OK(run_pass(*pass, graph));
    }
    MSJIT_OK(verify(graph));
  }
  return {};
}

std::unique_ptr<bool[]> flags_of(const std::string& indices, size_t size) {
  std::unique_ptr<bool[]> flags(new bool[size]());
  for (const std::string& index : split(indices)) flags[std::stoul(index)] = true;
  return flags;
}

// With the backward graph for gradients of the outputs `given` alone, where these are named.
Result<std::string> run_grad(const TextCase& c, const Graph& graph) {
  const auto wanted = flags_of(c.grad, graph.inputs.size());
  MSJIT_TRY(GradGraphs graphs, differentiate(graph, {wanted.get(), graph.inputs.size()}));
  if (!c.given.empty()) {
    const auto given = flags_of(c.given, graphs.grad_outputs.size());
    MSJIT_TRY(graphs.backward, graphs.joint->backward({given.get(), graphs.grad_outputs.size()}));
  }
  MSJIT_OK(verify(*graphs.forward));
  MSJIT_OK(verify(*graphs.backward.graph));
  std::string text = "residuals:";
  for (const Residual& r : graphs.residuals) {
    const char* from = r.from == Residual::From::kInput    ? "input"
                       : r.from == Residual::From::kOutput ? "output"
                                                           : "extra";
    text += fmt::format(" {}{}", from, r.index);
  }
  return text + "\n" + print(*graphs.forward) + print(*graphs.backward.graph);
}

Result<std::string> answer(const TextCase& c) {
  MSJIT_TRY(std::shared_ptr<Graph> graph, parse_graph(c.input));
  MSJIT_OK(run_passes(c.passes, *graph));
  if (!c.grad.empty()) return run_grad(c, *graph);
  return print(*graph);
}

bool updating() {
  for (const std::string& argument : testing::internal::GetArgvs())
    if (argument == "--update") return true;
  return false;
}

TEST(Text, AllCases) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(MSJIT_TESTS_DIR "/text"))
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  int count = 0;
  for (const auto& path : paths) {
    std::vector<TextCase> cases = read_cases(path);
    for (TextCase& c : cases) {
      auto result = answer(c);
      std::string got = result.ok() ? result.take() : "error: " + result.error().message + "\n";
      if (updating()) c.expected = got;
      EXPECT_EQ(c.expected, got) << path.filename() << ": " << c.name;
      ++count;
    }
    if (updating()) write_cases(path, cases);
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace msjit
