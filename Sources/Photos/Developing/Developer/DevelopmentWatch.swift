// SPDX-License-Identifier: MIT
// How a caller follows the making of a photo.

import LivecapFrames

/// Callbacks that watch over the making of a photo.
package struct DevelopmentWatch {
    /// Called when its frames are no longer needed.
    package var fused: () -> Void = {}
    /// Whether the work is to be abandoned; asked between its parts.
    package var isCancelled: () -> Bool = { false }
    /// Called after each part of the work, with its begin and end.
    package var trace: (_ name: String, _ from: Timestamp, _ to: Timestamp) -> Void = { _, _, _ in }

    package init(
        fused: @escaping () -> Void = {}, isCancelled: @escaping () -> Bool = { false },
        trace: @escaping (_ name: String, _ from: Timestamp, _ to: Timestamp) -> Void = { _, _, _ in }
    ) {
        self.fused = fused
        self.isCancelled = isCancelled
        self.trace = trace
    }
}
