// SPDX-License-Identifier: Apache-2.0
// What happens when a run is interrupted, terminated or killed: reports are written, nothing stays
// behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// One passing case, one that hangs, and one that waits for its turn.
const Words kHanging{"--filter", "Bookmarkable.F*:Breaks.Hangs:Ends.Passes", "--jobs", "1"};
const std::string kHangFolder = "cases/embedded/Breaks.Hangs/1";

TEST(Interrupt, OnceWritesReportsAndStopsChildren) {
  ScriptedRun run(kHanging);
  ASSERT_TRUE(run.AwaitFile(kHangFolder + "/pids")) << run.output();
  run.Signal(SIGINT);
  EXPECT_EQ(run.Wait(), 130);
  EXPECT_TRUE(AwaitGone(run.File(kHangFolder + "/pids")));
  EXPECT_FALSE(fs::exists(run.folder() / kHangFolder / "tmp"));
  EXPECT_THAT(run.output(), HasSubstr("Interrupted: 1 passed, 2 not run."));
  EXPECT_THAT(run.File("junit.xml"), HasSubstr("type=\"not_run\""));
  EXPECT_EQ(nlohmann::json::parse(run.File("run.json")).at("exit_code"), 130);
}

void ExpectTermination(int number) {
  ScriptedRun run(kHanging);
  ASSERT_TRUE(run.AwaitFile(kHangFolder + "/pids")) << run.output();
  run.Signal(number);
  EXPECT_EQ(run.Wait(), 143);
  EXPECT_TRUE(AwaitGone(run.File(kHangFolder + "/pids")));
  EXPECT_FALSE(fs::exists(run.folder() / kHangFolder / "tmp"));
  EXPECT_THAT(run.output(), HasSubstr("Terminated: "));
}
TEST(Interrupt, TerminationHasItsOwnCode) { ExpectTermination(SIGTERM); }
TEST(Interrupt, AClosedTerminalIsATermination) { ExpectTermination(SIGHUP); }
TEST(Interrupt, QuittingIsATermination) { ExpectTermination(SIGQUIT); }

TEST(Interrupt, TwiceKillsAndNamesTheFolderOfTheResults) {
  ScriptedRun run({"--filter", "Breaks.IsStubborn"});
  const std::string folder = "cases/embedded/Breaks.IsStubborn/1";
  ASSERT_TRUE(run.AwaitFile(folder + "/pids")) << run.output();
  run.Signal(SIGINT);
  ASSERT_TRUE(run.AwaitOutput("a second signal kills them")) << run.output();
  run.Signal(SIGINT);
  EXPECT_EQ(run.Wait(), 130);
  EXPECT_TRUE(AwaitGone(run.File(folder + "/pids")));
  EXPECT_THAT(run.output(), HasSubstr("partial results are in " + run.run_dir().string()));
  EXPECT_TRUE(fs::exists(run.folder() / "report.html"));
}

TEST(Interrupt, AfterAKillTheNextRunCleansUp) {
  ScriptedRun run(kHanging);
  ASSERT_TRUE(run.AwaitFile(kHangFolder + "/pids")) << run.output();
  const fs::path killed = run.folder();
  run.Kill();
  EXPECT_EQ(run.Wait(), 1000 + SIGKILL);
  EXPECT_TRUE(AwaitGone(ReadText(killed / kHangFolder / "pids")));
  EXPECT_THAT(ReadText(killed / "results.jsonl"), HasSubstr("\"verdict\":\"pass\""));
  EXPECT_TRUE(fs::exists(killed / kHangFolder / "tmp"));
  ScriptedRun next({"--filter", "Ends.Passes"});
  EXPECT_EQ(next.Wait(), 0);
  EXPECT_FALSE(fs::exists(killed / kHangFolder / "tmp"));
}

TEST(Interrupt, StoreAndProxyStopGracefully) {
  ScriptedRun store = ScriptedRun::Command({"store", "--listen", "127.0.0.1:0"});
  ASSERT_TRUE(store.AwaitOutput(", http on ")) << store.output();
  const std::string line = store.output();
  const std::size_t from = line.find("serving on ") + 11;
  const std::string endpoint = line.substr(from, line.find(',') - from);
  ScriptedRun proxy = ScriptedRun::Command({"proxy", "--to", endpoint, "--latency", "1ms~1ms",
                                            "--effect", "stall:to-client", "--verbose"});
  ASSERT_TRUE(proxy.AwaitOutput("listening on ")) << proxy.output();
  proxy.Signal(SIGTERM);
  EXPECT_EQ(proxy.Wait(), 0);
  EXPECT_THAT(proxy.output(), HasSubstr("0 connections"));
  EXPECT_THAT(proxy.output(), HasSubstr("stall: nothing affected"));
  EXPECT_THAT(proxy.output(), HasSubstr("effect armed proxy=proxy effect=stall"));
  store.Signal(SIGINT);
  EXPECT_EQ(store.Wait(), 0);
}

}  // namespace
}  // namespace watchproof
