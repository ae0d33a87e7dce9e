// SPDX-License-Identifier: MIT
// A frame as viewers get it: a JPEG, and which frame it shows.

import FrameRing
import LivecapFrames
import LivecapPictures

/// A JPEG of a frame. All viewers of one size share it.
final class FeedFrame: Sendable {
    /// The frame it shows.
    let frame: FrameMetadata
    let size: FrameSize
    /// A copy, so that a slow viewer never keeps a slot of the ring, or of an output's pool.
    let bytes: [UInt8]

    /// Copies a leased JPEG frame.
    init(_ lease: borrowing FrameLease) {
        (frame, size) = (lease.metadata, lease.format.size)
        bytes = lease.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }

    /// Takes the bytes of a JPEG.
    init(_ frame: FrameMetadata, _ size: FrameSize, _ bytes: [UInt8]) {
        (self.frame, self.size, self.bytes) = (frame, size, bytes)
    }

    /// Copies a picture of the format JPEG.
    init(_ picture: Picture) {
        (frame, size) = (picture.frame, picture.format.size)
        bytes = picture.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }

    var byteCount: Int { bytes.count }

    /// Copies bytes from `offset` on, and returns how many there were or fit.
    func copy(from offset: Int, into memory: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(memory.count, byteCount - offset)
        memory.copyBytes(from: bytes[offset..<offset + count])
        return count
    }
}
