#include "kernels/device/cudnn.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <climits>

#include "kernels/core/log.h"
#include "kernels/device/library.h"

namespace msjit {

// From cudnn_ops.h and cudnn_cnn.h, which are not needed to build. Handles and descriptors are
// pointers, enumerations are ints.
struct CudnnChoice {
  int algorithm, status;
  float time;
  size_t memory;
  int is_deterministic, maths;
  int reserved[3];
};
static_assert(sizeof(CudnnChoice) == 48);

struct CudnnFunctions {
  using Code = int;  // cudnnStatus_t; 0 is success
  Code (*cudnnCreate)(void**);
  const char* (*cudnnGetErrorString)(Code);
  Code (*cudnnSetStream)(void*, void*);
  Code (*cudnnCreateTensorDescriptor)(void**);
  Code (*cudnnSetTensorNdDescriptor)(void*, int type, int rank, const int* dims,
                                     const int* strides);
  Code (*cudnnDestroyTensorDescriptor)(void*);
  Code (*cudnnCreateFilterDescriptor)(void**);
  Code (*cudnnSetFilterNdDescriptor)(void*, int type, int format, int rank, const int* dims);
  Code (*cudnnDestroyFilterDescriptor)(void*);
  Code (*cudnnCreateConvolutionDescriptor)(void**);
  Code (*cudnnSetConvolutionNdDescriptor)(void*, int rank, const int* pads, const int* strides,
                                          const int* dilations, int mode, int type);
  Code (*cudnnSetConvolutionGroupCount)(void*, int);
  Code (*cudnnSetConvolutionMathType)(void*, int);
  Code (*cudnnDestroyConvolutionDescriptor)(void*);
  Code (*cudnnAddTensor)(void*, const void* alpha, void* a_form, const void* a, const void* beta,
                         void* c_form, void* c);
  // One function per kind. The descriptors are those of the two inputs, the convolution and the
  // result.
  using Propose = Code (*)(void*, void*, void*, void*, void*, int wanted, int* given, CudnnChoice*);
  using Try = Code (*)(void*, void*, const void*, void*, const void*, void*, void*, void*,
                       int wanted, int* given, CudnnChoice*, void* scratch, size_t);
  using Measure = Code (*)(void*, void*, void*, void*, void*, int algorithm, size_t* scratch);
  using Run = Code (*)(void*, const void* alpha, void*, const void*, void*, const void*, void*,
                       int algorithm, void* scratch, size_t, const void* beta, void*, void*);
  Propose propose[3];
  Try try_all[3];
  Measure measure[3];
  Run run[3];
};

namespace {

constexpr const char* kNames[] = {"libcudnn.so.9", "libcudnn.so.8"};
// Libraries that cuDNN opens by name. Opening them here finds them when only Python packages have
// them.
constexpr const char* kNeeded[][2] = {{"libcublasLt.so.13", "libcublasLt.so.12"},
                                      {"libcublas.so.13", "libcublas.so.12"},
                                      {"libnvrtc.so.13", "libnvrtc.so.12"}};
constexpr int kPlain = 0, kCrossCorrelation = 1;              // of filters, of convolutions
constexpr int kDefaultMaths = 0, kTensorCores = 1, kFma = 3;  // kDefaultMaths: TF32 for float32
constexpr int kMostChoices = 10;
constexpr size_t kMostScratch = size_t{1} << 30, kTrialScratch = size_t{256} << 20;

int type_code(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return 0;
    case DType::kFloat64: return 1;
    case DType::kFloat16: return 2;
    case DType::kBFloat16: return 9;
    default: return -1;
  }
}

template <class Function>
bool find(void* library, const char* name, Function* to) {
  *to = reinterpret_cast<Function>(dlsym(library, name));
  return *to != nullptr;
}

// In the order of DeviceConvolution::Kind.
bool find_kinds(void* library, CudnnFunctions* f) {
  const char* const kinds[][4] = {
      {"cudnnGetConvolutionForwardAlgorithm_v7", "cudnnFindConvolutionForwardAlgorithmEx",
       "cudnnGetConvolutionForwardWorkspaceSize", "cudnnConvolutionForward"},
      {"cudnnGetConvolutionBackwardDataAlgorithm_v7", "cudnnFindConvolutionBackwardDataAlgorithmEx",
       "cudnnGetConvolutionBackwardDataWorkspaceSize", "cudnnConvolutionBackwardData"},
      {"cudnnGetConvolutionBackwardFilterAlgorithm_v7",
       "cudnnFindConvolutionBackwardFilterAlgorithmEx",
       "cudnnGetConvolutionBackwardFilterWorkspaceSize", "cudnnConvolutionBackwardFilter"}};
  bool all = true;
  for (int i = 0; i < 3; ++i)
    all = all && find(library, kinds[i][0], &f->propose[i]) &&
          find(library, kinds[i][1], &f->try_all[i]) &&
          find(library, kinds[i][2], &f->measure[i]) && find(library, kinds[i][3], &f->run[i]);
  return all;
}

bool find_all(void* library, CudnnFunctions* f) {
#define MSJIT_CUDNN(name) find(library, #name, &f->name)
  return MSJIT_CUDNN(cudnnCreate) && MSJIT_CUDNN(cudnnGetErrorString) &&
         MSJIT_CUDNN(cudnnSetStream) && MSJIT_CUDNN(cudnnCreateTensorDescriptor) &&
         MSJIT_CUDNN(cudnnSetTensorNdDescriptor) && MSJIT_CUDNN(cudnnDestroyTensorDescriptor) &&
         MSJIT_CUDNN(cudnnCreateFilterDescriptor) && MSJIT_CUDNN(cudnnSetFilterNdDescriptor) &&
         MSJIT_CUDNN(cudnnDestroyFilterDescriptor) &&
         MSJIT_CUDNN(cudnnCreateConvolutionDescriptor) &&
         MSJIT_CUDNN(cudnnSetConvolutionNdDescriptor) &&
         MSJIT_CUDNN(cudnnSetConvolutionGroupCount) && MSJIT_CUDNN(cudnnSetConvolutionMathType) &&
         MSJIT_CUDNN(cudnnDestroyConvolutionDescriptor) && MSJIT_CUDNN(cudnnAddTensor) &&
         find_kinds(library, f);
#undef MSJIT_CUDNN
}

// Whether cuDNN says that it does not support something; the numbers are those of version 9 and 8.
bool is_unsupported(int code) { return code == 9 || code / 1000 == 3; }

// The settings from the environment, which may change from call to call.
constexpr int kTf32 = 1, kAny = 2, kSearch = 4;
int settings() {
  return env_flag("MSJIT_TF32") * kTf32 + env_flag("MSJIT_CUDNN_ANY") * kAny +
         env_flag("MSJIT_CUDNN_SEARCH") * kSearch;
}

// float32 in full precision uses plain FMA maths. The other dtypes take the maths with which the
// algorithm is fastest.
int maths_of(DType dtype) {
  if (dtype == DType::kFloat64) return kDefaultMaths;
  if (dtype != DType::kFloat32) return kTensorCores;
  return settings() & kTf32 ? kDefaultMaths : kFma;
}

bool fits_int(const DeviceConvolution& c) {
  const auto elements = [](int64_t a, int64_t b, const int64_t* image) {
    return a * b * image[0] * image[1];
  };
  return elements(c.batch, c.in_channels, c.in) <= INT_MAX &&
         elements(c.batch, c.out_channels, c.out) <= INT_MAX &&
         elements(c.out_channels, c.in_channels, c.kernel) <= INT_MAX &&
         std::max(c.pad[0], c.pad[1]) <= INT_MAX && std::max(c.stride[0], c.stride[1]) <= INT_MAX &&
         std::max(c.dilation[0], c.dilation[1]) <= INT_MAX;
}

}  // namespace

