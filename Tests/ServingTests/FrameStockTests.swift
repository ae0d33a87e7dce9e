// SPDX-License-Identifier: MIT
// Which blocks are reused, and which are replaced.

import LivecapPictures
import Testing

@testable import LivecapServing

@Suite struct FrameStockTests {
    private let stock = FrameStock()

    private func take(_ byteCount: Int) -> PictureMemory {
        let memory = stock.take(byteCount)
        #expect(memory.bytes.count >= byteCount)
        return memory
    }

    @Test func blocksAreReused() {
        let first = take(100_000)
        stock.giveBack(first)
        // Sizes vary a little between frames.
        for count in [110_000, 90_000] {
            let next = take(count)
            #expect(next.bytes.baseAddress == first.bytes.baseAddress)
            stock.giveBack(next)
        }
    }

    @Test func blocksInUseAreDistinct() {
        let pieces = (0..<8).map { _ in take(1000) }
        #expect(Set(pieces.map(\.bytes.baseAddress)).count == 8)
        for piece in pieces { stock.giveBack(piece) }
    }

    @Test func whatIsInUseIsCounted() {
        let pieces = [take(1000), take(100_000)]
        #expect(stock.usedBytes == pieces.map(\.bytes.count).reduce(0, +))
        stock.giveBack(pieces[0])
        #expect(stock.usedBytes == pieces[1].bytes.count)
        // A block that is reused counts again.
        let again = take(1000)
        #expect(stock.usedBytes == again.bytes.count + pieces[1].bytes.count)
        for piece in [again, pieces[1]] { stock.giveBack(piece) }
        #expect(stock.usedBytes == 0)
    }

    @Test func blocksOfOtherSizesAreReplaced() {
        stock.giveBack(take(1_000_000))
        let smaller = take(100_000)
        #expect(smaller.bytes.count < 200_000)
        stock.giveBack(smaller)
        stock.giveBack(take(300_000))
    }
}
