// SPDX-License-Identifier: MIT
// A frame whose bytes are read when a photo needs them.

import LivecapFrames

/// A frame on disk or in the ring. Nothing is read until a photo turns out to need it.
package struct UnreadFrame {
    let metadata: FrameMetadata
    /// Reads its bytes as the driver delivered them.
    let bytes: () throws(PhotoError) -> [UInt8]

    package init(_ metadata: FrameMetadata, bytes: @escaping () throws(PhotoError) -> [UInt8]) {
        self.metadata = metadata
        self.bytes = bytes
    }
}
