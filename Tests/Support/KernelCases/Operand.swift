// SPDX-License-Identifier: MIT
// One argument of a kernel: a number, or a buffer of samples.

import LivecapSeededRandom

/// One argument of a kernel.
struct Operand: Sendable {
    enum Role: Sendable {
        /// Passed by value.
        case integer(Int)
        /// Passed by value.
        case real(Float)
        /// Read only.
        case input
        /// Written, and possibly read before that.
        case output
        /// The buffer of an earlier argument, passed again.
        case same(Int)
        /// Written; its contents afterwards do not matter.
        case scratch
    }

    let role: Role
    /// The number of samples in the buffer.
    var count = 0
    /// The index of the sample that the kernel's pointer refers to.
    var origin = 0
    /// Samples from row to row.
    var stride = 0
    /// The alignment, in bytes, that the kernel requires of the buffer; usually that of a sample.
    var alignment = 1
    var bytesEach = 0
    /// Fills the whole buffer, given the kind of fill, the operand's index among the arguments, and a source of
    /// random numbers.
    var fill: @Sendable (UnsafeMutableRawPointer, Fill, Int, inout SeededRandom) -> Void = { _, _, _, _ in }
    /// Describes a sample.
    var text: @Sendable (UnsafeRawPointer) -> String = { _ in "" }

    static func integer(_ value: some BinaryInteger) -> Operand { Operand(role: .integer(Int(value))) }
    static func real(_ value: Float) -> Operand { Operand(role: .real(value)) }

    /// The buffer of the argument at `place`, which must come before this one.
    static func same(as place: Int) -> Operand { Operand(role: .same(place)) }

    /// A row that is only read, with values in `range`.
    static func input<S: Sample>(_: S.Type, _ count: Int, in range: ClosedRange<S> = S.usual) -> Operand {
        Operand(.input, count, in: range)
    }

    /// Fixed values, such as a table of weights or a structure of parameters.
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

    /// A row that is written. Before that, it holds random values, in `range` if the kernel reads them.
    static func output<S: Sample>(_: S.Type, _ count: Int, in range: ClosedRange<S> = S.usual) -> Operand {
        Operand(.output, count, in: range)
    }

    /// Working memory.
    static func scratch<S: Sample>(_: S.Type, _ count: Int) -> Operand { Operand(.scratch, count, in: S.usual) }

    /// The shape's rows, `stride` apart, with a margin of `margin` samples and rows that the kernel may also read.
    static func inputPlane<S: Sample>(
        _: S.Type, _ shape: Shape, margin: Int = 0, in range: ClosedRange<S> = S.usual
    ) -> Operand { plane(.input, shape, margin, range) }

    /// The shape's rows, `stride` apart. The kernel must not change anything between them.
    static func outputPlane<S: Sample>(_: S.Type, _ shape: Shape, in range: ClosedRange<S> = S.usual) -> Operand {
        plane(.output, shape, 0, range)
    }

    /// The same operand, at a multiple of `bytes` bytes.
    func aligned(to bytes: Int) -> Operand {
        var operand = self
        operand.alignment = bytes
        return operand
    }

    /// The same operand, of which the kernel gets a pointer to the sample at `origin`.
    func beginning(at origin: Int) -> Operand {
        var operand = self
        operand.origin = origin
        return operand
    }

    /// The same operand, filled like the next argument would be. It thus differs most from the one two places before.
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
