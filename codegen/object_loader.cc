#include "codegen/object_loader.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>

#include <cstring>
#include <limits>
#include <vector>

namespace msjit {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kMaxAlign = 64;   // of a section: a vector
constexpr size_t kStubBytes = 16;  // a jump to an address anywhere

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

ErrorPtr malformed(const char* what) {
  return internal_error("[load] object file of a kernel, got a wrong or missing part: {}", what);
}

// Reads the tables of the object file. Every offset and count is checked before use.
class ObjectFile {
 public:
  Status open(std::string_view bytes) {
    bytes_ = bytes;
    Elf64_Ehdr header;
    if (!read(0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != EM_X86_64 || header.e_type != ET_REL)
      return malformed("the header");
    if (!read_table(header.e_shoff, header.e_shnum, &sections)) return malformed("the sections");
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type != SHT_SYMTAB) continue;
      if (section.sh_link >= sections.size() ||
          !read_table(section.sh_offset, section.sh_size / sizeof(Elf64_Sym), &symbols))
        return malformed("the symbols");
      names_ = contents(sections[section.sh_link]);
    }
    return {};
  }

  // Empty when they lie outside the file.
  std::string_view contents(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size() ||
        section.sh_size > bytes_.size() - section.sh_offset)
      return {};
    return bytes_.substr(section.sh_offset, section.sh_size);
  }
  bool relocations(const Elf64_Shdr& section, std::vector<Elf64_Rela>* out) const {
    return read_table(section.sh_offset, section.sh_size / sizeof(Elf64_Rela), out);
  }
  std::string name(const Elf64_Sym& symbol) const {
    if (symbol.st_name >= names_.size()) return {};
    const std::string_view rest = names_.substr(symbol.st_name);
    return std::string(rest.substr(0, rest.find('\0')));
  }

  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Sym> symbols;

 private:
  template <class T>
  bool read(size_t offset, T* out) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) return false;
    std::memcpy(out, bytes_.data() + offset, sizeof(T));
    return true;
  }
  template <class T>
  bool read_table(size_t offset, size_t count, std::vector<T>* out) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) return false;
    out->resize(count);
    if (count) std::memcpy(out->data(), bytes_.data() + offset, count * sizeof(T));
    return true;
  }

  std::string_view bytes_, names_;
};

// Where the sections go: code with the stubs behind it, then read-only data on separate pages.
struct Placement {
  std::vector<size_t> offset;  // by section; kNone: not loaded
  size_t code_bytes = 0, bytes = 0, stubs = 0;
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();
};

Result<Placement> place_sections(const ObjectFile& file) {
  Placement place;
  place.offset.assign(file.sections.size(), Placement::kNone);
  size_t used = 0;
  for (const bool code : {true, false}) {
    for (size_t i = 0; i < file.sections.size(); ++i) {
      const Elf64_Shdr& section = file.sections[i];
      if (!(section.sh_flags & SHF_ALLOC) || section.sh_size == 0 ||
          static_cast<bool>(section.sh_flags & SHF_EXECINSTR) != code)
        continue;
      if (section.sh_type != SHT_PROGBITS || (section.sh_flags & SHF_WRITE) ||
          section.sh_addralign > kMaxAlign || file.contents(section).empty())
        return malformed("a section");
      used = round_up(used, std::max<size_t>(section.sh_addralign, 16));
      place.offset[i] = used;
      used += section.sh_size;
    }
    if (!code) continue;
    place.stubs = round_up(used, kStubBytes);
    size_t outside = 0;
    for (const Elf64_Sym& symbol : file.symbols) outside += symbol.st_shndx == SHN_UNDEF;
    used = place.code_bytes = round_up(place.stubs + outside * kStubBytes, kPage);
  }
  place.bytes = round_up(used, kPage);
  return place;
}

// Copies the sections into memory that is still writable and applies their relocations.
class Linker {
 public:
  Linker(const ObjectFile& file, const Placement& place, uint8_t* base)
      : file_(file), place_(place), base_(base), next_stub_(base + place.stubs) {}

  Status run() {
    for (size_t i = 0; i < file_.sections.size(); ++i) {
      if (place_.offset[i] == Placement::kNone) continue;
      const std::string_view contents = file_.contents(file_.sections[i]);
      std::memcpy(base_ + place_.offset[i], contents.data(), contents.size());
    }
    MSJIT_OK(find_symbols());
    for (const Elf64_Shdr& section : file_.sections)
      if (section.sh_type == SHT_RELA) MSJIT_OK(relocate(section));
    return {};
  }
  const uint8_t* kernel() const { return kernel_; }

