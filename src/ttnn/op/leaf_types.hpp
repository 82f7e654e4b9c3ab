// Calls back for every plain type inside the list of parameter types: optionals, lists, tuples and variants opened.
#pragma once

#include "ttnn/op/parameter_types.hpp"

namespace ttnn {

template <class T>
struct Leaves {
    template <class Use>
    static void visit(Use& use) {
        use.template operator()<T>();
    }
};
template <class... Ts>
struct LeavesOfAll {
    template <class Use>
    static void visit(Use& use) {
        (Leaves<Ts>::visit(use), ...);
    }
};
template <class T>
struct Leaves<std::optional<T>> : Leaves<T> {};
template <class T>
struct Leaves<std::vector<T>> : Leaves<T> {};
template <class T, size_t N>
struct Leaves<std::array<T, N>> : Leaves<T> {};
template <class... Ts>
struct Leaves<std::variant<Ts...>> : LeavesOfAll<Ts...> {};
template <class... Ts>
struct Leaves<std::tuple<Ts...>> : LeavesOfAll<Ts...> {};
template <class... Ts>
struct Leaves<TypeList<Ts...>> : LeavesOfAll<Ts...> {};

// use.operator()<T>() once or more for every leaf T.
template <class Use>
void for_each_leaf_type(Use use) {
    Leaves<ParameterTypes>::visit(use);
}

}  // namespace ttnn
