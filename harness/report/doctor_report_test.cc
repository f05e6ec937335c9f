// SPDX-License-Identifier: Apache-2.0
#include "harness/report/doctor_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace watchproof {
namespace {

using testing::HasSubstr;

DoctorReport Sample() {
  return {.checks = {{"cores", Health::kGood, "2", "", ""},
                     {"go", Health::kMissing, "not in PATH", "no module can be built", "install"}},
          .targets = {{.target = "embedded",
                       .version = "embedded 0.1",
                       .seconds = 0.2,
                       .trouble = {},
                       .offered = {"compaction", "leases"},
                       .missing = {{"cluster", {"A.B", "C.D"}, "--target etcd@VERSION"}}},
                      {.target = "etcd:/x", .trouble = "no such file"}},
          .exit_code = 3};
}

TEST(DoctorReport, SaysWhatIsMissingWhatForAndWhatToDo) {
  EXPECT_EQ(ToText(Sample()),
            "this machine\n"
            "  ok       cores           2\n"
            "  missing  go              not in PATH\n"
            "           without it      no module can be built\n"
            "           do              install\n"
            "\nembedded\n"
            "  ok       starts          answers as embedded 0.1 after 0.20 s\n"
            "  ok       offers          compaction, leases\n"
            "  missing  lacks           cluster: 2 cases are unsupported, such as A.B\n"
            "           do              --target etcd@VERSION\n"
            "\netcd:/x\n"
            "  missing  use             no such file\n");
}

TEST(DoctorReport, ForMachinesHasTheSame) {
  const auto json = nlohmann::json::parse(ToJson(Sample()));
  EXPECT_EQ(json.at("checks").at(1).at("health"), "missing");
  EXPECT_EQ(json.at("targets").at(0).at("missing").at(0).at("cases").size(), 2u);
  EXPECT_EQ(json.at("targets").at(1).at("usable"), false);
  EXPECT_EQ(json.at("exit_code"), 3);
}

}  // namespace
}  // namespace watchproof
