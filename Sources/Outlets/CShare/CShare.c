// SPDX-License-Identifier: MIT
// Checks that the layout is what other languages and other compilers read.

#include "share-writer.h"

#include <stddef.h>

_Static_assert(sizeof(struct livecap_record) == 56, "");
_Static_assert(sizeof(struct livecap_slot) == 128, "");
_Static_assert(offsetof(struct livecap_header, file_bytes) == 24, "");
_Static_assert(offsetof(struct livecap_header, pixel_format) == 32, "");
_Static_assert(offsetof(struct livecap_header, name) == 72, "");
// Words with different writers lie on different pairs of cache lines.
_Static_assert(offsetof(struct livecap_header, next_counter) == 256, "");
_Static_assert(offsetof(struct livecap_header, wake) == 384, "");
_Static_assert(offsetof(struct livecap_header, identity) == 512, "");
_Static_assert(sizeof(struct livecap_header) == 768, "");
_Static_assert(sizeof(struct livecap_message) == 16, "");
