// SPDX-License-Identifier: Apache-2.0
#define TOML_IMPLEMENTATION
#include "harness/base/toml_fields.h"
