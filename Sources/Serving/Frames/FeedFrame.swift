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
    private let content: Content

    private enum Content: Sendable {
        /// As the camera sent it. A copy, so that a slow viewer never keeps a slot of the ring.
        case camera([UInt8])
        /// Encoded once for everybody.
        case picture(Picture)
    }

    /// Copies a leased JPEG frame.
    init(_ lease: borrowing FrameLease) {
        (frame, size) = (lease.metadata, lease.format.size)
        content = .camera(lease.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } })
    }

    /// Takes the bytes of a JPEG.
    init(_ frame: FrameMetadata, _ size: FrameSize, _ bytes: [UInt8]) {
        (self.frame, self.size, content) = (frame, size, .camera(bytes))
    }

    /// Takes a picture of the format JPEG.
    init(_ picture: Picture) {
        (frame, size, content) = (picture.frame, picture.format.size, .picture(picture))
    }

    var byteCount: Int {
        switch content {
        case .camera(let bytes): bytes.count
        case .picture(let picture): picture.byteCount
        }
    }

    /// Copies bytes from `offset` on, and returns how many there were or fit.
    func copy(from offset: Int, into memory: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(memory.count, byteCount - offset)
        switch content {
        case .camera(let bytes):
            bytes.withUnsafeBytes {
                memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
            }
        case .picture(let picture):
            picture.withBytes { bytes in
                bytes.withUnsafeBytes {
                    memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
                }
            }
        }
        return count
    }

    /// All of its bytes.
    var bytes: [UInt8] {
        Array(unsafeUninitializedCapacity: byteCount) { memory, count in
            count = copy(from: 0, into: UnsafeMutableRawBufferPointer(memory))
        }
    }
}
