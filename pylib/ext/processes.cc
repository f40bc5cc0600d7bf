#include "pylib/ext/processes.h"

#include "guards/py/gil.h"
#include "guards/py/text.h"
#include "kernels/eager/unlocked.h"
#include "kernels/processes/agreement.h"
#include "kernels/processes/collectives.h"
#include "kernels/processes/messages.h"
#include "pylib/ext/boundary.h"
#include "pylib/ext/tensor.h"

namespace msjit {
namespace {

// Reads arguments one after the other. All are positional: only msjit.communication calls this.
class Reader {
 public:
  Reader(const Args& args, const char* where, Py_ssize_t count) : args_(args), where_(where) {
    if (args.names || args.count != count) fail_with("number of arguments", args.count);
  }
  bool good() const { return good_; }
  int number() {
    int64_t value = 0;
    if (good_) good_ = int_from_object(next(), where_, "number", &value);
    if (good_ && value != static_cast<int>(value)) fail_with("number", value);
    return static_cast<int>(value);
  }
  int64_t long_number() {
    int64_t value = 0;
    if (good_) good_ = int_from_object(next(), where_, "number", &value);
    return value;
  }
  std::string text() {
    if (!good_) return {};
    const char* const found = utf8_text(next());
    if (!found) good_ = false;
    return found ? found : "";
  }
  IntList numbers() {
    IntList values;
    if (good_) good_ = ints_from_object(next(), where_, "numbers", &values);
    return values;
  }
  // None is a null tensor.
  Tensor tensor() {
    if (!good_) return {};
    PyObject* object = next();
    if (object == Py_None) return {};
    if (is_tensor(object)) return tensor_of(object);
    good_ = fail(type_error("[{}] tensor, got {}, expected a Tensor", where_, type_name(object)));
    return {};
  }
  // The tensor a collective writes to: its memory gets a new version.
  Tensor written() {
    Tensor t = tensor();
    if (good_ && t) good_ = is_writable(t, where_);
    if (good_ && t) t.bump_version();
    return t;
  }

