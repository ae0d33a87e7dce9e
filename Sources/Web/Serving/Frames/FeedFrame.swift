// SPDX-License-Identifier: MIT
// A frame as viewers get it: a JPEG, and which frame it shows.

import LivecapFrames
import LivecapPictures

/// A JPEG of a frame. All viewers of one size share it.
final class FeedFrame: Sendable {
    /// The frame it shows.
    let frame: FrameMetadata
    let byteCount: Int
    /// The bytes that precede the JPEG in the stream; the same for every viewer.
    let head: [UInt8]
    /// A copy, so that a slow viewer never keeps a slot of the ring, or of an output's pool.
    private let memory: PictureMemory
    private let stock: FrameStock

    /// Copies a JPEG into memory from the stock. `number` counts the frames of its channel.
    init(
        _ frame: FrameMetadata, number: UInt32, size: FrameSize, jpeg: RawSpan, wrapping: FrameWrapping,
        stock: FrameStock
    ) {
        self.frame = frame
        self.stock = stock
        byteCount = jpeg.byteCount
        head = wrapping.head(frame, size, jpeg.byteCount, number: number)
        memory = stock.take(jpeg.byteCount)
        jpeg.withUnsafeBytes { memory.bytes.copyMemory(from: $0) }
    }

    deinit { stock.giveBack(memory) }

    /// Copies bytes from `offset` on, and returns how many there were or fit.
    func copy(from offset: Int, into memory: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(memory.count, byteCount - offset)
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: self.memory.bytes[offset..<offset + count]))
        return count
    }
}
