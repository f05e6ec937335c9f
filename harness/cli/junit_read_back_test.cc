// SPDX-License-Identifier: Apache-2.0
// Reads the JUnit report back with independent XML parsers. Tested in this folder, because
// harness/report may not start processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/process/child_process.h"
#include "harness/report/formats.h"
#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

// Read back by an independent XML parser, which prints what it parsed.
std::string ReadBack(const std::string& xml, const std::string& program) {
  // Tests run beside each other.
  const auto folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("wp-junit-{}", getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "junit.xml", std::ios::binary) << xml;
  std::filesystem::remove(folder / "junit.out");
  const auto python =
      ChildProcess::Launch({.executable = "/usr/bin/python3",
                            .arguments = {"-c",
                                          "import sys, xml.etree.ElementTree as E\n"
                                          "root = E.parse(sys.argv[1]).getroot()\n" +
                                              program,
                                          (folder / "junit.xml").string()},
                            .log = folder / "junit.out"});
  if (!python.has_value()) return python.error().ToString();
  const auto end = (*python)->Wait(Within(20s));
  std::ifstream out(folder / "junit.out");
  std::string text((std::istreambuf_iterator<char>(out)), {});
  std::filesystem::remove_all(folder);
  return end.has_value() && end->clean() ? text : "python failed: " + text;
}

TEST(Junit, OtherParsersReadEveryOutcome) {
  const std::string text = ReadBack(Render("junit.xml", SampleRecord()),
                                    "print(*[root.get(k) for k in ('tests','failures','errors',"
                                    "'skipped')])\n"
                                    "for c in root.iter('testcase'):\n"
                                    "  kinds = [(e.tag, e.get('type')) for e in c if e.tag != "
                                    "'properties']\n"
                                    "  print(c.get('classname'), c.get('name'), *kinds)\n");
  EXPECT_EQ(text,
            "6 1 3 1\n"
            "Ordered NeverGoesBack [embedded]\n"
            "Reliable MissesNothing [embedded] ('error', 'inconclusive')\n"
            "Unique NoTwins [embedded] ('error', 'harness')\n"
            "Ordered NeverGoesBack [etcd:/usr/bin/etcd] ('failure', 'Ordered')\n"
            "Reliable MissesNothing [etcd:/usr/bin/etcd] ('skipped', None)\n"
            "Unique NoTwins [etcd:/usr/bin/etcd] ('error', 'not_run')\n");
}

TEST(Junit, AnyBytesGiveWellFormedXml) {
  RunRecord record = SampleRecord();
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every += static_cast<char>(byte);
  record.attempts[1].result.findings[0].observed = every;
  record.attempts[3].result.reason = every + "]]>";
  record.targets[1].text = "etcd:" + every;
  for (AttemptSummary& attempt : record.attempts) {
    if (attempt.result.target != "embedded") attempt.result.target = record.targets[1].text;
  }
  record.not_run[0].target = record.targets[1].text;
  EXPECT_EQ(ReadBack(Render("junit.xml", record), "print(len(list(root.iter('testcase'))))"),
            "6\n");
}

}  // namespace
}  // namespace watchproof
