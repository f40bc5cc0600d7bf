// Decoded code as text, for tests and for reading.
#include "bytecode/decode.h"
#include "bytecode/versions/version.h"
#include "guards/py/host_call.h"
#include "guards/py/text.h"

namespace msjit {
namespace {

std::string repr_text(Borrowed object) {
  const Ref repr = Ref::steal(host::call(host::checked, PyObject_Repr, object.get()));
  const char* text = repr ? utf8_text(repr.get()) : nullptr;
  if (text) return text;
  PyErr_Clear();
  return "?";
}

std::string name_text(Borrowed name) {
  const char* text = utf8_text(name.get());
  if (text) return text;
  PyErr_Clear();
  return "?";
}

std::string operand_text(const DecodedCode& code, const Instr& instr) {
  switch (operand_of(instr.op).kind) {
    case Operand::kConstant: return repr_text(code.constant(instr.arg));
    case Operand::kSlot:
    case Operand::kCell: return name_text(code.slot_name(instr.arg));
    case Operand::kName: return name_text(code.name(instr.arg));
    default: break;
  }
  switch (instr.op) {
    case Op::kUnary: return unary_symbol(instr.unary());
    case Op::kBinary: return binary_symbol(instr.binary());
    case Op::kInplaceBinary: return std::string(binary_symbol(instr.binary())) + "=";
    case Op::kCompare: {
      constexpr const char* kSymbols[] = {"<", "<=", "==", "!=", ">", ">="};
      return instr.arg >= 0 && instr.arg < 6 ? kSymbols[instr.arg] : "?";
    }
    case Op::kCall:
      if (instr.aux == kNamesNone) return std::to_string(instr.arg);
      return fmt::format(
          "{} names={}", instr.arg,
          instr.aux == kNamesOnStack ? "stack" : repr_text(code.constant(instr.aux)));
    case Op::kUnsupported: {
      const char* name = version::opcode_name(instr.arg);
      return name ? name : "?";
    }
    case Op::kBuildUnpack: {
      constexpr const char* kInto[] = {"tuple", "list", "set", "map", "arguments", "keywords"};
      return fmt::format("{} into {}", instr.arg, kInto[instr.aux]);
    }
    case Op::kLoadInt: return std::to_string(instr.arg);
    default: return instr.arg ? std::to_string(instr.arg) : std::string();
  }
}

}  // namespace

std::string instr_text(const DecodedCode& code, int index) {
  const Instr& instr = code[index];
  std::string text = op_name(instr.op);
  const std::string operand = operand_text(code, instr);
  if (!operand.empty()) text += " " + operand;
  if (instr.target >= 0) text += fmt::format(" -> {}", instr.target);
  return text;
}

std::string dump_bytecode(PyCodeObject* code) {
  auto decoded = decode(code);
  if (!decoded.ok()) return decoded.error().message + "\n";
  const DecodedCode& d = *decoded.value();
  std::string out;
  for (int i = 0; i < d.size(); i++) {
    const Instr& instr = d[i];
    const HandlerRange* handler = d.handler(i);
    out += fmt::format("{:4} {} {:5} [{}]{}{} {}\n", i, instr.is_exit() ? '*' : ' ',
                       instr.flags & Instr::kNewLine ? fmt::format("L{}", instr.line) : "",
                       d.depth(i), instr.flags & Instr::kInHandler ? "!" : "",
                       handler ? fmt::format(" ^{}", handler->target) : "", instr_text(d, i));
  }
  return out;
}

}  // namespace msjit
