// The byte form, the JSON form and the canonical form of values.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/value/bytes.hpp"
#include "tracelift/value/canonical.hpp"
#include "tracelift/value/json.hpp"
#include "value/random_value.hpp"

namespace tracelift {
namespace {

using test::RandomValue;
using testing::HasSubstr;

std::string bytes_of(const Value& value) {
    ByteWriter writer;
    emit(value, writer);
    return writer.take();
}

TEST(ByteForm, GivesEveryValueBack) {
    RandomValue random(1);
    for (int i = 0; i < 3000; ++i) {
        const Value value = random.make();
        const std::string bytes = bytes_of(value);
        ByteReader reader(bytes);
        EXPECT_EQ(reader.value(), value) << value.to_text();
        EXPECT_TRUE(reader.done());
    }
}

TEST(ByteForm, IsWhatItsDescriptionSays) {
    using namespace std::string_literals;
    EXPECT_EQ(bytes_of({}), "n");
    EXPECT_EQ(bytes_of(true), "t");
    EXPECT_EQ(bytes_of(-1), "i\x01");
    EXPECT_EQ(bytes_of(300), "i\xD8\x04");
    EXPECT_EQ(bytes_of(1.0), "d\0\0\0\0\0\0\xF0\x3F"s);
    EXPECT_EQ(bytes_of("hi"), "s\x02hi");
    EXPECT_EQ(bytes_of(Value::List{1, Value()}), "l\x02i\x02n");
    EXPECT_EQ(bytes_of(Value::Enum{"Layout", "TILE"}), "e\x06Layout\x04TILE");
    EXPECT_EQ(bytes_of(Value::Struct{"T", {{"x", false}}}), "r\x01T\x01\x01xf");
}

TEST(ByteForm, RefusesBytesThatAreNoValue) {
    for (const std::string bytes : {"", "s\x05hi", "i\x80", "d\x01", "l\x02n", "q", "r\x01T\x01\x01x"}) {
        EXPECT_THROW(ByteReader(bytes).value(), BadBytes) << bytes;
    }
    EXPECT_THROW(ByteReader(std::string(10'000, 'l') + "\x01").value(), BadBytes);
    std::string deep;
    for (int i = 0; i < 10'000; ++i) {
        deep += "l\x01";
    }
    EXPECT_THROW(ByteReader(deep + "n").value(), BadBytes);
}

TEST(ByteForm, SurvivesBrokenBytesWithoutMoreThanAnError) {
    RandomValue random(2);
    for (int i = 0; i < 3000; ++i) {
        std::string bytes = bytes_of(random.make());
        bytes[static_cast<size_t>(random.pick(static_cast<int>(bytes.size())))] = static_cast<char>(random.pick(256));
        bytes.resize(bytes.size() - static_cast<size_t>(random.pick(2)));
        try {
            ByteReader(bytes).value();
        } catch (const BadBytes& error) {
            EXPECT_THAT(error.what(), HasSubstr("byte "));
        }
    }
}

TEST(JsonForm, GivesEveryValueBackThroughText) {
    RandomValue random(3);
    for (int i = 0; i < 3000; ++i) {
        const Value value = random.make();
        EXPECT_EQ(from_json(Json::parse(to_json(value).dump())), value) << to_json(value).dump();
    }
    EXPECT_TRUE(std::isnan(*from_json(to_json(std::numeric_limits<double>::quiet_NaN())).as<double>()));
}

TEST(JsonForm, KeepsIntAndFloatApart) {
    EXPECT_EQ(to_json(1).dump(), "1");
    EXPECT_EQ(to_json(1.0).dump(), "1.0");
    EXPECT_NE(from_json(Json::parse("1")), from_json(Json::parse("1.0")));
}

TEST(JsonForm, SaysWhatIsWrong) {
    EXPECT_THROW(from_json(Json::parse(R"({"$enum": "x"})")), std::invalid_argument);
    EXPECT_THROW(from_json(Json::parse(R"({"$struct": ["T", 1]})")), std::invalid_argument);
    EXPECT_THROW(from_json(Json::parse(R"({"$what": ["T", "U"]})")), std::invalid_argument);
}

// The same value with the keys of all its dicts and records in another order.
Value shuffled(const Value& value, RandomValue& random);
Value::Dict shuffled_entries(Value::Dict entries, RandomValue& random) {
    std::ranges::shuffle(entries, random.engine());
    for (auto& entry : entries) {
        entry.value = shuffled(entry.value, random);
    }
    return entries;
}
Value shuffled(const Value& value, RandomValue& random) {
    if (const auto* dict = value.as<Value::Dict>()) {
        return shuffled_entries(*dict, random);
    }
    if (const auto* record = value.as<Value::Struct>()) {
        return Value::Struct{record->type, shuffled_entries(record->fields, random)};
    }
    if (const auto* list = value.as<Value::List>()) {
        Value::List items;
        for (const Value& item : *list) {
            items.push_back(shuffled(item, random));
        }
        return items;
    }
    return value;
}

TEST(CanonicalForm, DoesNotDependOnTheOrderOfKeys) {
    RandomValue random(4);
    for (int i = 0; i < 2000; ++i) {
        const Value value = random.make(4);
        EXPECT_EQ(canonical_bytes(value), canonical_bytes(shuffled(value, random))) << value.to_text();
    }
}

TEST(CanonicalForm, IsTheSameForANormalisedValueAndDiffersForDifferentOnes) {
    RandomValue random(5);
    std::map<std::string, Value> seen;
    for (int i = 0; i < 2000; ++i) {
        const Value value = normalised(random.make());
        EXPECT_EQ(canonical_bytes(normalised(value)), canonical_bytes(value));
        const auto [place, fresh] = seen.emplace(content_hash(value), value);
        EXPECT_EQ(place->second, value);
    }
}

TEST(CanonicalForm, KeepsWhatMatters) {
    EXPECT_NE(content_hash(1), content_hash(1.0));
    EXPECT_NE(content_hash(1), content_hash(true));
    EXPECT_NE(content_hash("1"), content_hash(1));
    EXPECT_NE(content_hash(Value()), content_hash(Value::List{}));
    EXPECT_NE(content_hash(0.0), content_hash(-0.0));
    EXPECT_NE(content_hash(Value::List{1, 2}), content_hash(Value::List{2, 1}));
}

TEST(CanonicalForm, LeavesOutWhatChangesFromRunToRun) {
    EXPECT_EQ(content_hash(Value::Object{"MeshDevice", "a"}), content_hash(Value::Object{"MeshDevice", "b"}));
    EXPECT_NE(content_hash(Value::Object{"MeshDevice", "a"}), content_hash(Value::Object{"Semaphore", "a"}));
    EXPECT_EQ(content_hash("<ttnn.X object at 0x7f12ab>"), content_hash("<ttnn.X object at 0x55>"));
    EXPECT_EQ(content_hash(Value::Dict{{"hash", 17}, {"a", 1}}), content_hash(Value::Dict{{"a", 1}, {"hash", 18}}));
    EXPECT_NE(content_hash(Value::Dict{{"hash", "md5"}}), content_hash(Value::Dict{{"hash", "sha"}}));
    EXPECT_EQ(content_hash(Value::Dict{{"buffer_address", 1}}), content_hash(Value::Dict{{"buffer_address", 2}}));
    const double other_nan = std::bit_cast<double>(0x7FF8000000000123);
    EXPECT_EQ(content_hash(other_nan), content_hash(std::numeric_limits<double>::quiet_NaN()));
}

TEST(CanonicalForm, CarriesItsVersion) {
    EXPECT_EQ(canonical_bytes({}), "\x01n");
    // Published digests of SHA-256.
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace tracelift
