// Random values of every kind, for property tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tracelift/value/value.hpp"

namespace tracelift::test {

class RandomValue {
public:
    explicit RandomValue(uint64_t seed) : random_(seed) {}

    Value make(int depth = 3) {
        switch (pick(depth > 0 ? 12 : 8)) {
            case 0: return {};
            case 1: return pick(2) == 1;
            case 2: return static_cast<int64_t>(random_()) >> pick(64);
            case 3: return number();
            case 4: return text();
            case 5: return Value::Enum{text(), text()};
            case 6: return Value::Object{text(), text()};
            case 7: return Value::Unparsed{text(), text()};
            case 8: {
                Value::List list;
                for (int i = pick(4); i > 0; --i) {
                    list.push_back(make(depth - 1));
                }
                return list;
            }
            case 9: return entries(depth);
            default: return Value::Struct{text(), entries(depth)};
        }
    }

    int pick(int below) { return static_cast<int>(random_() % static_cast<uint64_t>(below)); }
    std::mt19937_64& engine() { return random_; }

private:
    double number() {
        constexpr double special[] = {0.0,
                                      -0.0,
                                      1.0,
                                      1e-5,
                                      1e300,
                                      std::numeric_limits<double>::infinity(),
                                      -std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::denorm_min()};
        return pick(2) == 0 ? special[pick(8)] : static_cast<double>(random_()) / 3.0;
    }
    std::string text() {
        std::string text;
        for (int i = pick(6); i > 0; --i) {
            const char* const letters[] = {"a", "b", "$", "\"", "\\", "ä", "→", "0", " ", "::"};
            text += letters[pick(10)];
        }
        return text;
    }
    Value::Dict entries(int depth) {
        Value::Dict dict;
        for (int i = pick(4); i > 0; --i) {
            std::string key = text();
            if (std::ranges::find(dict, key, &Value::Entry::key) == dict.end()) {
                dict.push_back({std::move(key), make(depth - 1)});
            }
        }
        return dict;
    }

    std::mt19937_64 random_;
};

}  // namespace tracelift::test
