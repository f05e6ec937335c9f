// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/call_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxies/http2/test_frames.h"

namespace watchproof::proxy {
namespace {

using testing::ElementsAre;

constexpr auto kToTarget = Direction::kToTarget;
constexpr auto kToClient = Direction::kToClient;

// A header as a literal with a new name, which enters no table.
std::string Literal(std::string_view name, std::string_view value) {
  return std::string(1, '\0') + static_cast<char>(name.size()) + std::string(name) +
         static_cast<char>(value.size()) + std::string(value);
}
std::string Prefixed(std::string_view message, char flag = 0) {
  return std::string{flag, 0, 0, 0, static_cast<char>(message.size())} + std::string(message);
}

class Log final : public CallVisitor {
 public:
  bool OnOpened(FrameStream call, std::string_view path, std::string_view opened_by) override {
    Add("{} opened {}{}{}", call, path, opened_by.empty() ? "" : " by ", opened_by);
    return path != "/unwanted";
  }
  void OnMessage(FrameStream call, Direction direction, std::string_view message) override {
    Add("{} {} {}", call, Name(direction), message);
  }
  void OnEnded(FrameStream call, const CallEnd& end) override {
    Add("{} ended {} {}{}", call, end.code, end.text, end.by_client ? ", as the client wants" : "");
  }
  void OnUnreadable(FrameStream call, std::string_view why) override {
    Add("{} unreadable: {}", call, why);
  }
  std::vector<std::string> Take() { return std::exchange(lines_, {}); }

 private:
  template <typename... Parts>
  void Add(fmt::format_string<Parts...> form, Parts&&... parts) {
    lines_.push_back(fmt::format(form, std::forward<Parts>(parts)...));
  }
  std::vector<std::string> lines_;
};

struct CallReaderTest : testing::Test {
  CallReaderTest() {
    reader.Push(kToTarget, std::string(kPreface) + Settings());
    reader.Push(kToClient, Settings());
  }
  void Open(std::uint32_t stream, std::string_view path = "/a") {
    reader.Push(kToTarget, Headers(stream, PathBlock(path)));
  }
  Log log;
  CallReader reader{log};
};

TEST_F(CallReaderTest, ReadsACallToItsStatus) {
  Open(1);
  reader.Push(kToTarget, Data(1, Prefixed("question"), kFlagEndStream));
  reader.Push(kToClient, Headers(1, kStatus));
  reader.Push(kToClient, Data(1, Prefixed("answer")));
  reader.Push(kToClient,
              Headers(1, Literal("grpc-status", "11") + Literal("grpc-message", "too%20old"),
                      kFlagEndHeaders | kFlagEndStream));
  EXPECT_THAT(log.Take(), ElementsAre("1 opened /a", "1 to-target question", "1 to-client answer",
                                      "1 ended 11 too old"));
}

TEST_F(CallReaderTest, JoinsMessagesThatAreCutAnywhere) {
  Open(1);
  const std::string two = Prefixed("first") + Prefixed("second");
  std::string frames;
  for (const char byte : two) frames += Data(1, std::string(1, byte));
  for (const char byte : frames) reader.Push(kToClient, std::string(1, byte));
  EXPECT_THAT(log.Take(), ElementsAre("1 opened /a", "1 to-client first", "1 to-client second"));
}

TEST_F(CallReaderTest, LeavesOutWhatIsNotWanted) {
  Open(1, "/unwanted");
  reader.Push(kToTarget, Data(1, Prefixed("question")));
  EXPECT_THAT(log.Take(), ElementsAre("1 opened /unwanted"));
}

TEST_F(CallReaderTest, ResetsAndTheEndOfTheConnectionEndCalls) {
  Open(1);
  Open(3);
  Open(5);
  log.Take();
  reader.Push(kToTarget, MakeReset(FrameStream(1), 8));
  reader.Push(kToClient, MakeReset(FrameStream(3), 8));
  reader.End("over");
  EXPECT_THAT(log.Take(), ElementsAre("1 ended 1 reset by the client, as the client wants",
                                      "3 ended 14 reset by the target", "5 ended 14 over"));
}

TEST_F(CallReaderTest, ACompressedMessageEndsTheReadingOfItsCallOnly) {
  Open(1);
  Open(3);
  log.Take();
  reader.Push(kToClient, Data(1, Prefixed("zzz", 1)) + Data(1, Prefixed("more")));
  reader.Push(kToClient, Data(3, Prefixed("plain")));
  EXPECT_THAT(log.Take(), ElementsAre("1 unreadable: a compressed message", "3 to-client plain"));
  EXPECT_EQ(reader.bad(), nullptr);
}

TEST_F(CallReaderTest, NamesTheObserversOwnCalls) {
  reader.Push(kToTarget, Headers(1, PathBlock("/a") + Literal(CallReader::kOpenedByHeader, "me")));
  EXPECT_THAT(log.Take(), ElementsAre("1 opened /a by me"));
}

TEST(CallReader, OtherProtocolsAreBadBeforeACallBegan) {
  Log log;
  CallReader reader(log);
  reader.Push(kToTarget, "GET /health HTTP/1.1\r\n\r\n");
  ASSERT_NE(reader.bad(), nullptr);
  EXPECT_FALSE(reader.began());
}

}  // namespace
}  // namespace watchproof::proxy
