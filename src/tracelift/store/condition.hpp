// Conditions on configurations, e.g. arg0.dtype=BFLOAT8_B and arg0.memory.layout=HEIGHT_SHARDED.
//
//   condition = and-part { "or" and-part }     and-part = test { "and" test }
//   test = "(" condition ")" | "not" test | PATH [ = | != | < | <= | > | >= | ~ VALUE ]
//
// PATH as in value_path.hpp; a PATH alone asks whether it is there; ~ asks for a part of the text. A VALUE is a word,
// a list [1, 32], or anything in quotes. Texts compare without regard to case, numbers as numbers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tracelift/catalog/catalog.hpp"

namespace tracelift {

class Condition {
public:
    // Throws std::invalid_argument that says at which character what was expected.
    explicit Condition(std::string_view text);
    ~Condition();
    Condition(Condition&&) noexcept;
    Condition& operator=(Condition&&) noexcept;

    bool holds(const Configuration& configuration) const;
    std::vector<std::string> paths() const;  // that it asks about

    struct Node;

private:
    std::unique_ptr<Node> root_;
};

}  // namespace tracelift