struct Cudnn::Problem {
  explicit Problem(const CudnnFunctions& functions) : f(functions) {}
  ~Problem() {
    for (void* tensor : {x, y, bias})
      if (tensor) f.cudnnDestroyTensorDescriptor(tensor);
    if (weight) f.cudnnDestroyFilterDescriptor(weight);
    if (convolution) f.cudnnDestroyConvolutionDescriptor(convolution);
  }
  Problem(const Problem&) = delete;

  const CudnnFunctions& f;
  void *x = nullptr, *y = nullptr, *bias = nullptr, *weight = nullptr, *convolution = nullptr;
  int algorithm = 0;
  size_t scratch = 0;
};

// The inputs and the result of a kind, in cuDNN's order.
struct Cudnn::Operands {
  Operands(DeviceConvolution::Kind kind, const DeviceConvolutionData& data) {
    if (kind == DeviceConvolution::kForward) a = data.x, b = data.weight, result = data.y;
    if (kind == DeviceConvolution::kInputGrad) a = data.weight, b = data.y, result = data.x;
    if (kind == DeviceConvolution::kWeightGrad) a = data.x, b = data.y, result = data.weight;
  }
  // Their descriptors in that order.
  struct Forms {
    void *a, *b, *result;
  };
  static Forms forms(DeviceConvolution::Kind kind, const Problem& p) {
    if (kind == DeviceConvolution::kForward) return {p.x, p.weight, p.y};
    if (kind == DeviceConvolution::kInputGrad) return {p.weight, p.y, p.x};
    return {p.x, p.y, p.weight};
  }
  void *a = nullptr, *b = nullptr, *result = nullptr;
};

