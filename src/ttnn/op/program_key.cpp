#include "ttnn/op/program_key.hpp"

#include <algorithm>
#include <cstring>

namespace ttnn {
namespace {

// Mixes in the pieces of an argument as they come; every piece begins with what it is.
class KeySink final : public tracelift::ValueSink {
public:
    explicit KeySink(ProgramKey& key) : key_(key) {}

    void null() override { key_.add('n'); }
    void boolean(bool value) override { key_.add(value ? 't' : 'f'); }
    void integer(int64_t value) override { add('i', value); }
    void number(double value) override { add('d', value); }
    void text(std::string_view value) override { add('s', value); }
    void enumerator(std::string_view type, std::string_view member) override { add('e', type, member); }
    void object(std::string_view type, std::string_view text) override { add('o', type, text); }
    void unparsed(std::string_view text, std::string_view reason) override { add('u', text, reason); }
    void list(size_t size) override { add('l', size); }
    void dict(size_t size) override { add('m', size); }
    void record(std::string_view type, size_t size) override { add('r', type, size); }
    void key(std::string_view) override {}  // follows from the record that it is in, or from its value

private:
    template <class... Ts>
    void add(char what, Ts... values) {
        key_.add(what);
        (key_.add(values), ...);
    }

    ProgramKey& key_;
};

}  // namespace

void ProgramKey::add(std::string_view text) {
    mix(text.size());
    while (!text.empty()) {
        uint64_t word = 0;
        const size_t count = std::min(text.size(), sizeof(word));
        std::memcpy(&word, text.data(), count);
        mix(word);
        text.remove_prefix(count);
    }
}

void ProgramKey::add(const Shape& shape) {
    mix(shape.rank());
    for (const uint32_t dim : shape) {
        mix(dim);
    }
}

void ProgramKey::add(const CoreRangeSet& cores) {
    mix(cores.size());
    for (const CoreRange& range : cores.ranges()) {
        mix(uint64_t{range.start.x} << 32 | range.start.y);
        mix(uint64_t{range.end.x} << 32 | range.end.y);
    }
}

void ProgramKey::add(const UnaryWithParam& function) {
    mix(static_cast<uint64_t>(function.op_type));
    add(std::span<const float>(function.params));
}

void ProgramKey::add_shards(const MemoryConfig& config) {
    add(config.created_with_nd_shard_spec());
    if (config.created_with_nd_shard_spec()) {
        const NdShardSpec& spec = *config.nd_shard_spec();
        add(spec.shard_shape);
        add(spec.grid);
        mix(static_cast<uint64_t>(spec.orientation) << 8 | static_cast<uint64_t>(spec.shard_distribution_strategy));
    } else if (const auto& spec = config.shard_spec()) {
        mix(uint64_t{spec->shape[0]} << 32 | spec->shape[1]);
        add(spec->grid);
        add(spec->orientation);
    }
}

void ProgramKey::add_arguments(std::span<const ArgumentRef> arguments) {
    KeySink sink(*this);
    for (const ArgumentRef& argument : arguments) {
        if (argument.tells_programs && !argument.is_tensor) {
            argument.put(argument, sink);
        }
    }
}

}  // namespace ttnn
