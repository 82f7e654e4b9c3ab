// Repairs texts from standard input, one JSON string per line, and prints the objects they stand for, or null: the
// other side of repair_reference.py.
#include <iostream>
#include <string>

#include "tracelift/dialects/json_tree.hpp"
#include "tracelift/dialects/repair.hpp"

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        const auto repaired = tracelift::repair(*tracelift::parse_json(line).as<std::string>());
        std::cout << (repaired ? tracelift::json_text(*repaired) : "null") << '\n';
    }
    return 0;
}
