#include "ttnn/graph/symbols.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <vector>

#include <elf.h>

namespace ttnn::graph {
namespace {

struct Function {
    uint64_t start;
    uint64_t size;
    std::string name;
};
using Table = std::vector<Function>;  // by start

// Only its symbol tables are read: some libraries have hundreds of megabytes.
class ElfFile {
public:
    explicit ElfFile(const std::string& path) : stream_(path, std::ios::binary), header_(record<Elf64_Ehdr>(0)) {}

    Table functions() {
        Table table;
        if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 || header_.e_ident[EI_CLASS] != ELFCLASS64) {
            return table;
        }
        for (uint64_t i = 0; i < header_.e_shnum; ++i) {
            const Elf64_Shdr section = section_at(i);
            if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) {
                read_section(section, table);
            }
        }
        std::ranges::sort(table, {}, &Function::start);
        return table;
    }

private:
    // Shorter, where the file is.
    std::string bytes(uint64_t offset, uint64_t size) {
        constexpr uint64_t largest = uint64_t{1} << 30;
        std::string text(std::min(size, largest), '\0');
        stream_.clear();
        stream_.seekg(static_cast<std::streamoff>(std::min(offset, uint64_t{1} << 62)));
        stream_.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<size_t>(std::max<std::streamsize>(stream_.gcount(), 0)));
        return text;
    }

    // Zeros where the file is too short.
    template <class T>
    T record(uint64_t offset) {
        T record{};
        const std::string text = bytes(offset, sizeof(T));
        std::memcpy(&record, text.data(), text.size());
        return record;
    }

    Elf64_Shdr section_at(uint64_t index) { return record<Elf64_Shdr>(header_.e_shoff + index * header_.e_shentsize); }

    void read_section(const Elf64_Shdr& section, Table& table) {
        const Elf64_Shdr names_section = section_at(section.sh_link);
        const std::string names = bytes(names_section.sh_offset, names_section.sh_size);
        const std::string symbols = bytes(section.sh_offset, section.sh_size);
        for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol{};
            std::memcpy(&symbol, symbols.data() + at, sizeof(symbol));
            if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value != 0 && symbol.st_name < names.size()) {
                table.push_back({symbol.st_value, symbol.st_size, std::string(names.c_str() + symbol.st_name)});
            }
        }
    }

    std::ifstream stream_;
    Elf64_Ehdr header_;
};

const Table& table_of(const std::string& file) {
    static std::mutex mutex;
    static std::map<std::string, Table> tables;
    const std::lock_guard lock(mutex);
    const auto found = tables.find(file);
    return found != tables.end() ? found->second : tables.emplace(file, ElfFile(file).functions()).first->second;
}

}  // namespace

Symbol find_symbol(const std::string& file, uint64_t offset) {
    const Table& table = table_of(file);
    const auto after = std::ranges::upper_bound(table, offset, {}, &Function::start);
    if (after == table.begin()) {
        return {};
    }
    const Function& function = *std::prev(after);
    const uint64_t into = offset - function.start;
    return into < std::max<uint64_t>(function.size, 1) ? Symbol{function.name, into} : Symbol{};
}

}  // namespace ttnn::graph
