// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/auth/auth_rows.h"

#include <optional>
#include <utility>

namespace watchproof::store {
namespace {

constexpr std::string_view kEnabled = "enabled";
constexpr std::string_view kRevision = "revision";
constexpr std::string_view kUser = "user/";
constexpr std::string_view kRole = "role/";

// Numbers in eight bytes, lowest first; texts behind their length.
class RowWriter {
 public:
  RowWriter& Number(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) row_ += static_cast<char>(number >> shift);
    return *this;
  }
  RowWriter& Text(std::string_view text) {
    Number(text.size());
    row_ += text;
    return *this;
  }
  std::string Take() { return std::move(row_); }

 private:
  std::string row_;
};

// Bytes beyond the end read as zero, and whole() is then false.
class RowReader {
 public:
  explicit RowReader(std::string_view row) : left_(row) {}
  std::uint64_t Number() {
    std::uint64_t number = 0;
    const std::string_view bytes = Cut(8);
    for (std::size_t i = bytes.size(); i > 0; --i) {
      number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
    }
    return number;
  }
  std::string Text() { return std::string(Cut(Number())); }
  bool ok() const { return ok_; }
  bool whole() const { return ok_ && left_.empty(); }

 private:
  std::string_view Cut(std::uint64_t size) {
    if (size > left_.size()) {
      ok_ = false;
      size = left_.size();
    }
    const std::string_view cut = left_.substr(0, size);
    left_.remove_prefix(size);
    return cut;
  }

  std::string_view left_;
  bool ok_ = true;
};

User ReadUser(RowReader& reader) {
  User user{.password = reader.Text(), .no_password = reader.Number() != 0};
  for (std::uint64_t count = reader.Number(); count > 0 && reader.ok(); --count) {
    user.roles.insert(reader.Text());
  }
  return user;
}

std::optional<Role> ReadRole(RowReader& reader) {
  Role role;
  for (std::uint64_t count = reader.Number(); count > 0 && reader.ok(); --count) {
    const std::uint64_t right = reader.Number();
    if (right > static_cast<std::uint64_t>(Right::kReadWrite)) return std::nullopt;
    Permission permission{.right = static_cast<Right>(right)};
    permission.range.begin = reader.Text();
    permission.range.end = reader.Text();
    role.permissions.push_back(std::move(permission));
  }
  return role;
}

Mutation Row(std::string key, std::optional<std::string> value) {
  return {.bucket = Bucket::kAuth, .key = std::move(key), .value = std::move(value)};
}
std::string Key(std::string_view kind, std::string_view name) {
  return std::string(kind) + std::string(name);
}

}  // namespace

Mutation EnabledRow(bool enabled) {
  return Row(std::string(kEnabled), RowWriter().Number(enabled ? 1 : 0).Take());
}
Mutation RevisionRow(std::uint64_t revision) {
  return Row(std::string(kRevision), RowWriter().Number(revision).Take());
}
Mutation UserRow(const std::string& name, const User& user) {
  RowWriter writer;
  writer.Text(user.password).Number(user.no_password ? 1 : 0).Number(user.roles.size());
  for (const std::string& role : user.roles) writer.Text(role);
  return Row(Key(kUser, name), writer.Take());
}
Mutation RoleRow(const std::string& name, const Role& role) {
  RowWriter writer;
  writer.Number(role.permissions.size());
  for (const Permission& permission : role.permissions) {
    writer.Number(static_cast<std::uint64_t>(permission.right));
    writer.Text(permission.range.begin).Text(permission.range.end);
  }
  return Row(Key(kRole, name), writer.Take());
}
Mutation NoUserRow(const std::string& name) { return Row(Key(kUser, name), std::nullopt); }
Mutation NoRoleRow(const std::string& name) { return Row(Key(kRole, name), std::nullopt); }

Status ReadAuthRow(std::string_view key, std::string_view value, AuthState& state) {
  RowReader reader(value);
  bool known = true;
  if (key == kEnabled) {
    state.enabled = reader.Number() != 0;
  } else if (key == kRevision) {
    state.revision = reader.Number();
  } else if (key.starts_with(kUser)) {
    state.users[std::string(key.substr(kUser.size()))] = ReadUser(reader);
  } else if (key.starts_with(kRole)) {
    auto role = ReadRole(reader);
    known = role.has_value();
    if (role) state.roles[std::string(key.substr(kRole.size()))] = *std::move(role);
  } else {
    known = false;
  }
  if (known && reader.whole()) return {};
  return Fail(StatusCode::kDataLoss, "the row '{}' of users and roles is not one of this store's",
              key);
}

}  // namespace watchproof::store
