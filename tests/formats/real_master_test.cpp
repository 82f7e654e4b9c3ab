// The arguments of a real capture: counts as an independent reader found them.
#include <map>

#include <gtest/gtest.h>

#include "dialects/support.hpp"
#include "ttnn/op/type_info.hpp"

namespace tracelift {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the short forms above

class RealMaster : public ::testing::Test {
protected:
    void SetUp() override {
        REQUIRE_MASTER(Json, master, "efficientnet_b0_format1.json");
        for (const auto& [name, operation] : master["operations"].items()) {
            ++operations_;
            for (const Json& configuration : operation["configurations"]) {
                written_.push_back(configuration);
                read_.push_back(read_arguments(configuration));
            }
        }
    }

    template <class Visit>
    void for_every_argument(const Visit& visit) const {
        for (size_t i = 0; i < read_.size(); ++i) {
            for (size_t j = 0; j < read_[i].size(); ++j) {
                visit(written_[i][j], read_[i][j]);
            }
        }
    }
    template <class Visit>
    void for_every_tensor(const Visit& visit) const {
        for_every_argument([&](const Json&, const std::optional<Value>& value) {
            const auto* record = value ? value->as<Value::Struct>() : nullptr;
            if (record != nullptr && record->type == "Tensor") {
                visit(*value);
            }
        });
    }

    int operations_ = 0;
    std::vector<Json> written_;
    std::vector<Arguments> read_;
};

TEST_F(RealMaster, EveryArgumentIsRead) {
    EXPECT_EQ(operations_, 15);
    EXPECT_EQ(read_.size(), 387u);
    std::map<std::string_view, int> kinds;
    int arguments = 0;
    int damaged = 0;
    for_every_argument([&](const Json& written, const std::optional<Value>& value) {
        ++arguments;
        ++kinds[value ? value->kind() : "absent"];
        if (!written.contains("UnparsedElement")) {
            return;
        }
        ++damaged;
        EXPECT_NE(value->as<Value::Struct>(), nullptr) << value->to_text();
    });
    EXPECT_EQ(arguments, 2479);
    EXPECT_EQ(damaged, 236);
    EXPECT_EQ(kinds, (std::map<std::string_view, int>{{"absent", 331},
                                                      {"int", 562},
                                                      {"list", 235 + 323 + 1},
                                                      {"unparsed", 256},
                                                      {"enum", 64},
                                                      {"struct", 340 + 236 + 49 + 64 + 7 + 11}}));
}

TEST_F(RealMaster, TensorsByLayoutAndMemory) {
    std::map<std::string, int> layouts;
    std::map<std::string, int> memories;
    for_every_tensor([&](const Value& tensor) {
        ++layouts[tensor.find("layout")->as<Value::Enum>()->member];
        ++memories[tensor.find("memory_config")->find("memory_layout")->as<Value::Enum>()->member];
    });
    EXPECT_EQ(layouts, (std::map<std::string, int>{{"ROW_MAJOR", 209}, {"TILE", 346}}));
    EXPECT_EQ(memories,
              (std::map<std::string, int>{
                  {"INTERLEAVED", 340}, {"WIDTH_SHARDED", 103}, {"HEIGHT_SHARDED", 67}, {"BLOCK_SHARDED", 45}}));
}

TEST_F(RealMaster, WhatIsWrittenReadsBackTheSame) {
    for (const Arguments& arguments : read_) {
        const Json written = write_arguments(arguments);
        EXPECT_EQ(read_arguments(written), arguments);
        EXPECT_EQ(written.dump().find("UnparsedElement"), std::string::npos);
    }
}

TEST_F(RealMaster, TensorsCanBeLaidOut) {
    int refused = 0;
    for_every_tensor([&](const Value& tensor) {
        ttnn::Tensor laid_out;
        try {
            ttnn::type_info<ttnn::Tensor>().decode(tensor, {nullptr, ttnn::Tensor::without_bytes}, &laid_out);
        } catch (const ttnn::Error&) {
            ++refused;
        }
    });
    EXPECT_EQ(refused, 0);
}

}  // namespace
}  // namespace tracelift
