// SPDX-License-Identifier: MIT
// The arguments of one call, in memory.

import LivecapReferenceKernels
import LivecapSeededRandom

/// The arguments that a kernel is called with, by index.
final class Operands {
    let operands: [Operand]
    let blocks: [Block?]
    private let starts: [UnsafeMutableRawPointer?]

    /// Allocates the arguments and fills them.
    init(_ operands: [Operand], _ fill: Fill, _ placement: Placement, seed: UInt64) {
        self.operands = operands
        var random = SeededRandom(seed: seed)
        blocks = operands.enumerated().map { place, operand in
            guard operand.bytesEach > 0 else { return nil }
            let block = Block(operand, placement, shift: Int(random.next() % 5))
            operand.fill(block.start, fill, place, &random)
            return block
        }
        starts = zip(operands, blocks).map { operand, block in
            block.map { $0.start + operand.origin * operand.bytesEach }
        }
    }

    /// The pointer that the kernel receives: to the operand's samples, or to structures made of them.
    func pointer<S>(_ place: Int) -> UnsafeMutablePointer<S> {
        let place = owner(of: place)
        assert(MemoryLayout<S>.stride % operands[place].bytesEach == 0, "argument \(place) has samples of another size")
        return starts[place]!.assumingMemoryBound(to: S.self)
    }

    /// A number passed by value.
    func integer<I: BinaryInteger>(_ place: Int) -> I {
        guard case .integer(let value) = operands[place].role else { preconditionFailure("\(place) is no integer") }
        return I(value)
    }

    /// A number passed by value.
    func real(_ place: Int) -> Float {
        guard case .real(let value) = operands[place].role else { preconditionFailure("\(place) is no real number") }
        return value
    }

    /// A buffer's samples.
    func samples<S: BitwiseCopyable>(_ place: Int) -> [S] {
        let place = owner(of: place)
        precondition(MemoryLayout<S>.stride == operands[place].bytesEach, "samples of another size")
        let start = blocks[place]!.start.assumingMemoryBound(to: S.self)
        return Array(UnsafeBufferPointer(start: start, count: operands[place].count))
    }

    /// A buffer's samples, addressed by column and row.
    func grid<S: BitwiseCopyable>(_ place: Int) -> Grid<S> {
        let place = owner(of: place)
        return Grid(samples(place), origin: operands[place].origin, stride: operands[place].stride)
    }

    /// Stores the result of the reference: all samples of a buffer.
    func store<S: BitwiseCopyable>(_ samples: [S], _ place: Int) {
        let place = owner(of: place)
        let operand = operands[place]
        precondition(samples.count == operand.count && MemoryLayout<S>.stride == operand.bytesEach, "another size")
        blocks[place]!.start.assumingMemoryBound(to: S.self).update(from: samples, count: samples.count)
    }

    /// Stores a plane computed by the reference, including what lies between its rows.
    func store<S: BitwiseCopyable>(_ grid: Grid<S>, _ place: Int) { store(grid.samples, place) }

    /// Stores the value that a kernel returned.
    func store<S: BitwiseCopyable>(_ value: S, _ place: Int) { store([value], place) }

    /// The index of the argument whose buffer this one uses.
    private func owner(of place: Int) -> Int {
        guard case .same(let other) = operands[place].role else { return place }
        return other
    }
}
