// SPDX-License-Identifier: Apache-2.0
// The text of fixtures/bugs/etcd.toml, as it was when the executable was built.
//
// Threads: a constant.
#pragma once

#include <string_view>

namespace watchproof {

std::string_view AnswerKeyText();

}  // namespace watchproof
