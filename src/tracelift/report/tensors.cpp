#include "tracelift/report/tensors.hpp"

#include <set>

#include "tracelift/report/tensor_size.hpp"
#include "tracelift/report/viewer_text.hpp"

namespace tracelift::report {

Tensors::Tensors(Context& context, const Memory& memory, const NodeReader& recent)
    : context_(context),
      memory_(memory),
      look_(context.report, recent),
      ahead_(context.report, recent),
      known_(context.database, "SELECT 1 FROM tensors WHERE tensor_id = ? AND rank = ?") {}

std::optional<int64_t> Tensors::id_of(const NodeView& node) {
    if (!node.is(NodeType::TENSOR)) {
        return std::nullopt;
    }
    const auto id = node.integer("tensor_id");
    if (!id && !node.text("tensor_id").empty()) {
        context_.warn("tensor ids that are not whole numbers, left out");
    }
    return id;
}

void Tensors::see(const NodeView& node) {
    const auto id = id_of(node);
    if (!id) {
        return;
    }
    const auto device = node.integer("device_id");
    if (!device) {
        if (inserted_[static_cast<uint64_t>(*id) % remembered] != id) {
            unused_.emplace(*id, node.position);
        }
        return;
    }
    insert(node, *id);
    if (const auto address = node.integer("address")) {
        owners_[place(context_.devices.number_of(*device), *address)] = *id;
    }
}

std::optional<int64_t> Tensors::id_at(size_t position) {
    Seen& seen = seen_[position % remembered];
    if (seen.position != position) {
        seen = {position, id_of(look_.read(position))};
    }
    return seen.id;
}

std::optional<int64_t> Tensors::use(size_t position) {
    const auto id = id_at(position);
    if (id && inserted_[static_cast<uint64_t>(*id) % remembered] != id) {
        const auto first = unused_.find(*id);
        insert(look_.read(first == unused_.end() ? position : first->second), *id);
    }
    return id;
}

bool Tensors::use_id(int64_t tensor_id) {
    if (const auto unused = unused_.find(tensor_id); unused != unused_.end()) {
        insert(look_.read(unused->second), tensor_id);
        return true;
    }
    const bool known = known_.with(tensor_id, context_.rank).step();
    known_.reset();  // lets go of the table
    return known;
}

void Tensors::add_like(int64_t tensor_id, size_t position) { insert(look_.read(position), tensor_id); }

std::optional<int64_t> Tensors::owner(int64_t device_id, int64_t address) const {
    const auto found = owners_.find(place(device_id, address));
    return found == owners_.end() || address == 0 ? std::nullopt : std::optional(found->second);
}

void Tensors::insert(const NodeView& node, int64_t tensor_id) {
    unused_.erase(tensor_id);
    auto& inserted = inserted_[static_cast<uint64_t>(tensor_id) % remembered];
    if (inserted == tensor_id) {
        return;
    }
    inserted = tensor_id;
    const std::string dtype = viewer_dtype(node.text("dtype"));
    const std::string layout = viewer_layout(node.text("layout"));
    auto device = node.integer("device_id");
    if (device) {
        device = context_.devices.number_of(*device);
    }
    const auto address = node.integer("address");
    const std::string config = viewer_memory_config(node.text("memory_config"));
    const MaybeText memory_config = node.has("memory_config") ? MaybeText(config) : std::nullopt;
    const int64_t changes = context_.database.changes();
    context_.rows.tensors({tensor_id, node.text("shape"), dtype, layout, memory_config, device, address,
                           buffer_type_of(node), context_.rank, size_of(node, device, address)});
    if (context_.database.changes() != changes) {
        insert_device_tensors(node, tensor_id);
    }
}

void Tensors::insert_device_tensors(const NodeView& node, int64_t tensor_id) {
    const std::string_view text = node.text("device_tensors");
    if (text.empty()) {
        return;
    }
    Element list;
    if (inner_.parse(text.data(), text.size()).get(list) != simdjson::SUCCESS || !list.is_array()) {
        context_.warn("device_tensors that are not a JSON list, left out");
        return;
    }
    std::set<std::pair<int64_t, int64_t>> rows;
    for (const Element entry : items(list)) {
        const auto mesh_device = member(entry, "mesh_device_id");
        const auto device = mesh_device ? mesh_device : member(entry, "device_id");
        const auto address = member(entry, "address");
        const auto device_number = device ? as_integer(*device) : std::nullopt;
        const auto address_number = address ? as_integer(*address) : std::nullopt;
        if (!device_number || !address_number) {
            context_.warn("device_tensors without device or address, left out");
        } else if (const int64_t number = context_.devices.number_of(*device_number);
                   rows.emplace(number, *address_number).second) {
            context_.rows.device_tensors({tensor_id, number, *address_number, context_.rank});
        }
    }
}

// Of its buffer where the graph tells it, else what the tensor's own facts make it.
std::optional<int64_t> Tensors::size_of(const NodeView& node, std::optional<int64_t> device,
                                        std::optional<int64_t> address) {
    if (device) {
        if (const auto size = memory_.size_at(*device, address.value_or(0))) {
            return size;
        }
    }
    return size_without_allocation(node, context_.report, ahead_);
}

}  // namespace tracelift::report