 private:
  bool is_loaded(size_t section) const {
    return section < place_.offset.size() && place_.offset[section] != Placement::kNone;
  }

  Status find_symbols() {
    addresses_.resize(file_.symbols.size());
    for (size_t i = 1; i < file_.symbols.size(); ++i) {
      const Elf64_Sym& symbol = file_.symbols[i];
      if (symbol.st_shndx == SHN_UNDEF) {
        MSJIT_TRY(addresses_[i], stub_for(file_.name(symbol)));
      } else if (is_loaded(symbol.st_shndx)) {
        if (symbol.st_value > file_.sections[symbol.st_shndx].sh_size) return malformed("a symbol");
        addresses_[i] = base_ + place_.offset[symbol.st_shndx] + symbol.st_value;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && file_.name(symbol) == kKernelSymbol)
          kernel_ = addresses_[i];
      }
    }
    return kernel_ ? Status() : malformed("the entry");
  }

  // Calls reach 2 GiB. A function of the C library may be farther away, so calls to it go through a
  // stub.
  Result<uint8_t*> stub_for(const std::string& name) {
    const void* const target = dlsym(RTLD_DEFAULT, name.c_str());
    if (!target)
      return internal_error(
          "[load] function called by a kernel, got {}, expected one that the process has loaded",
          name);
    static constexpr uint8_t kJump[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *0(%rip)
    uint8_t* const stub = next_stub_;
    std::memcpy(stub, kJump, sizeof kJump);
    std::memcpy(stub + sizeof kJump, &target, sizeof target);
    next_stub_ += kStubBytes;
    return stub;
  }

  Status relocate(const Elf64_Shdr& table) {
    if (!is_loaded(table.sh_info)) return {};  // of debug information, say
    std::vector<Elf64_Rela> entries;
    if (!file_.relocations(table, &entries)) return malformed("the relocations");
    const size_t size = file_.sections[table.sh_info].sh_size;
    for (const Elf64_Rela& entry : entries) {
      const size_t index = ELF64_R_SYM(entry.r_info);
      if (index >= addresses_.size() || !addresses_[index] || entry.r_offset > size ||
          size - entry.r_offset < sizeof(int32_t))
        return malformed("a relocation");
      uint8_t* const at = base_ + place_.offset[table.sh_info] + entry.r_offset;
      const auto type = ELF64_R_TYPE(entry.r_info);
      if (type != R_X86_64_PC32 && type != R_X86_64_PLT32)
        return internal_error("[load] relocation {} of a kernel is not known", type);
      const auto distance = static_cast<int64_t>(static_cast<uint64_t>(addresses_[index] - at) +
                                                 static_cast<uint64_t>(entry.r_addend));
      if (distance != static_cast<int32_t>(distance)) return malformed("a distance");
      const auto narrow = static_cast<int32_t>(distance);
      std::memcpy(at, &narrow, sizeof narrow);
    }
    return {};
  }

  const ObjectFile& file_;
  const Placement& place_;
  uint8_t* const base_;
  uint8_t* next_stub_;
  std::vector<uint8_t*> addresses_;  // by symbol; null: not loaded
  const uint8_t* kernel_ = nullptr;
};

}  // namespace

LoadedObject::~LoadedObject() { munmap(base_, bytes_); }

Result<std::unique_ptr<LoadedObject>> LoadedObject::load(std::string_view object) {
  ObjectFile file;
  MSJIT_OK(file.open(object));
  MSJIT_TRY(const Placement place, place_sections(file));
  void* const at =
      mmap(nullptr, place.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    return memory_error("[load] no memory for a kernel of {} bytes", place.bytes);
  auto* const base = static_cast<uint8_t*>(at);
  std::unique_ptr<LoadedObject> loaded(new LoadedObject(base, place.bytes));
  Linker linker(file, place, base);
  MSJIT_OK(linker.run());
  if (mprotect(base, place.code_bytes, PROT_READ | PROT_EXEC) != 0 ||
      mprotect(base + place.code_bytes, place.bytes - place.code_bytes, PROT_READ) != 0)
    return runtime_error("[load] code pages could not be made executable");
  loaded->fn_ = reinterpret_cast<FusedFn>(const_cast<uint8_t*>(linker.kernel()));
  return loaded;
}

}  // namespace msjit
