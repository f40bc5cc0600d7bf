// Sizes: the dimensions and ints that one symbolic run leaves open because they have changed
// between calls. An open size is a SymValue of kind kSize: an expression, and in `object` its int
// in this call. Code that does not handle sizes looks at it (Heap::realize). That turns it into the
// int for good, under a guard. So not handling sizes is never wrong.
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

  // Makes all open sizes constant; nothing is left open from now on.
  void close();
  bool any() const { return env_.size() > 0; }
  bool open() const { return recorder_ != nullptr; }

  // Called for a tensor of the program that becomes an input. Sets the dimensions in `asked` that
  // are left open to kOpenDim.
  void tensor_input(SourceId source, const std::string& path, ValueId input, Shape* asked);
  bool wants_int(const std::string& path, PyObject* object) const;
  // The int at `path` is expected to change between calls, so it is left open, unless a capture
  // needed it as a constant.
  void expect_change(std::string path) { expected_.push_back(std::move(path)); }
  bool wants_float(const std::string& path) const;
  // Whether a number, or the length of a list, differs so often that the region should end before
  // it is looked at.
  bool differs(const std::string& path) const;
  // The same for an int in a size expression.
  bool differs(const SizeExpr& size) const;
  // Makes a kLazy int an open size. False: there are too many open sizes.
  bool open_int(const SymRef& value, const std::string& path);

  SymRef make(const SizeExpr& expr);
  // The expression of a size or of a small constant int; null for other values. It may be constant.
  static SizeExpr expr(const SymRef& value);
  void specialise(SymValue& size);
  void specialise(const SizeExpr& size);
  // The operation on sizes, at least one of which is open. Null: the result is no size expression;
  // compute with the ints.
  SymRef binary(SizeOp op, const SymRef& a, const SymRef& b);
  bool decide(SizeCompare op, const SizeExpr& a, const SizeExpr& b);
  // The dimensions of a tensor as ints or sizes.
  std::vector<SymRef> dims(const Val& tensor);
  SymRef numel(const Val& tensor);
  // Whether the shape of a tensor may depend on open sizes.
  bool is_open(const Val& tensor) const;
  // Whether two tensors have one shape. Where sizes are open, that is guarded.
  bool same_shape(const Val& a, const Val& b);
  // Makes constant all sizes with which a tensor is made, also those that only say which part of
  // another tensor it shows.
  void specialise_shape(const Val& tensor);
  // The same for the sizes that its dimensions depend on.
  void specialise_dims(const Val& tensor);
  // A size or float as an operand of tensors: a 0-d input of the graph.
  Val scalar(const SymRef& value);
  Val fixed_input(const Meta& meta);  // an input of known shape

  // Notes which attributes of the op applied next are sizes.
  void set_attr_sizes(std::vector<TracedSize> sizes);
  void indexed(const Val& x, std::vector<IndexItem> items, std::vector<TracedSize> sizes,
               Val* result);
  // While a Pause lives, calls are not recorded for the ShapeTrace.
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
  // The following pass on to ShapeRecorder, for branches and loops on tensor values.
  int32_t mark() const { return recorder_ ? recorder_->mark() : 0; }
  void copied(ValueId from, Val* result);
  void placeholder(const Val& initial, Val* result);
  void row(const Val& sequence, Val* result);
  void scanned(int32_t mark, const ScanParts& parts, const SizeExpr& length,
               std::span<Val> results);
  void built(TraceStep::Kind kind, int32_t mark, std::span<const Val> in, std::span<Val> results);
  void scope(int level, bool recording);
  ShapeRecorder* recorder() { return recorder_.get(); }  // null when no size is open
  // The open dimensions of a tensor, as sizes in the list of ints that is attribute `at`.
  std::vector<TracedSize> attr_sizes(const Val& tensor, int32_t at);

  // What the entry needs to check and bind sizes; null when nothing was left open. `trace` is null
  // when all sizes became constant after all.
  std::unique_ptr<OpenSizes> finish(std::shared_ptr<const ShapeTrace>* trace);

 private:
  void note_place();
  void specialise_all(uint64_t symbols);
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
