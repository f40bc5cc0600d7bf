// Functions of re on known texts. They are called while capturing, as the methods of patterns and
// matches are (methods.cc).
#include "bytecode/builtins/models.h"
#include "bytecode/library.h"

namespace msjit {
namespace {

constexpr int64_t kDebug = 128;  // re.DEBUG: prints

// `most`: positional arguments; for more, some versions warn in every call. `flags`: their place.
template <size_t most, size_t flags>
bool call_re(Executor& x, BuiltinModel self, const char* name, Args args, PyObject* names,
             SymRef* out) {
  const size_t keywords = names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  if (args.size() > most + keywords) return wrong_arguments(x, name);
  std::vector<SymRef> plain;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!x.look(args[i])) return false;
    plain.push_back(plain_value(x, args[i]));  // flags are members of an enumeration
    int64_t number = 0;
    const bool may_be_flags = i >= args.size() - keywords || i == flags;
    const bool bytes = plain[i]->object && PyBytes_Check(plain[i]->object.get());
    if (bytes || (may_be_flags && to_int(x, plain[i], &number) && (number & kDebug)))
      return wrong_arguments(x, name);
  }
  return call_pure(x, modelled(self), name, plain, names, out);
}

#define MSJIT_RE(name, most, flags)                                              \
  bool model_##name(Executor& x, Args args, PyObject* names, SymRef* out) {      \
    return call_re<most, flags>(x, model_##name, "re." #name, args, names, out); \
  }
MSJIT_RE(match, 3, 2)
MSJIT_RE(fullmatch, 3, 2)
MSJIT_RE(search, 3, 2)
MSJIT_RE(findall, 3, 2)
MSJIT_RE(split, 2, 9)
MSJIT_RE(sub, 3, 9)
MSJIT_RE(subn, 3, 9)
MSJIT_RE(compile, 2, 1)
MSJIT_RE(escape, 1, 9)
#undef MSJIT_RE

const ModelRow kRegex[] = {
    {"match", model_match},     {"fullmatch", model_fullmatch}, {"search", model_search},
    {"findall", model_findall}, {"split", model_split},         {"sub", model_sub},
    {"subn", model_subn},       {"compile", model_compile},     {"escape", model_escape}};

}  // namespace

const ModelTable models_re = {"re", kRegex, {}};

}  // namespace msjit
