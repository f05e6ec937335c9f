// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/backend/backend.h"

#include <future>

namespace watchproof::store {

Status Backend::Load(Bucket bucket, const Visitor& visit) const {
  WP_ASSIGN_OR_RETURN(const std::unique_ptr<BackendReader> reader, Read());
  WP_RETURN_IF_ERROR(reader->Seek(bucket));
  std::string_view key, value;
  while (true) {
    WP_ASSIGN_OR_RETURN(const bool found, reader->Next(key, value));
    if (!found) return {};
    visit(key, value);
  }
}

Status AwaitSafe(Backend& backend, Ticket ticket) {
  std::promise<Status> safe;
  backend.WhenSafe(ticket, [&safe](const Status& status) { safe.set_value(status); });
  return safe.get_future().get();
}

}  // namespace watchproof::store
