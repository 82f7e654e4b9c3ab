#include "tracelift/base/python_json.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace tracelift {
namespace {

using nlohmann::json;

TEST(PythonJson, FloatsAsPythonPrintsThem) {
    EXPECT_EQ(python_float(0.0), "0.0");
    EXPECT_EQ(python_float(-0.0), "-0.0");
    EXPECT_EQ(python_float(1.0), "1.0");
    EXPECT_EQ(python_float(1e-05), "1e-05");
    EXPECT_EQ(python_float(0.0001), "0.0001");
    EXPECT_EQ(python_float(-0.00123), "-0.00123");
    EXPECT_EQ(python_float(1.702), "1.702");
    EXPECT_EQ(python_float(123456.789), "123456.789");
    EXPECT_EQ(python_float(1e15), "1000000000000000.0");
    EXPECT_EQ(python_float(1e16), "1e+16");
    EXPECT_EQ(python_float(1.5e300), "1.5e+300");
    EXPECT_EQ(python_float(5e-324), "5e-324");
    EXPECT_EQ(python_float(INFINITY), "inf");
    EXPECT_EQ(python_float(NAN), "nan");
}

TEST(PythonJson, SortedKeysAndSeparators) {
    EXPECT_EQ(python_json(json::parse(R"({"b":[1,2.0,true],"a":{"y":null,"x":"t"},"B":{},"c":[]})")),
              R"({"B": {}, "a": {"x": "t", "y": null}, "b": [1, 2.0, true], "c": []})");
}

TEST(PythonJson, TextIsAscii) {
    EXPECT_EQ(python_json("é→😀\x7f\n\"\\/"), R"("\u00e9\u2192\ud83d\ude00\u007f\n\"\\/")");
}

TEST(PythonJson, IntegersInFullAndNonFiniteFloatsBare) {
    EXPECT_EQ(python_json(json::array({18378510643766246984ull, -5, INFINITY, -INFINITY, NAN})),
              "[18378510643766246984, -5, Infinity, -Infinity, NaN]");
}

TEST(PythonJson, WideNumbersInFull) {
    const json value = json::parse("[123456789012345678901234567890, 1e5, -1e20]");
    EXPECT_EQ(python_json(value), "[1.2345678901234568e+29, 100000.0, -1e+20]");
    EXPECT_EQ(python_json(value, WideNumbers::IN_FULL),
              "[123456789012345680000000000000, 100000.0, -100000000000000000000]");
}

}  // namespace
}  // namespace tracelift
