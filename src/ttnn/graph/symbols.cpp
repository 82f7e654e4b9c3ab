#include "ttnn/graph/symbols.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
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

// A record at an offset of a file's bytes; zeros where the file is too short.
template <class T>
T record_at(std::span<const char> bytes, uint64_t offset) {
    T record{};
    if (offset <= bytes.size() && bytes.size() - offset >= sizeof(T)) {
        std::memcpy(&record, bytes.data() + offset, sizeof(T));
    }
    return record;
}

void read_section(std::span<const char> bytes, const Elf64_Ehdr& header, const Elf64_Shdr& symbols, Table& table) {
    const auto names = record_at<Elf64_Shdr>(bytes, header.e_shoff + uint64_t{symbols.sh_link} * header.e_shentsize);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = record_at<Elf64_Sym>(bytes, symbols.sh_offset + at);
        const uint64_t name = names.sh_offset + symbol.st_name;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value != 0 && name < bytes.size()) {
            const char* text = bytes.data() + name;
            table.push_back({symbol.st_value, symbol.st_size, std::string(text, strnlen(text, bytes.size() - name))});
        }
    }
}

Table read_table(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    const auto header = record_at<Elf64_Ehdr>(bytes, 0);
    Table table;
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
        return table;
    }
    for (uint64_t i = 0; i < header.e_shnum; ++i) {
        const auto section = record_at<Elf64_Shdr>(bytes, header.e_shoff + i * header.e_shentsize);
        if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) {
            read_section(bytes, header, section, table);
        }
    }
    std::ranges::sort(table, {}, &Function::start);
    return table;
}

const Table& table_of(const std::string& file) {
    static std::mutex mutex;
    static std::map<std::string, Table> tables;
    const std::lock_guard lock(mutex);
    const auto found = tables.find(file);
    return found != tables.end() ? found->second : tables.emplace(file, read_table(file)).first->second;
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
