// SPDX-License-Identifier: MIT
// What a kernel's argument is: a number, or a buffer of so many samples.

import SeededRandom

/// One argument of a kernel.
struct Operand: Sendable {
    enum Role: Sendable {
        /// Passed by value.
        case integer(Int)
        /// Passed by value.
        case real(Float)
        /// Read only.
        case input
        /// Written, and perhaps read before.
        case output
        /// The buffer of an argument before it, given once more.
        case same(Int)
        /// Written; nobody cares what is left in it.
        case scratch
    }

    let role: Role
    /// Samples in the buffer.
    var count = 0
    /// Which of them the kernel is pointed at.
    var origin = 0
    /// Samples from row to row.
    var stride = 0
    /// What the kernel demands of the buffer's address, in bytes; the sample's own alignment as a rule.
    var alignment = 1
    var bytesEach = 0
    /// Fills the whole buffer; given how, the operand's place among the arguments, and chance.
    var fill: @Sendable (UnsafeMutableRawPointer, Fill, Int, inout SeededRandom) -> Void = { _, _, _, _ in }
    /// A sample in words.
    var text: @Sendable (UnsafeRawPointer) -> String = { _ in "" }

    static func integer(_ value: some BinaryInteger) -> Operand { Operand(role: .integer(Int(value))) }
    static func real(_ value: Float) -> Operand { Operand(role: .real(value)) }

    /// The buffer of the argument at `place`, which comes before this one.
    static func same(as place: Int) -> Operand { Operand(role: .same(place)) }

    /// A row that is read, with values of `range`.
    static func input<S: Sample>(_: S.Type, _ count: Int, in range: ClosedRange<S> = S.usual) -> Operand {
        Operand(.input, count, in: range)
    }

    /// Given samples, such as a table of weights or a structure of parameters.
    static func input<T: BitwiseCopyable & Sendable>(_ values: [T]) -> Operand {
        var operand = Operand(role: .input, count: values.count, stride: values.count)
        operand.bytesEach = MemoryLayout<T>.stride
        operand.alignment = MemoryLayout<T>.alignment
        operand.fill = { memory, _, _, _ in
            memory.initializeMemory(as: T.self, from: values, count: values.count)
        }
        operand.text = { "\($0.loadUnaligned(as: T.self))" }
        return operand
    }

    /// A row that is written; what it holds before is chance, or of `range` where the kernel reads it first.
    static func output<S: Sample>(_: S.Type, _ count: Int, in range: ClosedRange<S> = S.usual) -> Operand {
        Operand(.output, count, in: range)
    }

    /// Memory to work in.
    static func scratch<S: Sample>(_: S.Type, _ count: Int) -> Operand { Operand(.scratch, count, in: S.usual) }

    /// The shape's rows, `stride` apart, with `margin` samples and rows around that the kernel may read as well.
    static func inputPlane<S: Sample>(
        _: S.Type, _ shape: Shape, margin: Int = 0, in range: ClosedRange<S> = S.usual
    ) -> Operand { plane(.input, shape, margin, range) }

    /// The shape's rows, `stride` apart. What lies between them must be left alone.
    static func outputPlane<S: Sample>(_: S.Type, _ shape: Shape, in range: ClosedRange<S> = S.usual) -> Operand {
        plane(.output, shape, 0, range)
    }

    /// The same, for a kernel that demands its buffer at a multiple of so many bytes.
    func aligned(to bytes: Int) -> Operand {
        var operand = self
        operand.alignment = bytes
        return operand
    }

    /// The same, filled as the argument after it would be: the greatest difference to the one two places before.
    var opposite: Operand {
        var operand = self
        operand.fill = { [fill] memory, how, place, random in fill(memory, how, place + 1, &random) }
        return operand
    }

    private static func plane<S: Sample>(
        _ role: Role, _ shape: Shape, _ margin: Int, _ range: ClosedRange<S>
    ) -> Operand {
        let stride = shape.stride + 2 * margin
        let rows = shape.height + 2 * margin
        var operand = Operand(role, stride * (rows - 1) + shape.width + 2 * margin, in: range)
        operand.origin = margin * stride + margin
        operand.stride = stride
        return operand
    }

    private init(role: Role, count: Int = 0, stride: Int = 0) {
        self.role = role
        self.count = count
        self.stride = stride
    }

    private init<S: Sample>(_ role: Role, _ count: Int, in range: ClosedRange<S>) {
        self.init(role: role, count: count, stride: count)
        bytesEach = MemoryLayout<S>.stride
        alignment = MemoryLayout<S>.alignment
        fill = { memory, fill, operand, random in
            let samples = memory.bindMemory(to: S.self, capacity: count)
            for place in 0..<count {
                samples[place] = S.at(fill.fraction(operand: operand, place: place, &random), of: range)
            }
        }
        text = { "\($0.loadUnaligned(as: S.self))" }
    }
}
