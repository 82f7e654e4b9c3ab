#include "tracelift/report/memory.hpp"

#include <algorithm>

#include "tracelift/report/core_ranges.hpp"

namespace tracelift::report {
namespace {

bool is_l1(const NodeView& node) { return node.text("type") == "L1"; }
bool is_dram(const NodeView& node) { return node.text("type") == "DRAM"; }

}  // namespace

Memory::Memory(Context& context, const NodeReader& recent)
    : context_(context), look_(context.report, recent), spans_(context.own->spans, context.own->next_epoch) {}

MaybeInt Memory::device_of(const NodeView& node) const {
    const auto id = node.integer("device_id");
    return id ? MaybeInt(context_.devices.number_of(*id)) : std::nullopt;
}

int64_t Memory::size_of(const NodeView& node) {
    const auto size = node.integer("size");
    if (!size || *size < 0) {
        context_.warn("sizes of buffers that are not whole numbers, taken as 0");
        return 0;
    }
    return *size;
}

// Of a buffer whose allocation is not in the report, from its node and its tensor.
int64_t Memory::unallocated_per_bank(const NodeView& buffer, int64_t size) {
    const auto banks = context_.devices.banks_of(buffer.integer("device_id").value_or(0));
    int64_t parts = is_dram(buffer) ? banks.dram : banks.l1;
    const auto links = buffer.links();
    const auto tensor = links.empty() ? std::nullopt : context_.report.position_of(links.front());
    if (tensor && buffer.text("layout") != "INTERLEAVED") {
        CoreSet cores;
        cores.add(look_.read(*tensor).text("memory_config"));
        parts = cores.size() > 0 ? static_cast<int64_t>(cores.size()) : parts;
    }
    return parts > 0 ? size / parts + (size % parts != 0 ? 1 : 0) : size;
}

void Memory::event(int64_t counter, std::optional<int64_t> operation, std::string_view kind,
                   const MemoryEventRow& row) {
    MemoryEventRow event = row;
    event.report_id = context_.report_id;
    event.counter = counter;
    event.operation_id = operation;
    event.kind = kind;
    event.l1_total = l1_;
    event.cb_total = cb_;
    event.dram_total = dram_;
    context_.own->events(event);
}

void Memory::function_start(const NodeView& node) {
    count_input();
    expects_inputs_ = open_functions_++ == 0;
    input_counter_ = node.counter;
}

void Memory::function_end() {
    other();
    open_functions_ -= open_functions_ > 0 ? 1 : 0;
}

void Memory::buffer(const NodeView& node, std::optional<int64_t> operation) {
    if (!expects_inputs_) {
        return;
    }
    count_input();
    expects_inputs_ = is_l1(node);
    if (expects_inputs_) {
        const int64_t size = size_of(node);
        input_ = Input{node.position, node.counter, operation, device_of(node), size, unallocated_per_bank(node, size)};
    }
}

void Memory::count_input() {
    if (const auto input = std::exchange(input_, std::nullopt)) {
        l1_ = limited_sum(l1_, input->size);
        event(input_counter_, input->operation, "input",
              {.buffer = input->counter,
               .device_id = input->device_id,
               .size = input->size,
               .buffer_type = 1,
               .per_bank = input->per_bank});
    }
}

void Memory::fill_at_start(int64_t next) {
    const auto list = context_.report.find("buffers_at_start");
    if (!list) {
        return;
    }
    AtStart& start = context_.at_start.emplace();
    simdjson::dom::parser parser;
    uint64_t id = context_.report.nodes();  // beyond the positions of allocations
    const JsonFile& json = context_.report.json();
    json.for_each_element(*list, [&](Span item) {
        NodeView node;
        node.params = json.parse(parser, item, "buffers_at_start", id - context_.report.nodes());
        Live& live = add(node, id, next);
        if (const auto buffer = node.integer("buffer"); buffer && *buffer >= 0) {
            live.buffer = static_cast<uint64_t>(*buffer);
            by_buffer_[*live.buffer] = id;
        }
        int64_t& sum = is_in_dram(live.facts.buffer_type) ? start.dram : start.l1;
        sum = limited_sum(sum, live.facts.max_size_per_bank);
        ++id;
    });
}

Memory::Live& Memory::add(const NodeView& node, uint64_t id, int64_t next) {
    const int64_t raw_device = node.integer("device_id").value_or(0);
    const auto address = node.integer("address");
    if (!address) {
        context_.warn("allocations without an address, taken as 0");
    }
    Live live;
    live.size = size_of(node);
    const auto type = buffer_type_of(node);
    live.facts = {context_.devices.number_of(raw_device), address.value_or(0),
                  size_per_bank(node, live.size, type, context_.devices.banks_of(raw_device)), type.value_or(0),
                  layout_number(node.text("layout"), context_.options.layout_numbers)};
    live.is_l1 = is_l1(node);
    live.is_dram = is_dram(node);
    by_place_.emplace(Place{live.facts.device_id, live.facts.address}, id);
    spans_.add(id, live.facts, next);
    return live_.emplace(id, live).first->second;
}

void Memory::allocate(const NodeView& node, std::optional<int64_t> operation, int64_t next) {
    const auto links = node.links();
    if (input_ && node.position == input_->position + 1 && !links.empty() &&
        static_cast<int64_t>(links.front()) == input_->counter) {
        input_.reset();
    }
    other();
    Live& live = add(node, node.position, next);
    if (!links.empty()) {
        live.buffer = links.front();
        by_buffer_[links.front()] = node.position;
    }
    l1_ = limited_sum(l1_, live.is_l1 ? live.size : 0);
    dram_ = limited_sum(dram_, live.is_dram ? live.size : 0);
    event(node.counter, operation, "allocate",
          {.buffer = live.buffer ? MaybeInt(static_cast<int64_t>(*live.buffer)) : std::nullopt,
           .device_id = live.facts.device_id,
           .address = live.facts.address,
           .size = live.size,
           .buffer_type = live.facts.buffer_type,
           .per_bank = live.facts.max_size_per_bank});
}

std::vector<uint64_t> Memory::at(const Place& place) const {
    std::vector<uint64_t> ids;
    for (auto [each, end] = by_place_.equal_range(place); each != end; ++each) {
        ids.push_back(each->second);
    }
    return ids;
}

// A free tells its address, or is linked to the allocation, or to the buffer's node that the allocation is linked to.
// Address 0 is that of buffers which were never really allocated: it says nothing about which one is meant.
std::vector<uint64_t> Memory::find_freed(const NodeView& node, Freed& freed, std::optional<uint64_t>& buffer) {
    const auto links = node.links();
    const auto linked = links.empty() ? std::nullopt : context_.report.position_of(links.front());
    std::optional<uint64_t> allocation;
    if (linked) {
        const NodeView& other_end = look_.read(*linked);
        if (other_end.is(NodeType::BUFFER_ALLOCATE)) {
            allocation = *linked;
        } else if (other_end.is(NodeType::BUFFER)) {
            buffer = links.front();
            const auto found = by_buffer_.find(links.front());
            allocation = found == by_buffer_.end() ? std::nullopt : std::optional(found->second);
            for (const uint64_t tensor : other_end.links()) {
                freed.tensor_position = context_.report.position_of(tensor);
            }
        }
    }
    const auto known = allocation ? live_.find(*allocation) : live_.end();
    if (known != live_.end()) {
        freed.device_id = known->second.facts.device_id;
        freed.address = known->second.facts.address;
    }
    if (const auto address = node.integer("address")) {
        freed.address = address;
        freed.device_id = context_.devices.number_of(node.integer("device_id").value_or(0));
    }
    if (freed.address.value_or(0) != 0) {
        return at({*freed.device_id, *freed.address});
    }
    return known == live_.end() ? std::vector<uint64_t>() : std::vector<uint64_t>{*allocation};
}

void Memory::forget(uint64_t id) {
    const Live& live = live_.at(id);
    for (auto [each, end] = by_place_.equal_range({live.facts.device_id, live.facts.address}); each != end; ++each) {
        if (each->second == id) {
            by_place_.erase(each);
            break;
        }
    }
    if (live.buffer) {
        by_buffer_.erase(*live.buffer);
    }
    spans_.remove(id);
    live_.erase(id);
}

Freed Memory::free(const NodeView& node, std::optional<int64_t> operation) {
    other();
    Freed freed;
    std::optional<uint64_t> buffer;
    const auto ids = find_freed(node, freed, buffer);
    int64_t size = 0;
    bool from_l1 = false;
    bool from_dram = false;
    int64_t per_bank = ids.empty() ? 0 : live_.at(ids.front()).facts.max_size_per_bank;
    MaybeInt type;
    if (buffer) {
        // The buffer's node knows its size also where the allocation was not seen.
        const NodeView& freed_buffer = look_.read(*context_.report.position_of(*buffer));
        size = size_of(freed_buffer);
        from_l1 = is_l1(freed_buffer);
        from_dram = is_dram(freed_buffer);
        type = buffer_type_of(freed_buffer);
        per_bank = ids.empty() ? unallocated_per_bank(freed_buffer, size) : per_bank;
    } else if (!ids.empty()) {
        const Live& live = live_.at(ids.front());
        size = live.size;
        from_l1 = live.is_l1;
        from_dram = live.is_dram;
        type = live.facts.buffer_type;
        buffer = live.buffer;
    }
    for (const uint64_t id : ids) {
        forget(id);
    }
    l1_ = limited_sum(l1_, from_l1 ? -size : 0);
    dram_ = limited_sum(dram_, from_dram ? -size : 0);
    event(node.counter, operation, "free",
          {.buffer = buffer ? MaybeInt(static_cast<int64_t>(*buffer)) : std::nullopt,
           .device_id = freed.device_id,
           .address = freed.address,
           .size = size,
           .buffer_type = type,
           .per_bank = per_bank});
    return freed;
}

void Memory::circular_buffer(const NodeView& node, std::optional<int64_t> operation) {
    other();
    const int64_t size = size_of(node);
    cb_ = limited_sum(cb_, size);
    event(node.counter, operation, "circular_buffer",
          {.device_id = device_of(node), .address = node.integer("address"), .size = size, .buffer_type = 1});
}

void Memory::release_circular_buffers(const NodeView& node, std::optional<int64_t> operation) {
    other();
    if (cb_ != 0) {
        const int64_t size = std::exchange(cb_, 0);
        event(node.counter, operation, "release", {.device_id = device_of(node), .size = size});
    }
}

std::optional<int64_t> Memory::size_at(int64_t device_id, int64_t address) const {
    const auto found = by_place_.find({device_id, address});
    return found == by_place_.end() || address == 0 ? std::nullopt : std::optional(live_.at(found->second).size);
}

}  // namespace tracelift::report
