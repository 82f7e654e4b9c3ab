// MeshDevice, its memory, and the boards that it can be of.
#include <algorithm>
#include <limits>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/arguments.hpp"
#include "python/bindings.hpp"
#include "ttnn/graph/report.hpp"

namespace ttnn::python {
namespace {

struct MemoryView {
    uint32_t num_banks = 0;
    AllocationStatistics per_bank;
    std::vector<BankAllocator::Block> free;
    std::vector<BankAllocator::Block> allocated;
};

nb::list block_table(const MemoryView& view) {
    std::vector<std::pair<BankAllocator::Block, bool>> blocks;
    for (const auto& block : view.free) {
        blocks.emplace_back(block, false);
    }
    for (const auto& block : view.allocated) {
        blocks.emplace_back(block, true);
    }
    std::ranges::sort(blocks, {}, [](const auto& entry) { return entry.first.address; });
    nb::list table;
    for (const auto& [block, allocated] : blocks) {
        nb::dict row;
        row["address"] = block.address;
        row["size"] = block.size;
        row["allocated"] = allocated;
        table.append(row);
    }
    return table;
}

// Where the network of the chip puts a logical core.
CoreCoord worker_core(const Device& device, CoreCoord core) {
    if (device.arch() == Arch::WORMHOLE_B0) {
        return {core.x + 18, core.y + 18};
    }
    return {core.x + (core.x < 7 ? 1 : 3), core.y + 2};  // columns 8 and 9 hold no workers
}

nb::list live_buffers(const Device& device) {
    nb::list table;
    for (const Buffer* buffer : device.live_buffers()) {
        nb::dict row;
        row["id"] = buffer->id();
        row["address"] = buffer->address();
        row["buffer_type"] = buffer->buffer_type();
        row["memory_layout"] = buffer->memory_layout();
        row["size"] = buffer->size();
        row["size_per_bank"] = buffer->reserved_per_bank();
        table.append(row);
    }
    return table;
}

// Tensors that hold these buffers stay, and are unallocated.
void deallocate_buffers(Device& device) {
    for (const Buffer* buffer : device.live_buffers()) {
        const_cast<Buffer*>(buffer)->deallocate();  // it is the device's, which is not const
    }
}

// Every page of every buffer in L1; DRAM has too many to list.
nb::list buffer_pages(const Device& device) {
    nb::list table;
    for (const Buffer* buffer : device.live_buffers()) {
        if (buffer->buffer_type() != BufferType::L1 && buffer->buffer_type() != BufferType::L1_SMALL) {
            continue;
        }
        for (uint64_t page = 0; page < buffer->pages().num_pages(); ++page) {
            const PageLocation place = buffer->locate(page);
            nb::dict row;
            row["device_id"] = device.id();
            row["address"] = buffer->address();
            row["core_y"] = place.core.y;
            row["core_x"] = place.core.x;
            row["bank_id"] = place.bank;
            row["page_index"] = page;
            row["page_address"] = place.address;
            row["page_size"] = buffer->pages().page_size();
            row["buffer_type"] = buffer->buffer_type();
            table.append(row);
        }
    }
    return table;
}

void bind_memory_view(nb::module_& module) {
    nb::class_<MemoryView>(module, "MemoryView", "State of one kind of memory; all figures per bank.")
        .def_ro("num_banks", &MemoryView::num_banks)
        .def_prop_ro("total_bytes_per_bank", [](const MemoryView& self) { return self.per_bank.total_allocatable; })
        .def_prop_ro("total_bytes_allocated_per_bank",
                     [](const MemoryView& self) { return self.per_bank.total_allocated; })
        .def_prop_ro("total_bytes_free_per_bank", [](const MemoryView& self) { return self.per_bank.total_free; })
        .def_prop_ro("largest_contiguous_bytes_free_per_bank",
                     [](const MemoryView& self) { return self.per_bank.largest_free_block; })
        .def_prop_ro("block_table", &block_table,
                     nb::for_getter(nb::sig("def block_table(self) -> list[dict[str, int]]")));
    module.def(
        "get_memory_view",
        [](const Device& device, BufferType type) {
            return MemoryView{device.num_banks(type), device.statistics(type), device.free_blocks(type),
                              device.allocated_blocks(type)};
        },
        nb::arg("device"), nb::arg("buffer_type"));
}

void bind_boards(nb::module_& module) {
    nb::class_<System>(module, "System", "The machine that a board's name stands for.")
        .def_prop_ro("name", [](const System& self) { return std::string(self.name); })
        .def_prop_ro("mesh_shape",
                     [](const System& self) {
                         return MeshShape{{self.mesh[0], self.mesh[1]}};
                     })
        .def_ro("num_pcie_devices", &System::pcie_devices)
        .def_prop_ro("cluster_type", [](const System& self) { return std::string(self.cluster_type); })
        .def_ro("dispatch", &System::dispatch, "Where its chips dispatch unless something else is asked for.");
    module.def(
        "find_system", [](const std::string& board) { return find_system(board); }, nb::arg("board"));
    module.def("default_board", &default_board, "TRACELIFT_BOARD, else n150.");
    module.def("board_names", [] {
        std::vector<std::string> names;
        for (const std::string_view name : board_names()) {
            names.emplace_back(name);
        }
        return names;
    });
    module.def(
        "board_arch", [](const std::string& board) { return find_board(board).arch; }, nb::arg("board"));
    module.def(
        "board_l1_size",
        [](const std::string& board) {
            const Board facts = find_board(board);
            return facts.l1_size - facts.l1_base;
        },
        nb::arg("board"), "Bytes of a worker's L1 that buffers can use.");
    module.def(
        "open_board",
        [](const std::string& board, MeshShape mesh, std::vector<int> chip_ids, uint64_t l1_small_size,
           uint64_t trace_region_size, uint64_t worker_l1_size, uint32_t num_command_queues) {
            require(!chip_ids.empty(), "a mesh needs at least one chip, got {}", mesh.to_string());
            const int id = chip_ids.size() == 1 ? chip_ids.front() : Device::next_mesh_id();
            return Device::open({.device_id = id,
                                 .board = board,
                                 .default_dispatch = find_system(board).dispatch,
                                 .l1_small_size = l1_small_size,
                                 .trace_region_size = trace_region_size,
                                 .worker_l1_size = worker_l1_size,
                                 .custom_board = std::nullopt,
                                 .mesh = std::move(mesh),
                                 .chip_ids = std::move(chip_ids),
                                 .num_command_queues = num_command_queues});
        },
        nb::arg("board"), nb::arg("mesh_shape"), nb::arg("chip_ids"), nb::arg("l1_small_size"),
        nb::arg("trace_region_size"), nb::arg("worker_l1_size"), nb::arg("num_command_queues"));
}

}  // namespace

void bind_device(nb::module_& module) {
    const float infinity = std::numeric_limits<float>::infinity();
    nb::class_<Device> device(module, "MeshDevice", "A mesh of emulated chips, most often of one.", nb::dynamic_attr(),
                              nb::is_weak_referenceable());
    bind_mesh_of_device(device);
    device.def("id", &Device::id, "The number of the mesh; of a single chip its own.")
        .def("arch", &Device::arch)
        .def_prop_ro(
            "board", [](const Device& self) { return self.board().name; }, "Name of the emulated board.")
        .def("is_open", &Device::is_open)
        .def("close", &Device::close, "Frees every buffer; tensors that still refer to them become unallocated.")
        .def("deallocate_buffers", &deallocate_buffers,
             "Frees every buffer and stays open; tensors that still refer to them become unallocated.")
        .def("compute_with_storage_grid_size", &Device::compute_grid)
        .def_prop_ro("core_grid",
                     [](const Device& self) {
                         return CoreGrid{self.compute_grid().x, self.compute_grid().y};
                     })
        .def("dram_grid_size",
             [](const Device& self) {
                 return CoreCoord{self.board().dram_banks, 1};
             })
        .def("num_banks", &Device::num_banks, nb::arg("buffer_type"))
        .def(
            "worker_core_from_logical_core",
            [](const Device& self, nb::handle core) {
                return worker_core(self, argument<CoreCoord>(core, "core", "CoreCoord"));
            },
            nb::arg("core"),
            nb::sig("def worker_core_from_logical_core(self, core: CoreCoord | tuple[int, int]) -> CoreCoord"))
        .def("sfpu_eps", [](const Device&) { return 1.1920929e-07F; })
        .def("sfpu_nan", [](const Device&) { return std::numeric_limits<float>::quiet_NaN(); })
        .def("sfpu_inf", [infinity](const Device&) { return infinity; })
        .def(
            "num_program_cache_entries", [](const Device& self) { return self.program_cache().size(); },
            "Distinct programs since the device was opened or the cache was cleared.")
        .def("enable_program_cache", [](Device& self) { self.program_cache().enable(); })
        .def("clear_program_cache", [](Device& self) { self.program_cache().clear(); })
        .def(
            "disable_and_clear_program_cache", [](Device& self) { self.program_cache().disable_and_clear(); },
            "From here on every call compiles its programs, and none is kept.")
        .def(
            "set_program_cache_misses_allowed",
            [](Device& self, bool allowed) { self.program_cache().allow_misses(allowed); }, nb::arg("allowed"),
            "False: a call whose program is not in the cache raises a RuntimeError that names it.")
        .def("live_buffers", &live_buffers, "One dict per buffer that is allocated now.",
             nb::sig("def live_buffers(self) -> list[dict[str, object]]"))
        .def("buffer_pages", &buffer_pages, "One dict per page of a buffer that is in L1 now.",
             nb::sig("def buffer_pages(self) -> list[dict[str, object]]"))
        .def("facts", &graph::device_facts, "Grids, banks and sizes, as graph reports have them, as JSON.")
        .def_prop_ro("trace_region_size", [](const Device& self) { return self.options().trace_region_size; })
        .def_prop_ro("num_command_queues", [](const Device& self) { return self.options().num_command_queues; });
    remember_type<Device>();
    bind_memory_view(module);

    bind_boards(module);
}

}  // namespace ttnn::python
