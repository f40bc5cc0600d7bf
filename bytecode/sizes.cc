#include "bytecode/sizes.h"

#include <fmt/core.h>

#include <algorithm>

#include "bytecode/counters.h"

namespace msjit {

namespace {
constexpr int kMissesToOpen = 2, kMissesToLeave = 6;
}

Sizes::Sizes(GraphSink* sink, const std::vector<SizeHistory>* history)
    : sink_(sink), history_(history) {
  bool any = history && has_counters();
  for (size_t i = 0; history && i < history->size(); ++i)
    any |=
        (*history)[i].dim >= -1 && (*history)[i].misses >= kMissesToOpen && !(*history)[i].closed;
  if (!any) return;
  recorder_ = std::make_unique<ShapeRecorder>(&env_, sink->graph());
  sink_->set_recorder(recorder_.get());
}

Sizes::~Sizes() { sink_->set_recorder(nullptr); }

// Notes the current line, so that relations can say where they come from.
void Sizes::note_place() {
  const SourceLocation at = sink_->location();
  const std::string_view file = at.file ? at.file : "";
  env_.set_place(fmt::format("{}:{}", file.substr(file.rfind('/') + 1), at.line));
}

bool Sizes::decide(SizeCompare op, const SizeExpr& a, const SizeExpr& b) {
  note_place();
  return env_.decide(op, a, b);
}

void Sizes::close() {
  if (!recorder_) return;
  note_place();
  env_.specialise_all();
  sink_->set_recorder(nullptr);
  recorder_.reset();
}

const SizeHistory* Sizes::known(const std::string& path, int dim) const {
  for (const SizeHistory& known : *history_)
    if (known.dim == dim && known.source == path) return &known;
  return nullptr;
}

const SizeHistory* Sizes::wanted(const std::string& path, int dim) const {
  const SizeHistory* const found = recorder_ ? known(path, dim) : nullptr;
  return found && found->misses >= kMissesToOpen && !found->closed ? found : nullptr;
}

// Dimensions of equal size are first assumed to be one size, as those of a batch and of its labels
// are.
void Sizes::tensor_input(SourceId source, const std::string& path, ValueId input, Shape* asked) {
  if (!recorder_) return;
  std::vector<TracedSize> sizes;
  for (int d = 0; d < asked->rank(); ++d) {
    const SizeHistory* known = wanted(path, d);
    if (!known) continue;
    const int64_t now = (*asked)[d];
    const int symbol = env_.add_symbol(fmt::format("{}.shape[{}]", path, d), now);
    if (symbol < 0) continue;
    symbols_.push_back({source, d, path, false});
    SizeExpr expr = size_symbol(symbol);
    for (int other = 0; other < symbol && !known->distinct; ++other) {
      if (symbols_[other].dim < 0 || env_.hints()[other] != now || symbols_[other].guessed)
        continue;
      decide(SizeCompare::kEqual, expr, size_symbol(other));
      symbols_.back().guessed = true;
      expr = size_symbol(other);
      break;
    }
    sizes.push_back({d, 0, std::move(expr)});
    (*asked)[d] = kOpenDim;
  }
  recorder_->input(input, std::move(sizes));
}

bool Sizes::wants_int(const std::string& path, PyObject* object) const {
  const SizeHistory* const found = recorder_ ? known(path, -1) : nullptr;
  if (!recorder_ || (found && found->closed)) return false;
  const bool differs = (found && found->misses >= kMissesToOpen) ||
                       std::ranges::find(expected_, path) != expected_.end();
  int64_t value = 0;
  return differs && small_int(object, &value);
}

bool Sizes::open_int(const SymRef& value, const std::string& path) {
  int64_t now = 0;
  small_int(value->object.get(), &now);
  const int symbol = env_.add_symbol(path, now);
  if (symbol < 0) return false;
  symbols_.push_back({value->source, -1, path, false});
  value->kind = SymKind::kSize;
  value->size = size_symbol(symbol);
  return true;
}

SymRef Sizes::make(const SizeExpr& expr) {
  Ref now = allocated(Ref::steal(PyLong_FromLongLong(env_.hint(expr))));
  if ((expr->symbols & ~env_.fixed()) == 0) return make_const(std::move(now));
  SymRef size = make_sym(SymKind::kSize);
  size->object = std::move(now);
  size->size = expr;
  return size;
}

SizeExpr Sizes::expr(const SymRef& value) {
  if (value->kind == SymKind::kSize) return value->size;
  int64_t number = 0;
  if (value->kind != SymKind::kConst || !small_int(value->object.get(), &number)) return nullptr;
  return size_const(number);
}

void Sizes::specialise(const SizeExpr& size) {
  note_place();
  env_.specialise(size);
}

void Sizes::specialise(SymValue& size) {
  specialise(size.size);
  size.kind = SymKind::kConst;
}

bool Sizes::wants_float(const std::string& path) const {
  for (size_t i = 0; history_ && i < history_->size(); ++i)
    if ((*history_)[i].dim == kFloatDim && (*history_)[i].source == path)
      return (*history_)[i].misses >= kMissesToOpen;
  return false;
}

bool Sizes::differs(const std::string& path) const {
  for (size_t i = 0; history_ && i < history_->size(); ++i)
    if ((*history_)[i].dim < 0 && (*history_)[i].source == path)
      return (*history_)[i].misses >= kMissesToLeave;
  return false;
}

bool Sizes::differs(const SizeExpr& size) const {
  for (size_t i = 0; i < symbols_.size(); ++i)
    if (((size->symbols & ~env_.fixed()) >> i & 1) && symbols_[i].dim < 0 &&
        differs(symbols_[i].path))
      return true;
  return false;
}

SymRef Sizes::binary(SizeOp op, const SymRef& a, const SymRef& b) {
  const SizeExpr left = expr(a), right = expr(b);
  if (!left || !right) return nullptr;
  // Python raises where a divisor is zero, so an open divisor is guarded to be nonzero.
  if ((op == SizeOp::kFloorDiv || op == SizeOp::kMod) && right->symbols &&
      decide(SizeCompare::kEqual, right, size_const(0)))
    return nullptr;
  const SizeExpr made = env_.binary(op, left, right);
  return made ? make(made) : nullptr;
}

std::vector<SymRef> Sizes::dims(const Val& tensor) {
  const Shape shape = tensor.shape();
  std::vector<SizeExpr> exprs(shape.rank());
  if (recorder_ && !recorder_->knows(tensor.id())) close();  // its making was not recorded
  if (recorder_ && (recorder_->symbols(tensor.id()) & ~env_.fixed()) != 0) {
    exprs = recorder_->dims(tensor.id());
    for (const SizeExpr& known : exprs)
      if (!known) specialise_shape(tensor);
  }
  std::vector<SymRef> dims;
  for (int d = 0; d < shape.rank(); ++d)
    dims.push_back(make(exprs[d] ? exprs[d] : size_const(shape[d])));
  return dims;
}

bool Sizes::is_open(const Val& tensor) const {
  return recorder_ && recorder_->knows(tensor.id()) &&
         (recorder_->symbols(tensor.id()) & ~env_.fixed()) != 0;
}

bool Sizes::same_shape(const Val& a, const Val& b) {
  if (a.rank() != b.rank()) return false;
  const std::vector<SymRef> left = dims(a), right = dims(b);
  for (size_t d = 0; d < left.size(); ++d)
    if (!decide(SizeCompare::kEqual, expr(left[d]), expr(right[d]))) return false;
  return true;
}

SymRef Sizes::numel(const Val& tensor) {
  SymRef total = make(size_const(1));
  for (const SymRef& dim : dims(tensor)) {
    SymRef product = binary(SizeOp::kMul, total, dim);
    if (!product) {
      specialise_shape(tensor);
      return make(size_const(tensor.shape().numel()));
    }
    total = std::move(product);
  }
  return total;
}

void Sizes::specialise_shape(const Val& tensor) {
  if (!recorder_) return;
  if (!recorder_->knows(tensor.id())) return close();
  specialise_all(recorder_->symbols(tensor.id()));
}

void Sizes::specialise_dims(const Val& tensor) {
  if (!recorder_) return;
  if (!recorder_->knows(tensor.id())) return close();
  uint64_t symbols = 0;
  if (is_open(tensor))
    for (const SizeExpr& known : recorder_->dims(tensor.id()))
      symbols |= known ? known->symbols : recorder_->symbols(tensor.id());
  specialise_all(symbols);
}

void Sizes::specialise_all(uint64_t symbols) {
  note_place();
  for (int i = 0; i < env_.size(); ++i)
    if ((symbols >> i) & 1) env_.specialise(size_symbol(i));
}

Val Sizes::scalar(const SymRef& value) {
  if (value->tensor) return value->tensor;
  if (value->kind == SymKind::kSize) return value->tensor = Val(sink_, recorder_->scalar());
  return value->tensor = fixed_input(Meta{DType::kFloat64, true, {}});
}

Val Sizes::fixed_input(const Meta& meta) {
  Val value = sink_->input(meta);
  if (recorder_) recorder_->input(value.id(), {});
  return value;
}

void Sizes::set_attr_sizes(std::vector<TracedSize> sizes) {
  if (recorder_) recorder_->set_sizes(std::move(sizes));
}

void Sizes::indexed(const Val& x, std::vector<IndexItem> items, std::vector<TracedSize> sizes,
                    Val* result) {
  if (recorder_)
    recorder_->indexed(x, std::move(items), std::move(sizes), result, sink_->location());
}

void Sizes::output(ValueId id, bool own) {
  if (recorder_) recorder_->output(id, own);
}

void Sizes::copied(ValueId from, Val* result) {
  if (recorder_) recorder_->copied(from, result);
}

void Sizes::placeholder(const Val& initial, Val* result) {
  if (recorder_) recorder_->placeholder(initial.id(), result);
}

void Sizes::row(const Val& sequence, Val* result) {
  if (recorder_) recorder_->row(sequence.id(), result);
}

void Sizes::scanned(int32_t mark, const ScanParts& parts, const SizeExpr& length,
                    std::span<Val> results) {
  if (recorder_) recorder_->scanned(mark, parts, length, results);
}

void Sizes::built(TraceStep::Kind kind, int32_t mark, std::span<const Val> in,
                  std::span<Val> results) {
  if (recorder_) recorder_->built(kind, mark, in, results);
}

void Sizes::scope(int level, bool recording) {
  if (recorder_) recorder_->scope(level, recording);
}

std::vector<TracedSize> Sizes::attr_sizes(const Val& tensor, int32_t at) {
  std::vector<TracedSize> sizes;
  int32_t item = 0;
  for (const SymRef& dim : dims(tensor)) {
    if (dim->kind == SymKind::kSize) sizes.push_back({at, item, dim->size});
    ++item;
  }
  return sizes;
}

std::unique_ptr<OpenSizes> Sizes::finish(std::shared_ptr<const ShapeTrace>* trace) {
  if (env_.size() == 0) return nullptr;
  if (recorder_ && recorder_->broken()) close();
  auto open = std::make_unique<OpenSizes>();
  if (recorder_) {
    *trace = recorder_->finish();
    open->key = (*trace)->used_symbols();
  }
  open->symbols = symbols_;
  open->names = env_.names();
  open->relations = env_.relations();
  open->captured = env_.hints();
  open->fixed = env_.fixed();
  return open;
}

}  // namespace msjit
