// Expression: a Python expression that is laid out as ruff and black do it: on one line where it fits, else one part
// per line with a comma behind the last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracelift/value/value.hpp"

namespace tracelift {

class Expression {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): a plain text is an expression
    Expression(std::string text) : head_(std::move(text)) {}
    // head(part, ...), [part, ...], (part, ...), {part, ...}
    static Expression call(std::string head, std::vector<Expression> parts);
    static Expression list(std::vector<Expression> parts);
    static Expression tuple(std::vector<Expression> parts);
    static Expression set(std::vector<Expression> parts);
    // name=part
    static Expression keyword(std::string_view name, Expression part);

    std::string flat() const;
    // Beginning at `indent`, with what stands behind it on its last line.
    std::string laid_out(size_t indent, std::string_view behind = {}) const;

private:
    Expression(std::string head, char open, char close, std::vector<Expression> parts)
        : head_(std::move(head)), open_(open), close_(close), parts_(std::move(parts)) {}

    std::string head_;
    char open_ = 0;  // 0: only the head
    char close_ = 0;
    std::vector<Expression> parts_;
};

// A text as Python writes it, with nothing in it that could end it.
std::string python_text(std::string_view text);

// The neutral value as an object of `ttnn`. `sharded` and `cores` are functions of the generated file, DEVICE its name
// for the device, SEMAPHORE that for a new global semaphore.
Expression python_expression(const Value& value);

}  // namespace tracelift
