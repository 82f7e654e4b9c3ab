#include "python/bindings.hpp"
#include "python/bound_types.hpp"
#include "ttnn/op/leaf_types.hpp"

namespace ttnn::python {
namespace {

template <class E>
void bind_enum(nb::module_& module) {
    if (bound_type<E> != nullptr) {
        return;
    }
    const std::string type(EnumInfo<E>::type);
    nb::enum_<E> python_enum(module, type.c_str());
    for (const auto& member : EnumInfo<E>::members) {
        if (member.name != "SYSTEM_MEMORY") {  // no tensor of a user is ever there
            python_enum.value(std::string(member.name).c_str(), member.value);
        }
    }
    remember_type<E>();
}

template <class... Es>
void bind_all(nb::module_& module) {
    (bind_enum<Es>(module), ...);
}

}  // namespace

void bind_enums(nb::module_& module) {
    // Those that no operation takes; the others come from the list of parameter types.
    bind_all<StorageType, ShardDistributionStrategy, ShardStrategy, Arch, DispatchCoreType, DispatchCoreAxis,
             TensorMemoryLayout, BufferType, ShardOrientation>(module);
    for_each_leaf_type([&]<class T>() {
        if constexpr (NamedEnum<T>) {
            bind_enum<T>(module);
        }
    });
}

}  // namespace ttnn::python
