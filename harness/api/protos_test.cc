// SPDX-License-Identifier: Apache-2.0
// The table against the proto files: a call, field or option that one has and the other has not.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "harness/api/api_table.h"

namespace watchproof {
namespace {

namespace pb = google::protobuf;
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kFolder = "fixtures/protos";

// What proto files have, by name.
class Api {
 public:
  // Those of the project, or a copy of them, below the root.
  explicit Api(const fs::path& root) {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    const fs::path set = fs::path(testing::TempDir()) / (test + ".descriptors");
    const std::string command =
        fmt::format("cd '{}' && '{}' --proto_path=. --descriptor_set_out='{}' {}/*.proto",
                    root.string(), WP_PROTOC, set.string(), kFolder);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    pb::FileDescriptorSet files;
    std::ifstream in(set, std::ios::binary);
    EXPECT_TRUE(files.ParseFromIstream(&in));
    for (const auto& file : files.file()) Add(file);
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  void Add(const pb::FileDescriptorProto& file) {
    for (const auto& service : file.service()) {
      for (const auto& call : service.method()) Add(service.name(), call.name());
    }
    for (const auto& message : file.message_type()) Add(message, "");
    for (const auto& options : file.enum_type()) Add(options, "");
  }
  void Add(const std::string& scope, const std::string& name) {
    EXPECT_TRUE(names_.insert(scope + "." + name).second) << scope << "." << name << " twice";
  }
  void Add(const pb::DescriptorProto& message, const std::string& outer) {
    const std::string scope = outer + message.name();
    for (const auto& field : message.field()) Add(scope, field.name());
    for (const auto& inner : message.nested_type()) Add(inner, scope + ".");
    for (const auto& options : message.enum_type()) Add(options, scope + ".");
  }
  void Add(const pb::EnumDescriptorProto& options, const std::string& outer) {
    for (const auto& option : options.value()) Add(outer + options.name(), option.name());
  }

  std::set<std::string> names_;
};

std::set<std::string> Rows() {
  std::set<std::string> rows;
  for (const ApiRow& row : ApiTable::BuiltIn().rows()) rows.insert(row.name);
  return rows;
}

std::vector<std::string> Without(const std::set<std::string>& names,
                                 const std::set<std::string>& those) {
  std::vector<std::string> left;
  std::ranges::set_difference(names, those, std::back_inserter(left));
  return left;
}

// A row of a service without a proto file here: its messages are written by hand.
bool IsHandwritten(const std::string& row) {
  static const std::set<std::string> kScopes = {
      "Lock",           "LockRequest",     "LockResponse",    "UnlockRequest",
      "UnlockResponse", "Election",        "CampaignRequest", "CampaignResponse",
      "LeaderKey",      "LeaderRequest",   "LeaderResponse",  "ResignRequest",
      "ResignResponse", "ProclaimRequest", "ProclaimResponse"};
  return kScopes.contains(row.substr(0, row.find('.')));
}

TEST(Protos, EachCallFieldAndOptionHasARow) {
  const Api api(WP_SOURCES);
  ASSERT_GT(api.names().size(), 250U);
  EXPECT_THAT(Without(api.names(), Rows()), IsEmpty()) << "add these to fixtures/api/etcd.toml";
  std::vector<std::string> gone = Without(Rows(), api.names());
  std::erase_if(gone, IsHandwritten);
  EXPECT_THAT(gone, IsEmpty()) << "no proto file has these rows of fixtures/api/etcd.toml";
}

// What the test above says of a release that has more than the table.
TEST(Protos, WhatIsAddedToACopyIsNamed) {
  const fs::path root = fs::path(testing::TempDir()) / "api_protos";
  fs::create_directories(root / kFolder);
  fs::copy(fs::path(WP_SOURCES) / kFolder, root / kFolder,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  std::ifstream in(root / kFolder / "rpc.proto");
  std::string copy(std::istreambuf_iterator<char>(in), {});
  for (const auto& [behind, added] :
       {std::pair<std::string, std::string>("message RangeRequest {", "bool stale = 99;"),
        {"enum SortTarget {", "LEASE = 99;"},
        {"service KV {", "rpc Touch(PutRequest) returns (PutResponse);"}}) {
    const std::size_t at = copy.find(behind);
    ASSERT_NE(at, std::string::npos) << behind;
    // An enum's first value is 0.
    copy.insert(behind.starts_with("enum") ? copy.find(';', at) + 1 : at + behind.size(), added);
  }
  std::ofstream(root / kFolder / "rpc.proto") << copy;
  EXPECT_THAT(Without(Api(root).names(), Rows()),
              ElementsAre("KV.Touch", "RangeRequest.SortTarget.LEASE", "RangeRequest.stale"));
}

}  // namespace
}  // namespace watchproof
