#include "ttnn/op/type_info.hpp"

#include "ttnn/op/codec.hpp"

namespace ttnn {
namespace {

template <class T>
TypeInfo make_type_info() {
    return {
        .name = codec::Codec<T>::name(),
        .size = sizeof(T),
        .has_tensors = codec::holds_tensors<T>,
        .put = [](const void* from, tracelift::ValueSink& sink) { codec::put(*static_cast<const T*>(from), sink); },
        .decode = [](const tracelift::Value& from, const DecodeContext& context,
                     void* to) { *static_cast<T*>(to) = codec::decode<T>(from, context); },
        .equal = [](const void* a, const void* b) { return *static_cast<const T*>(a) == *static_cast<const T*>(b); },
        .visit_tensors = [](const void* value,
                            TensorVisitor visit) { codec::visit_tensors(*static_cast<const T*>(value), visit); }};
}

}  // namespace

template <class T>
const TypeInfo& type_info() {
    static const TypeInfo info = make_type_info<T>();
    return info;
}

namespace {
template <class... Ts>
std::vector<const TypeInfo*> instantiate_all(TypeList<Ts...>) {
    return {&type_info<Ts>()...};
}
}  // namespace

tracelift::Value TypeInfo::encode(const void* from) const {
    tracelift::ValueBuilder builder;
    put(from, builder);
    return builder.take();
}

// Also what instantiates type_info<T>() for the whole list.
std::vector<const TypeInfo*> all_type_infos() { return instantiate_all(ParameterTypes{}); }

}  // namespace ttnn