 private:
  PyObject* next() { return args_.values[at_++]; }
  void fail_with(const char* what, int64_t value) {
    good_ = fail(value_error("[{}] {}, got {}, expected another", where_, what, value));
  }
  const Args& args_;
  const char* where_;
  Py_ssize_t at_ = 0;
  bool good_ = true;
};

// Makes a collective call without the GIL, because MPI waits for other processes in it. It works on
// copies of the tensor headers.
template <class Work>
Ref call(const Reader& reader, const Tensor& from, const Tensor& to, Work work) {
  if (!reader.good()) return {};
  if (!from && !to)
    return Ref::steal(raise(*type_error("[communication] tensor, got None, expected one")));
  const Tensor given[] = {from ? from : to, to ? to : from};
  for (const Tensor& t : given)
    if (!t.device().is_host())
      return Ref::steal(raise(*not_implemented_error(
          "[communication] device of a tensor, got {}, expected the CPU", t.device().str())));
  const StandIns own(given);
  Status status;
  {
    const GilRelease released;
    status = work(own.tensors()[0], own.tensors()[1]);
  }
  return succeeded(std::move(status)) ? Ref::none() : Ref();
}

Ref join(PyObject*) {
  auto joined = join_processes();
  if (!joined.ok()) return Ref::steal(raise(joined.error()));
  const ProcessWorld& w = joined.value();
  return Ref::steal(Py_BuildValue("(iis)", w.rank, w.size, w.library.c_str()));
}

Ref farewell(PyObject*) { return succeeded(say_farewell()) ? Ref::none() : Ref(); }

Ref leave(PyObject*) {
  Status status;
  {
    const GilRelease released;
    status = leave_processes();
  }
  return succeeded(std::move(status)) ? Ref::none() : Ref();
}

Ref abort_all(PyObject*, PyObject* status) {
  int64_t value = 1;
  if (!int_from_object(status, "abort", "status", &value)) return {};
  abort_processes(static_cast<int>(value));
}

Ref make_group(PyObject*, const Args& args) {
  Reader reader(args, "create_group", 2);
  const IntList ranks = reader.numbers();
  const int tag = reader.number();
  if (!reader.good()) return {};
  const auto make = [&] {
    const GilRelease released;
    return make_process_group({ranks.data(), ranks.size()}, tag);
  };
  auto made = make();
  return made.ok() ? Ref::steal(PyLong_FromLong(made.value())) : Ref::steal(raise(made.error()));
}

Ref free_group(PyObject*, const Args& args) {
  Reader reader(args, "destroy_group", 1);
  const int group = reader.number();
  return reader.good() && succeeded(free_process_group(group)) ? Ref::none() : Ref();
}

template <class Ask>
auto without_gil(Ask ask) {
  const GilRelease released;
  return ask();
}

Ref lock_group(PyObject*, const Args& args) {
  Reader reader(args, "lock", 1);
  const int group = reader.number();
  if (!reader.good()) return {};
  auto found = process_group(group);
  if (!found.ok()) return Ref::steal(raise(found.error()));
  without_gil([&] { return found.value().state->lock.lock(), 0; });
  return Ref::none();
}

Ref unlock_group(PyObject*, const Args& args) {
  Reader reader(args, "unlock", 1);
  const int group = reader.number();
  if (!reader.good()) return {};
  auto found = process_group(group);
  if (found.ok()) found.value().state->lock.unlock();
  return Ref::none();
}

Ref agree_function(PyObject*, const Args& args) {
  Reader reader(args, "agree", 2);
  const int group = reader.number();
  const int64_t value = reader.long_number();
  if (!reader.good()) return {};
  auto same = without_gil([&] { return agree(group, value); });
  return same.ok() ? Ref::share(same.value() ? Py_True : Py_False)
                   : Ref::steal(raise(same.error()));
}

Ref check_function(PyObject*, const Args& args) {
  Reader reader(args, "check", 4);
  const int group = reader.number();
  const CallText call{reader.text(), reader.text(), reader.text()};
  if (!reader.good()) return {};
  auto number = without_gil([&] { return agree_on_call(group, call, 0); });
  return number.ok() ? Ref::none() : Ref::steal(raise(number.error()));
}

Ref digest_function(PyObject*, const Args& args) {
  Reader reader(args, "digest", 1);
  const std::string text = reader.text();
  return reader.good() ? Ref::steal(PyLong_FromLongLong(text_digest(text))) : Ref();
}

Ref exchange_function(PyObject*, const Args& args) {
  Reader reader(args, "exchange", 2);
  const int group = reader.number();
  const std::string text = reader.text();
  if (!reader.good()) return {};
  auto texts = without_gil([&] { return exchange_texts(group, text); });
  if (!texts.ok()) return Ref::steal(raise(texts.error()));
  Ref list = Ref::steal(PyList_New(0));
  for (const std::string& one : texts.value()) {
    const Ref item = Ref::steal(
        PyUnicode_DecodeUTF8(one.data(), static_cast<Py_ssize_t>(one.size()), "replace"));
    if (!list || !item || PyList_Append(list.get(), item.get()) < 0) return {};
  }
  return list;
}

// Does nothing. msjit.communication calls it with a name before each call that is no operator:
// there a capture ends its region and reports that name (bytecode/builtins/processes.cc).
Ref collective(PyObject*, PyObject*) { return Ref::none(); }

Ref all_gather_function(PyObject*, const Args& args) {
  Reader reader(args, "all_gather", 4);
  const int group = reader.number();
  const Tensor from = reader.tensor(), to = reader.written();
  const IntList counts = reader.numbers();
  return call(reader, from, to, [&](const Tensor& a, const Tensor& b) {
    return all_gather(group, a, b, {counts.data(), counts.size()});
  });
}

Ref broadcast_function(PyObject*, const Args& args) {
  Reader reader(args, "broadcast", 3);
  const int group = reader.number();
  const Tensor data = reader.written();
  const int root = reader.number();
  return call(reader, data, data,
              [&](const Tensor&, const Tensor& b) { return broadcast(group, b, root); });
}

Ref all_to_all_function(PyObject*, const Args& args) {
  Reader reader(args, "all_to_all", 5);
  const int group = reader.number();
  const Tensor from = reader.tensor(), to = reader.written();
  const IntList sent = reader.numbers(), received = reader.numbers();
  return call(reader, from, to, [&](const Tensor& a, const Tensor& b) {
    return all_to_all(group, a, b, {sent.data(), sent.size()}, {received.data(), received.size()});
  });
}

template <Result<int64_t> (*begin)(int, const Tensor&, int, int), bool writes>
Ref begin_message(PyObject*, const Args& args) {
  Reader reader(args, writes ? "recv" : "send", 4);
  const int group = reader.number();
  const Tensor data = writes ? reader.written() : reader.tensor();
  const int rank = reader.number(), tag = reader.number();
  if (!reader.good()) return {};
  if (!data)
    return Ref::steal(raise(*type_error("[communication] tensor, got None, expected one")));
  const Tensor given[] = {data};
  auto number = begin(group, StandIns(given).tensors()[0], rank, tag);
  return number.ok() ? Ref::steal(PyLong_FromLongLong(number.value()))
                     : Ref::steal(raise(number.error()));
}

Ref wait_function(PyObject*, const Args& args) {
  Reader reader(args, "wait", 1);
  const int64_t number = reader.long_number();
  if (!reader.good()) return {};
  auto message = take_message(number);
  if (!message.ok()) return Ref::steal(raise(message.error()));
  Status status;
  {
    const GilRelease released;
    status = wait_message(message.take());
  }
  return succeeded(std::move(status)) ? Ref::none() : Ref();
}

PyMethodDef g_functions[] = {
    method0<join>("join_processes",
                  "join_processes()\n--\n\n(rank, size, MPI library) of the processes of mpirun."),
    method0<farewell>(
        "say_farewell",
        "say_farewell()\n--\n\nTells the others that this process calls nothing more."),
    method0<leave>("leave_processes", "leave_processes()\n--\n\nWaits for all, and ends MPI."),
    method1<abort_all>("abort_processes", "abort_processes(status)\n--\n\nEnds all processes."),
    method<make_group>("make_process_group",
                       "make_process_group(ranks, tag)\n--\n\nThe number of a new group."),
    method<free_group>("free_process_group", "free_process_group(group)\n--\n\nForgets a group."),
    method1<collective>("collective",
                        "collective(name)\n--\n\nNothing: a call of this name comes."),
    method<agree_function>("agree",
                           "agree(group, value)\n--\n\nWhether all members came with this int."),
    method<check_function>("check",
                           "check(group, where, dtypes, details)\n--\n\nRaises if the members "
                           "differ in one of the texts."),
    method<digest_function>("digest", "digest(text)\n--\n\nThe same int in every process."),
    method<exchange_function>("exchange", "exchange(group, text)\n--\n\nThe texts of all members."),
    method<lock_group>("lock", "lock(group)\n--\n\nWaits for the calls of other threads."),
    method<unlock_group>("unlock", "unlock(group)\n--\n\nAfter lock, on the same thread."),
    method<all_gather_function>("all_gather", "all_gather(group, x, out, counts)\n--\n\n"),
    method<broadcast_function>("broadcast", "broadcast(group, x, root)\n--\n\nIn place."),
    method<all_to_all_function>("all_to_all", "all_to_all(group, x, out, sent, received)\n--\n\n"),
    method<begin_message<begin_send, false>>(
        "begin_send", "begin_send(group, x, rank, tag)\n--\n\nA number for wait_message."),
    method<begin_message<begin_receive, true>>(
        "begin_receive", "begin_receive(group, out, rank, tag)\n--\n\nA number for wait_message."),
    method<wait_function>("wait_message",
                          "wait_message(number)\n--\n\nUntil the memory may be used again."),
    {nullptr}};

}  // namespace

bool add_processes(PyObject* module) {
  PyObject* processes = PyImport_AddModule("msjit._msjit.processes");  // lent
  return processes && PyModule_AddFunctions(processes, g_functions) == 0 &&
         compat::add_object(module, "processes", Ref::share(processes)) == 0;
}

}  // namespace msjit
