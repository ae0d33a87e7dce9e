// SPDX-License-Identifier: MIT
// Fuzzes the reader of neural nets' models.

import FuzzSupport
import LivecapCNets

fuzz { bytes, count in
    let first = lc_net_is_model(bytes, count)
    precondition(lc_net_is_model(bytes, count) == first, "what is read depends on the bytes alone")
    return 0
}
