// SPDX-License-Identifier: Apache-2.0
// The control port over real sockets: the requests of Toxiproxy's clients, and their effect on
// bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "proxies/control/json_fields.h"
#include "proxies/control/proxy_handle.h"
#include "proxies/control/test_peers.h"

namespace watchproof::proxy {
namespace {

using ::testing::HasSubstr;
using Outcome = TestPeer::Outcome;

struct Answer {
  int code = 0;
  std::string head;
  Json body;
};

class Control : public ::testing::Test {
 protected:
  Control() {
    const Result<std::string> opened = proxies_.OpenControl({.seed = 1});
    EXPECT_TRUE(opened.has_value());
    control_ = opened.value_or("127.0.0.1:0");
  }
  // The port's reply to these bytes, up to the end of the connection.
  std::string Raw(const std::string& bytes) {
    TestPeer peer = TestPeer::Connect(control_);
    EXPECT_TRUE(peer.Send(bytes));
    return peer.Receive(1 << 20);
  }
  Answer Ask(const std::string& method, const std::string& target, const std::string& body = "",
             const std::string& header = "") {
    const std::string said =
        Raw(method + " " + target + " HTTP/1.1\r\nHost: control\r\nConnection: close\r\n" + header +
            "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    const std::size_t end = said.find("\r\n\r\n");
    if (said.size() < 12 || end == std::string::npos) return {};
    return {.code = std::stoi(said.substr(9, 3)),
            .head = said.substr(0, end),
            .body = Json::parse(said.substr(end + 4), nullptr, false)};
  }
  // A proxy in front of the test's server; returns its address.
  std::string Open(const std::string& name) {
    const Json wanted = {{"name", name}, {"listen", "127.0.0.1:0"}, {"upstream", Upstream()}};
    const Answer answer = Ask("POST", "/proxies", wanted.dump());
    EXPECT_EQ(answer.code, 201) << answer.body;
    return answer.body.value("listen", "");
  }
  std::string Upstream() const { return "127.0.0.1:" + std::to_string(server_.port()); }
  void OpenPair(const std::string& listen) {
    ASSERT_TRUE(ConnectPair(listen, server_, client_, target_));
  }
  // The code, and the body's code and text if it is an error.
  static void ExpectError(const Answer& answer, int code, const std::string& text) {
    EXPECT_EQ(answer.code, code) << text;
    EXPECT_EQ(answer.body.value("status", 0), code) << text;
    EXPECT_THAT(answer.body.value("error", ""), HasSubstr(text));
  }

  TestServer server_;
  Proxies proxies_;
  std::string control_;
  TestPeer client_{-1};
  TestPeer target_{-1};
};

TEST_F(Control, OpensListsShowsAndDeletesProxies) {
  const std::string listen = Open("one");
  const Answer all = Ask("GET", "/proxies");
  EXPECT_EQ(all.code, 200);
  EXPECT_THAT(all.head, HasSubstr("application/json"));
  const Json expected = {{"name", "one"},
                         {"listen", listen},
                         {"upstream", Upstream()},
                         {"enabled", true},
                         {"toxics", Json::array()}};
  EXPECT_EQ(all.body, Json({{"one", expected}}));
  EXPECT_EQ(Ask("GET", "/proxies/one").body, expected);
  OpenPair(listen);
  EXPECT_EQ(Ask("DELETE", "/proxies/one").code, 204);
  EXPECT_EQ(client_.Next(), Outcome::kEnd);
  EXPECT_FALSE(TestPeer::Connect(listen).connected());
  ExpectError(Ask("GET", "/proxies/one"), 404, "proxy not found");
}

TEST_F(Control, ListsProxiesOpenedBeforeIt) {
  Proxies proxies;
  ASSERT_TRUE(proxies.Open({.name = "front", .target_port = server_.port()}).has_value());
  control_ = proxies.OpenControl({}).value();
  EXPECT_EQ(Ask("GET", "/proxies/front").body.value("upstream", ""), Upstream());
  EXPECT_EQ(Ask("DELETE", "/proxies/front").code, 204);
}

TEST_F(Control, KeepsAddressAndToxicsWhenDisabled) {
  const std::string listen = Open("one");
  ASSERT_EQ(Ask("POST", "/proxies/one/toxics", R"({"type":"timeout"})").code, 200);
  EXPECT_EQ(Ask("POST", "/proxies/one", R"({"enabled":false})").body.value("enabled", true), false);
  EXPECT_FALSE(TestPeer::Connect(listen).connected());
  const Answer again = Ask("PATCH", "/proxies/one", R"({"enabled":true})");
  EXPECT_EQ(again.body.value("listen", ""), listen);
  client_ = TestPeer::Connect(listen);
  target_ = server_.Accept();
  ASSERT_TRUE(target_.Send("swallowed") && client_.Send("c"));
  EXPECT_EQ(target_.Receive(1), "c");
  EXPECT_TRUE(Eventually(
      [&] { return Ask("GET", "/effects").body.back()["receipt"]["bytes_swallowed"] == 9; }));
  EXPECT_EQ(client_.unread(), 0U);
}

TEST_F(Control, PopulatesOnceAndKeepsExistingProxies) {
  const Json wanted = Json::array(
      {{{"name", "a"}, {"listen", "127.0.0.1:0"}, {"upstream", Upstream()}},
       {{"name", "b"}, {"listen", "127.0.0.1:0"}, {"upstream", Upstream()}, {"enabled", false}}});
  const Answer first = Ask("POST", "/populate", wanted.dump());
  EXPECT_EQ(first.code, 201);
  ASSERT_EQ(first.body["proxies"].size(), 2U);
  EXPECT_EQ(first.body["proxies"][1]["enabled"], false);
  const std::string listen = first.body["proxies"][0]["listen"];
  OpenPair(listen);
  EXPECT_EQ(Ask("POST", "/populate", wanted.dump()).body["proxies"][0]["listen"], listen);
  ASSERT_TRUE(client_.Send("still here"));
  EXPECT_EQ(target_.Receive(10), "still here");
  ExpectError(Ask("POST", "/populate", R"([{"name":"a","upstream":"x:1"},{"name":"c"}])"), 400,
              "at proxy 2: missing required field: upstream");
}

TEST_F(Control, KeepsAProxyWhenAChangeFails) {
  const std::string listen = Open("one");
  ASSERT_EQ(Ask("POST", "/proxies/one/toxics", R"({"type":"latency"})").code, 200);
  const Json before = Ask("GET", "/proxies/one").body;
  const Json taken = {{"listen", Upstream()}};
  ExpectError(Ask("POST", "/proxies/one", taken.dump()), 500, "in use");
  EXPECT_EQ(Ask("GET", "/proxies/one").body, before);
  ExpectError(Ask("POST", "/proxies/one", R"({"upstream":"no such host:1"})"), 400, "no address");
  EXPECT_EQ(Ask("GET", "/proxies/one").body, before);
  const Json all =
      Json::array({{{"name", "one"}, {"listen", Upstream()}, {"upstream", Upstream()}}});
  ExpectError(Ask("POST", "/populate", all.dump()), 500, "in use");
  EXPECT_EQ(Ask("GET", "/proxies/one").body, before);
  EXPECT_EQ(Ask("GET", "/effects").body.back()["armed"], true);
  OpenPair(listen);
}

TEST_F(Control, OpensOnLoopbackByDefault) {
  const Json wanted = {{"name", "one"}, {"listen", ""}, {"upstream", Upstream()}};
  const Answer answer = Ask("POST", "/proxies", wanted.dump());
  EXPECT_EQ(answer.code, 201) << answer.body;
  EXPECT_THAT(answer.body.value("listen", ""), ::testing::StartsWith("127.0.0.1:"));
  const Answer again = Ask("POST", "/proxies/one", R"({"listen":"","enabled":true})");
  EXPECT_EQ(again.body, answer.body);
}

TEST_F(Control, RejectsToxicsThatCannotBeArmedLater) {
  Open("one");
  ASSERT_EQ(Ask("POST", "/proxies/one", R"({"enabled":false})").code, 200);
  const auto toxic = [this](const char* type, const char* attribute, std::int64_t number) {
    const Json body = {{"type", type}, {"attributes", {{attribute, number}}}};
    return Ask("POST", "/proxies/one/toxics", body.dump()).code;
  };
  for (const auto& [type, attribute] : {std::pair("latency", "jitter"),
                                        {"bandwidth", "rate"},
                                        {"slicer", "delay"},
                                        {"limit_data", "bytes"}}) {
    EXPECT_EQ(toxic(type, attribute, 10'000'000'001), 400) << type;
    EXPECT_EQ(toxic(type, attribute, 10'000'000'000), 200) << type;
  }
  EXPECT_EQ(Ask("POST", "/proxies/one", R"({"enabled":true})").code, 200);
}

TEST_F(Control, AddsChangesAndRemovesToxics) {
  Open("one");
  const Answer made = Ask("POST", "/proxies/one/toxics",
                          R"({"type":"latency","attributes":{"latency":50},"toxicity":0.5})");
  EXPECT_EQ(made.code, 200);
  const Json expected = {{"name", "latency_downstream"},
                         {"type", "latency"},
                         {"stream", "downstream"},
                         {"toxicity", 0.5},
                         {"attributes", {{"latency", 50}, {"jitter", 0}}}};
  EXPECT_EQ(made.body, expected);
  EXPECT_EQ(Ask("GET", "/proxies/one/toxics").body, Json::array({expected}));
  EXPECT_EQ(Ask("GET", "/proxies/one").body["toxics"], Json::array({expected}));
  const Answer changed = Ask("POST", "/proxies/one/toxics/latency_downstream",
                             R"({"attributes":{"jitter":5},"toxicity":1})");
  EXPECT_EQ(changed.body["attributes"], Json({{"latency", 50}, {"jitter", 5}}));
  EXPECT_EQ(changed.body["toxicity"], 1.0);
  EXPECT_EQ(Ask("DELETE", "/proxies/one/toxics/latency_downstream").code, 204);
  ExpectError(Ask("GET", "/proxies/one/toxics/latency_downstream"), 404, "toxic not found");
  for (const Json& effect : Ask("GET", "/effects").body) EXPECT_EQ(effect["armed"], false);
}

TEST_F(Control, LimitDataPassesExactlyTheGivenBytes) {
  const std::string listen = Open("one");
  ASSERT_EQ(
      Ask("POST", "/proxies/one/toxics", R"({"type":"limit_data","attributes":{"bytes":5}})").code,
      200);
  client_ = TestPeer::Connect(listen);
  target_ = server_.Accept();
  ASSERT_TRUE(target_.Send("0123456789"));
  EXPECT_EQ(client_.Receive(10), "01234");
  EXPECT_EQ(client_.Next(), Outcome::kEnd);
}

TEST_F(Control, EveryToxicMapsToAnEffect) {
  Open("one");
  for (const char* type :
       {"bandwidth", "latency", "limit_data", "reset_peer", "slicer", "slow_close", "timeout"}) {
    for (const char* stream : {"upstream", "downstream"}) {
      const Json wanted = {{"type", type}, {"stream", stream}};
      EXPECT_EQ(Ask("POST", "/proxies/one/toxics", wanted.dump()).code, 200) << type;
      const Json effect = Ask("GET", "/effects").body.back();
      EXPECT_EQ(effect["direction"], std::string(stream) == "upstream" ? "to-target" : "to-client");
    }
  }
}

TEST_F(Control, ResetRemovesAllToxicsAndEnablesAllProxies) {
  const std::string listen = Open("one");
  ASSERT_EQ(Ask("POST", "/proxies/one/toxics", R"({"type":"reset_peer"})").code, 200);
  ASSERT_EQ(Ask("POST", "/proxies/one", R"({"enabled":false})").code, 200);
  EXPECT_EQ(Ask("POST", "/reset").code, 204);
  EXPECT_EQ(Ask("GET", "/proxies/one/toxics").body, Json::array());
  OpenPair(listen);
}

TEST_F(Control, ArmsEffectsAndReturnsTheirReceipts) {
  OpenPair(Open("one"));
  const Answer armed = Ask(
      "POST", "/effects",
      R"({"proxy":"one","kind":"stall","direction":"to-client","connection":1,"parameters":{}})");
  EXPECT_EQ(armed.code, 201);
  const std::string path = "/effects/" + std::to_string(armed.body.value("id", 0));
  ASSERT_TRUE(target_.Send("held"));
  EXPECT_TRUE(Eventually([&] { return Ask("GET", path).body["receipt"]["bytes_withheld"] == 4; }));
  EXPECT_EQ(Ask("GET", "/proxies/one/connections").body[0]["state"], "open");
  const Answer healed = Ask("DELETE", path);
  EXPECT_EQ(healed.code, 200);
  EXPECT_EQ(healed.body["armed"], false);
  EXPECT_EQ(healed.body["receipt"]["bytes_withheld"], 4);
  EXPECT_EQ(client_.Receive(4), "held");
  EXPECT_THAT(Ask("GET", "/effect-kinds").body.dump(), HasSubstr("late-accept"));
}

TEST_F(Control, ErrorsNameWhatIsExpected) {
  Open("one");
  const auto create = [this](const char* body) { return Ask("POST", "/proxies", body); };
  const auto toxic = [this](const char* body) { return Ask("POST", "/proxies/one/toxics", body); };
  const auto effect = [this](const char* body) { return Ask("POST", "/effects", body); };
  ExpectError(create("{"), 400, "bad request body: expected a JSON object");
  ExpectError(create(R"({"upstream":"h:1"})"), 400, "missing required field: name");
  ExpectError(create(R"({"name":"x"})"), 400, "missing required field: upstream");
  ExpectError(create(R"({"name":"x","upstream":"h"})"), 400, "'h' is not HOST:PORT");
  ExpectError(create(R"({"name":"x","upstream":7})"), 400, "'upstream' must be a string");
  ExpectError(create(R"({"name":"one","upstream":"127.0.0.1:1"})"), 409, "proxy already exists");
  const Json taken = {{"name", "two"}, {"listen", Upstream()}, {"upstream", "127.0.0.1:1"}};
  ExpectError(Ask("POST", "/proxies", taken.dump()), 500, "in use");
  ExpectError(toxic(R"({"type":"lag"})"), 400, "invalid toxic type 'lag'; there are: bandwidth");
  ExpectError(toxic(R"({"type":"latency","stream":"sideways"})"), 400, "upstream or downstream");
  ExpectError(toxic(R"({"type":"latency","toxicity":2})"), 400, "from 0 to 1");
  ExpectError(toxic(R"({"type":"latency","attributes":{"ms":1}})"), 400, "it has: latency, jitter");
  ExpectError(toxic(R"({"type":"latency","attributes":{"latency":-1}})"), 400, "whole number");
  ASSERT_EQ(toxic(R"({"type":"latency"})").code, 200);
  ExpectError(toxic(R"({"type":"latency"})"), 409, "toxic already exists");
  ExpectError(effect(R"({"proxy":"one","kind":"bend"})"), 404, "there is no effect 'bend'");
  ExpectError(effect(R"({"proxy":"one","kind":"corrupt"})"), 409, "for self-tests only");
  ExpectError(effect(R"({"proxy":"one","kind":"stall","direction":"up"})"), 400, "to-client");
  ExpectError(effect(R"({"proxy":"none","kind":"stall"})"), 404, "proxy not found");
  ExpectError(Ask("GET", "/effects/99"), 404, "effect 99 was never armed");
  ExpectError(Ask("GET", "/effects/first"), 400, "not the number of an effect");
  ExpectError(Ask("PUT", "/proxies"), 405, "there are: GET, POST");
  ExpectError(Ask("GET", "/toxics"), 404, "there is nothing at '/toxics'");
}

TEST_F(Control, RejectsBrowsersAndMalformedRequests) {
  ExpectError(Ask("GET", "/version", "", "User-Agent: Mozilla/5.0\r\n"), 403, "User agent");
  EXPECT_THAT(Raw("what is this\r\n\r\n"), HasSubstr("400 Bad Request"));
  EXPECT_THAT(Raw("GET / HTTP/1.1\r\nX: " + std::string(20 << 10, 'x') + "\r\n\r\n"),
              HasSubstr(" 431 "));
  EXPECT_THAT(Raw("POST /populate HTTP/1.1\r\nContent-Length: 2000000\r\n\r\n"),
              HasSubstr(" 413 "));
}

// Nested half a million times, which is more than a stack has room for.
TEST_F(Control, SurvivesDeepNesting) {
  Open("one");
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  const char* const objects[] = {"attributes", "listen", "parameters"};
  for (const char* name : objects) {
    const std::string body = "{\"" + std::string(name) + "\":" + deep + "}";
    EXPECT_EQ(Ask("POST", "/proxies/one", body).code, 400);
    EXPECT_EQ(Ask("POST", "/proxies/one/toxics", body).code, 400);
    EXPECT_EQ(Ask("POST", "/effects", body).code, 400);
  }
  EXPECT_EQ(Ask("POST", "/populate", deep).code, 400);
  EXPECT_EQ(Ask("GET", "/version").code, 200);
}

TEST_F(Control, AnswersHeadRequests) {
  const std::string said = Raw("HEAD /version HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(said, HasSubstr("405 Method Not Allowed"));
  EXPECT_THAT(said, ::testing::EndsWith("\r\n\r\n"));
}

TEST_F(Control, ServesManyRequestsOnOneConnection) {
  TestPeer peer = TestPeer::Connect(control_);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(peer.Send("GET /version HTTP/1.1\r\nHost: control\r\n\r\n"));
    EXPECT_EQ(peer.Receive(15), "HTTP/1.1 200 OK");
    // The rest of the answer: the connection stays open, so wait for its last byte.
    std::string rest;
    while (!rest.ends_with("}")) {
      const std::string more = peer.Receive(1);
      ASSERT_FALSE(more.empty()) << rest;
      rest += more;
    }
    EXPECT_THAT(rest, HasSubstr("\"version\""));
  }
  proxies_.Stop();
  EXPECT_NE(peer.Next(), Outcome::kNothing);
}

TEST_F(Control, LeaksNothingAsProxiesAreOpenedAndClosed) {
  const auto visit = [&] {
    OpenPair(Open("one"));
    ASSERT_EQ(Ask("POST", "/proxies/one/toxics", R"({"type":"latency"})").code, 200);
    ASSERT_EQ(Ask("DELETE", "/proxies/one").code, 204);
  };
  // An answer arrives before its connection is closed, so count before the first request.
  const int before = OpenDescriptors();
  for (int i = 0; i < 50; ++i) visit();
  client_.Close();
  target_.Close();
  EXPECT_TRUE(Eventually([&] { return OpenDescriptors() == before; }))
      << OpenDescriptors() - before << " more than before";
}

}  // namespace
}  // namespace watchproof::proxy
