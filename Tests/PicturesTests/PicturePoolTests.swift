// SPDX-License-Identifier: MIT
// The memory of pictures.

import LivecapFrames
import LivecapThreads
import Testing

@testable import LivecapPictures

@Suite struct PicturePoolTests {
    private let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: 4, height: 4))

    private func picture(_ pool: PicturePool) -> Picture? {
        pool.take().map {
            Picture(format, frame: FrameMetadata(time: .zero, byteCount: 16), byteCount: 16, memory: $0, pool: pool)
        }
    }

    @Test func itIsUsedAgain() throws {
        let prepared = Guarded(0)
        let pool = PicturePool(limit: 2, byteCount: 16) { _ in prepared.withLock { $0 += 1 } }
        var first = picture(pool)
        let second = picture(pool)
        #expect(first != nil && second != nil && picture(pool) == nil)
        first = nil
        #expect(picture(pool) != nil)
        #expect(prepared.withLock { $0 } == 2)
    }

    @Test func aPictureOutlivesItsPool() throws {
        var pool: PicturePool? = PicturePool(limit: 1, byteCount: 16) { memory in
            memory.bytes.initializeMemory(as: UInt8.self, repeating: 7)
        }
        let made = pool.flatMap { self.picture($0) }
        let picture = try #require(made)
        pool = nil
        #expect(picture.withBytes { $0.unsafeLoad(fromByteOffset: 15, as: UInt8.self) } == 7)
        #expect(picture.withPlane(0) { $0.count } == 4)
        #expect(picture.withPlane(1) { $0.count } == nil)
    }
}
