// Cutting values out of a JSON text of any length, whatever the size of the pieces it arrives in.
#include "tracelift/base/json_stream.hpp"

#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tracelift/value/json.hpp"

namespace tracelift {
namespace {

using testing::ElementsAre;

// Hands out a text in pieces of one size.
JsonStream::Source in_pieces(std::string text, size_t piece) {
    return [text = std::move(text), piece, at = size_t{0}](char* to, size_t size) mutable {
        const size_t count = std::min({piece, size, text.size() - at});
        text.copy(to, count, at);
        at += count;
        return count;
    };
}

std::vector<std::string> members_of(JsonStream& stream) {
    std::vector<std::string> found;
    stream.members([&](const std::string& key) { found.push_back(key + "=" + std::string(stream.value())); });
    return found;
}

TEST(JsonStream, HandsOutMembersAsText) {
    const std::string text = R"( {"a": {"b": [1, "}"]}, "c\"": "x\\", "d" : -1.5e3 , "e":[],"f":null} )";
    for (const size_t piece : {1, 2, 7, 64, 1000}) {
        JsonStream stream(in_pieces(text, piece));
        EXPECT_THAT(members_of(stream),
                    ElementsAre(R"(a={"b": [1, "}"]})", R"(c"="x\\")", "d=-1.5e3", "e=[]", "f=null"));
        EXPECT_EQ(stream.peek(), '\0');
    }
    JsonStream stream{std::string_view(text)};
    EXPECT_EQ(members_of(stream).size(), 5U);
}

Json random_json(std::mt19937& random, int depth) {
    const auto text = [&] {
        static constexpr std::string_view letters = "ab\"\\{}[],: \n\u00e9";
        std::string result;
        for (size_t i = random() % 90; i > 0; --i) {
            result += letters[random() % 12];
        }
        return result;
    };
    switch (depth == 0 ? random() % 3 : random() % 5) {
        case 0: return text();
        case 1: return static_cast<int64_t>(random()) - 1000;
        case 2: return nullptr;
        case 3: {
            Json list = Json::array();
            for (size_t i = random() % 5; i > 0; --i) {
                list.push_back(random_json(random, depth - 1));
            }
            return list;
        }
        default: {
            Json object = Json::object();
            for (size_t i = random() % 5; i > 0; --i) {
                object[text()] = random_json(random, depth - 1);
            }
            return object;
        }
    }
}

// Against another parser: what was written as an item comes back as exactly that text.
TEST(JsonStream, RandomItemsComeBackWhole) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::string> items;
        std::string text = "[";
        for (size_t i = 0; i < 1 + random() % 8; ++i) {
            items.push_back(random_json(random, 4).dump(round % 2 == 0 ? -1 : 2));
            text += (i == 0 ? "" : " ,\n") + items.back();
        }
        text += "]";
        const auto found = [](JsonStream& stream) {
            std::vector<std::string> values;
            stream.items([&](size_t) { values.emplace_back(stream.value()); });
            return values;
        };
        JsonStream pieces(in_pieces(text, 1 + random() % 100));
        ASSERT_EQ(found(pieces), items) << text;
        JsonStream whole{std::string_view(text)};
        ASSERT_EQ(found(whole), items) << text;
    }
}

// Several buffers' worth, with items shorter and longer than a buffer: a slice stays as it was while its buffer is
// held, whatever the stream does meanwhile and whoever lets go of it.
TEST(JsonStream, HeldBuffersKeepTheirSlices) {
    struct Held {
        std::string_view text;
        JsonBuffer buffer;
    };
    std::mt19937 random(11);
    for (const size_t piece : {size_t{1} << 30, size_t{300'000}, size_t{4096}}) {
        std::vector<std::string> items;
        std::string text = "[";
        for (const size_t size : {10, 400'000, 700'000, 20, 2'500'000, 30, 1'100'000, 900'000, 50, 60'000, 3'000'000}) {
            items.push_back("[\"" + std::string(size, static_cast<char>('a' + random() % 26)) + "\"]");
            text += (items.size() == 1 ? "" : ", ") + items.back();
        }
        std::vector<Held> held;
        {
            JsonStream stream(in_pieces(text + "]", piece));
            stream.items([&](size_t index) {
                const std::string_view slice = stream.value();
                EXPECT_EQ(slice, items[index]);
                if (index % 3 != 1) {
                    held.push_back({slice, stream.buffer()});
                }
                if (index == 5) {  // what others let go is used again
                    std::thread([first = std::move(held.front().buffer)]() mutable { first.reset(); }).join();
                    held.front().text = items[0];
                }
            });
        }
        size_t checked = 0;
        for (size_t index = 0; index < items.size(); ++index) {
            if (index % 3 != 1) {
                EXPECT_EQ(held[checked++].text, items[index]) << index;
            }
        }
        EXPECT_EQ(checked, held.size());
    }
}

TEST(JsonStream, SaysAtWhichByteTheTextIsBroken) {
    const std::pair<std::string, size_t> cases[] = {{R"({"a": [1, 2)", 11}, {R"({"a" 1})", 5}, {R"({"a": "x)", 8},
                                                    {R"({a: 1})", 1},       {R"({"a": })", 6}, {"[1 2]", 3}};
    for (const auto& [text, offset] : cases) {
        JsonStream stream(in_pieces(text, 3));
        try {
            text[0] == '{' ? stream.members([&](const std::string&) { stream.value(); })
                           : stream.items([&](size_t) { stream.value(); });
            ADD_FAILURE() << text;
        } catch (const JsonStreamError& error) {
            EXPECT_EQ(error.offset(), offset) << text << ": " << error.what();
        }
    }
}

}  // namespace
}  // namespace tracelift
