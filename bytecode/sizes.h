// Sizes: the dimensions and ints that one symbolic run leaves open, because they have changed
// between calls. A size is a SymValue of kind kSize: an expression, and in `object` the int it is
// in this call. Whoever does not know sizes looks at it (Heap::realize), which turns it into that
// int for good, under a guard; so forgetting about sizes is never wrong.
#pragma once

#include "bytecode/symval.h"
#include "graph/shape_trace.h"
#include "guards/cache.h"

namespace msjit {

class Sizes {
 public:
  // `history`: what has changed at this place; null: nothing is left open.
  Sizes(GraphSink* sink, const std::vector<SizeHistory>* history);
  ~Sizes();

  // Ends the symbolic part: what is open becomes constant, nothing more is left open.
  void close();
  bool any() const { return env_.size() > 0; }
  bool open() const { return recorder_ != nullptr; }

  // A tensor of the program that has become an input; its open dimensions are kOpenDim in `asked`.
  void tensor_input(SourceId source, const std::string& path, ValueId input, Shape* asked);
  bool wants_int(const std::string& path, PyObject* object) const;
  // The int there is taken for one that has changed, unless a capture needed it as a constant.
  void expect_change(std::string path) { expected_.push_back(std::move(path)); }
  bool wants_float(const std::string& path) const;
  // Whether a number, or the length of a list, differs so often that a region had better end before
  // it is looked at.
  bool differs(const std::string& path) const;
  // The same of an int that a size is made of.
  bool differs(const SizeExpr& size) const;
  // Makes a lazy int an open size. False: there are too many.
  bool open_int(const SymRef& value, const std::string& path);

  SymRef make(const SizeExpr& expr);
  // The expression of a size or of a small constant int; null for others. May be constant.
  static SizeExpr expr(const SymRef& value);
  void specialise(SymValue& size);
  void specialise(const SizeExpr& size);
  // Of sizes, at least one of which is open. Null: no such size; the numbers have to do.
  SymRef binary(SizeOp op, const SymRef& a, const SymRef& b);
  bool decide(SizeCompare op, const SizeExpr& a, const SizeExpr& b);
  // The dimensions of a tensor as ints or sizes.
  std::vector<SymRef> dims(const Val& tensor);
  SymRef numel(const Val& tensor);
  // Makes everything that the shape of a tensor depends on constant.
  void specialise_shape(const Val& tensor);
  // A size or a number as what tensors are computed with: a 0-d input of its own.
  Val scalar(const SymRef& value);
  Val fixed_input(const Meta& meta);  // an input of known shape

  // Sizes among the attributes of the op applied next.
  void set_attr_sizes(std::vector<TracedSize> sizes);
  void indexed(const Val& x, std::vector<IndexItem> items, std::vector<TracedSize> sizes,
               Val* result);
  // Stops the recording of calls made meanwhile.
  class Pause {
   public:
    explicit Pause(Sizes& sizes) : sizes_(sizes) { sizes_.sink_->set_recorder(nullptr); }
    ~Pause() { sizes_.sink_->set_recorder(sizes_.recorder_.get()); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Sizes& sizes_;
  };
  void output(ValueId id, bool own);
  // For branches and loops on tensor values; see ShapeRecorder.
  int32_t mark() const { return recorder_ ? recorder_->mark() : 0; }
  void copied(ValueId from, Val* result);
  void placeholder(const Val& initial, Val* result);
  void row(const Val& sequence, Val* result);
  void scanned(int32_t mark, const ScanParts& parts, const SizeExpr& length,
               std::span<Val> results);
  void built(TraceStep::Kind kind, int32_t mark, std::span<const Val> in, std::span<Val> results);
  void scope(int level, bool recording);
  void pulled_back(std::span<const Val> outputs, std::span<const Val> seeds,
                   std::span<const Val> wrt, bool differentiable, std::span<Val> results);
  // The dimensions of a tensor as sizes among the items of attribute `at`.
  std::vector<TracedSize> attr_sizes(const Val& tensor, int32_t at);

  // What the entry has to know; null when nothing was left open. `trace` is null when all sizes
  // are constant after all.
  std::unique_ptr<OpenSizes> finish(std::shared_ptr<const ShapeTrace>* trace);

 private:
  void note_place();
  const SizeHistory* known(const std::string& path, int dim) const;
  const SizeHistory* wanted(const std::string& path, int dim) const;

  GraphSink* sink_;
  const std::vector<SizeHistory>* history_;
  ShapeEnv env_;
  std::unique_ptr<ShapeRecorder> recorder_;
  std::vector<OpenSize> symbols_;
  std::vector<std::string> expected_;  // ints that will change
};

}  // namespace msjit
