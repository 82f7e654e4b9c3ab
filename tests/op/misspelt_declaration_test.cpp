// A declaration whose members would be ignored without a word does not compile.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "ttnn/op/declaration_members.hpp"

namespace ttnn {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// What the build makes of a header, handed to the compiler; `output` has what both said.
class Compilation {
public:
    explicit Compilation(std::string_view members)
        : folder_(fs::temp_directory_path() / fmt::format("declaration_{}", getpid())) {
        fs::create_directories(folder_);
        std::ofstream(folder_ / "halve.hpp") << R"(#pragma once
#include "ttnn/op/op.hpp"
namespace ttnn {
struct Halve {
    static constexpr std::string_view name = "ttnn.halve";
    static constexpr std::string_view doc = "Half of it.";
    struct Params {
        Tensor input_tensor{};
    };
    using Result = Tensor;
    static constexpr FieldList fields{arg<&Params::input_tensor>("any tensor")};
    static Result run(const Params& params) { return params.input_tensor; }
)" << members << "};\nTTNN_OPERATION(halve, Halve);\n}  // namespace ttnn\n";
        const std::string source_dir = TRACELIFT_SOURCE_DIR;
        run(fmt::format(
            "cmake -DROOT={0} -DHEADER=halve.hpp -DID=halve -DOUT={0} -P {1}/cmake/generate_operation.cmake",
            folder_.string(), source_dir));
        status = run(fmt::format("{0} -std=c++20 -fsyntax-only -I{1} -I{2}/src {1}/halve.cpp", TRACELIFT_CXX,
                                 folder_.string(), source_dir));
    }
    ~Compilation() { fs::remove_all(folder_); }
    Compilation(const Compilation&) = delete;
    Compilation& operator=(const Compilation&) = delete;

    int status = 0;
    std::string output;

private:
    int run(const std::string& command) {
        std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
        char part[4096];
        while (const size_t size = std::fread(part, 1, sizeof part, pipe)) {
            output.append(part, size);
        }
        return pclose(pipe);
    }
    fs::path folder_;
};

TEST(MisspeltDeclaration, ARightOneCompiles) {
    const Compilation compilation(R"(
    static constexpr std::string_view aliases[] = {"ttnn.half"};
    static constexpr bool host_inputs = true;
    static constexpr Tolerance tolerance{};
    static constexpr std::string_view no_reference = "an example";
    static void validate(const Params& params);
    static Domain domain(const Params& params, std::string_view field);
    static void cases(CaseMaker& make);
    static int rounds(const Params& params);
)");
    EXPECT_EQ(compilation.status, 0) << compilation.output;
}

TEST(MisspeltDeclaration, EveryMisspeltMemberIsNamed) {
    const Compilation compilation(R"(
    static constexpr std::string_view alises[] = {"ttnn.half"};
    static constexpr bool host_input = true;
    static constexpr Tolerance tolerence{};
    static constexpr std::string_view no_reference = "an example";
    static void valdate(const Params& params);
    static Domain domian(const Params& params, std::string_view field);
    static void case_(CaseMaker& make);
    static std::vector<reference::Array> refrence(const Params& params);
)");
    EXPECT_NE(compilation.status, 0);
    for (const char* name : {"alises", "host_input", "tolerence", "valdate", "domian", "case_", "refrence"}) {
        EXPECT_THAT(compilation.output, HasSubstr(fmt::format("halve.hpp: misspelt member '{}'", name)));
    }
    EXPECT_THAT(compilation.output, Not(HasSubstr("misspelt member 'no_reference'")));
}

TEST(MisspeltDeclaration, WithoutAReferenceOrAReasonItDoesNotCompile) {
    const Compilation compilation("    static constexpr std::string_view no_refrence = \"an example\";\n");
    EXPECT_NE(compilation.status, 0);
    EXPECT_THAT(compilation.output, HasSubstr("misspelt member 'no_refrence'"));
    EXPECT_THAT(compilation.output, HasSubstr("a declaration has a reference, or says why not"));
}

TEST(MisspeltDeclaration, MembersThatCouldNotBeCalledDoNotCompile) {
    const Compilation compilation(R"(
    static constexpr std::string_view no_reference = "";
    void validate(const Params& params);
    static void cases(int count);
)");
    EXPECT_NE(compilation.status, 0);
    EXPECT_THAT(compilation.output, HasSubstr("must be static void validate(const Params&)"));
    EXPECT_THAT(compilation.output, HasSubstr("must be static void cases(CaseMaker&)"));
    EXPECT_THAT(compilation.output, HasSubstr("no_reference says why there is none"));
}

static_assert(is_no_misspelt_member("arguments") && is_no_misspelt_member("result_shape"));
static_assert(!is_no_misspelt_member("docs") && !is_no_misspelt_member("tolerances"));

}  // namespace
}  // namespace ttnn