Cudnn::Cudnn(const char* library) : library_(library) {}
Cudnn::~Cudnn() = default;

Status Cudnn::check(const char* what, int code) const {
  if (code == 0) return {};
  const char* words = f_->cudnnGetErrorString(code);
  if (is_unsupported(code))
    return not_implemented_error("[cudnn] {}, got {} ({})", what, words, code);
  return runtime_error("[cudnn] {}, got {} ({}), expected success", what, words, code);
}

Status Cudnn::open() {
  if (tried_) return {};
  tried_ = true;
  if (!library_)
    for (const auto& needed : kNeeded) open_library(needed);
  const char* const named[] = {library_};
  void* const library = library_ ? open_library(named) : open_library(kNames);
  auto functions = std::make_unique<CudnnFunctions>();
  if (!library || !find_all(library, functions.get())) {
    MSJIT_LOGF(LogTopic::kDevice, "cuDNN is not here ({}): convolutions run on the host",
               library ? "functions are missing" : dlerror());
    return {};
  }
  f_ = std::move(functions);
  const Status status = check("handle", f_->cudnnCreate(&handle_));
  if (!status.ok()) f_.reset();
  return status.ok() ? Status() : make_error(status.error().kind, "{}", status.error().message);
}

Status Cudnn::describe(const DeviceConvolution& c, Problem* p) {
  const int type = type_code(c.dtype);
  const auto narrow = [](int64_t n) { return static_cast<int>(n); };
  const auto tensor = [&](void** form, const char* what, std::array<int, 4> dims) -> Status {
    MSJIT_OK(check(what, f_->cudnnCreateTensorDescriptor(form)));
    const int strides[] = {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
    return check(what, f_->cudnnSetTensorNdDescriptor(*form, type, 4, dims.data(), strides));
  };
  MSJIT_OK(tensor(&p->x, "form of images",
                  {narrow(c.batch), narrow(c.in_channels), narrow(c.in[0]), narrow(c.in[1])}));
  MSJIT_OK(tensor(&p->y, "form of results",
                  {narrow(c.batch), narrow(c.out_channels), narrow(c.out[0]), narrow(c.out[1])}));
  if (c.has_bias) MSJIT_OK(tensor(&p->bias, "form of a bias", {1, narrow(c.out_channels), 1, 1}));
  const int weight[] = {narrow(c.out_channels), narrow(c.in_channels / c.groups),
                        narrow(c.kernel[0]), narrow(c.kernel[1])};
  MSJIT_OK(check("form of weights", f_->cudnnCreateFilterDescriptor(&p->weight)));
  MSJIT_OK(
      check("form of weights", f_->cudnnSetFilterNdDescriptor(p->weight, type, kPlain, 4, weight)));
  const int pads[] = {narrow(c.pad[0]), narrow(c.pad[1])},
            strides[] = {narrow(c.stride[0]), narrow(c.stride[1])},
            dilations[] = {narrow(c.dilation[0]), narrow(c.dilation[1])};
  const int computed = c.dtype == DType::kFloat64 ? type : type_code(DType::kFloat32);
  MSJIT_OK(check("convolution", f_->cudnnCreateConvolutionDescriptor(&p->convolution)));
  MSJIT_OK(check("convolution",
                 f_->cudnnSetConvolutionNdDescriptor(p->convolution, 2, pads, strides, dilations,
                                                     kCrossCorrelation, computed)));
  MSJIT_OK(check("groups", f_->cudnnSetConvolutionGroupCount(p->convolution, narrow(c.groups))));
  return check("maths", f_->cudnnSetConvolutionMathType(p->convolution, maths_of(c.dtype)));
}

Status Cudnn::choose(const DeviceConvolution& c, const Operands& operands,
                     const DeviceScratch& scratch, Problem* p) {
  CudnnChoice choices[kMostChoices];
  int given = 0;
  const Operands::Forms forms = Operands::forms(c.kind, *p);
  if (settings() & kSearch) {
    MSJIT_TRY(void* const memory, scratch(kTrialScratch));
    MSJIT_OK(check("trial of algorithms",
                   f_->try_all[c.kind](handle_, forms.a, operands.a, forms.b, operands.b,
                                       p->convolution, forms.result, operands.result, kMostChoices,
                                       &given, choices, memory, kTrialScratch)));
  } else {
    MSJIT_OK(check("algorithms", f_->propose[c.kind](handle_, forms.a, forms.b, p->convolution,
                                                     forms.result, kMostChoices, &given, choices)));
  }
  const bool strict = maths_of(c.dtype) == kFma;
  for (const bool deterministic : {true, false})
    for (int i = 0; i < given; ++i) {
      const CudnnChoice& choice = choices[i];
      if (choice.status != 0 || choice.memory > kMostScratch) continue;
      if (deterministic && !choice.is_deterministic && !(settings() & kAny)) continue;
      const int maths = strict ? kFma : choice.maths;
      size_t bytes = 0;
      if (f_->cudnnSetConvolutionMathType(p->convolution, maths) != 0 ||
          f_->measure[c.kind](handle_, forms.a, forms.b, p->convolution, forms.result,
                              choice.algorithm, &bytes) != 0 ||
          bytes > kMostScratch)
        continue;
      p->algorithm = choice.algorithm;
      p->scratch = bytes;
      MSJIT_LOGF(LogTopic::kDevice,
                 "[cudnn] kind {} {} n{} c{} {}x{} k{} {}x{}: algorithm {}, maths {}, {} bytes",
                 static_cast<int>(c.kind), dtype_name(c.dtype), c.batch, c.in_channels, c.in[0],
                 c.in[1], c.out_channels, c.kernel[0], c.kernel[1], p->algorithm, maths, bytes);
      return {};
    }
  return not_implemented_error("[cudnn] algorithms, got none of {} that fits", given);
}

Result<Cudnn::Problem*> Cudnn::problem_for(const DeviceConvolution& c, const Operands& operands,
                                           const DeviceScratch& scratch) {
  std::unique_ptr<Problem>& known = problems_[{c, settings()}];
  if (known) return known.get();
  auto made = std::make_unique<Problem>(*f_);
  MSJIT_OK(describe(c, made.get()));
  MSJIT_OK(choose(c, operands, scratch, made.get()));
  known = std::move(made);
  return known.get();
}

Status Cudnn::convolve(const DeviceConvolution& c, const DeviceConvolutionData& data,
                       const DeviceScratch& scratch, DeviceStream stream) {
  std::lock_guard lock(mutex_);
  MSJIT_OK(open());
  if (!f_ || type_code(c.dtype) < 0 || !fits_int(c))
    return not_implemented_error("[cudnn] convolution, got {} of {}, expected libcudnn", c.batch,
                                 dtype_name(c.dtype));
  MSJIT_OK(check("stream", f_->cudnnSetStream(handle_, stream.handle)));
  const Operands operands(c.kind, data);
  MSJIT_TRY(const Problem* const p, problem_for(c, operands, scratch));
  void* memory = nullptr;
  if (p->scratch) {
    MSJIT_TRY(memory, scratch(p->scratch));
  }
  const float one = 1, zero = 0;
  const double wide_one = 1, wide_zero = 0;
  const bool wide = c.dtype == DType::kFloat64;
  const void* alpha = wide ? static_cast<const void*>(&wide_one) : &one;
  const void* beta = wide ? static_cast<const void*>(&wide_zero) : &zero;
  const Operands::Forms forms = Operands::forms(c.kind, *p);
  MSJIT_OK(check("convolution", f_->run[c.kind](handle_, alpha, forms.a, operands.a, forms.b,
                                                operands.b, p->convolution, p->algorithm, memory,
                                                p->scratch, beta, forms.result, operands.result)));
  if (!c.has_bias) return {};
  return check("bias", f_->cudnnAddTensor(handle_, alpha, p->bias, data.bias, alpha, p->y, data.y));
}

}  // namespace msjit
