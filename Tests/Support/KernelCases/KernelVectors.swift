// SPDX-License-Identifier: MIT
// Writes calls with their arguments before and after, for test programs on targets that Swift cannot be built for.

/// The trials of all kernels as bytes, little-endian, in the format that `Tests/Arm64/vectors.c` reads. A call is
///
///     text name, u32 arguments, then for each argument u8 kind and
///         'i'  i64 value
///         'r'  f32 value
///         's'  u32 index of the argument whose buffer is passed again
///         'b'  u32 alignment, u32 origin in bytes, u32 count, the bytes before, u8 whether the contents afterwards
///              matter, and if so the bytes after
///     text conditions
///
/// where a text is a u32 count followed by its bytes. An empty name ends the calls.
package struct KernelVectors {
    private var bytes: [UInt8] = []

    package init() {}

    /// Passes the calls of one kernel after another to `sink`, then the end mark.
    package mutating func write<Failure: Error>(
        seed: UInt64 = 1, to sink: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        for kernel in KernelCase.all {
            for trial in kernel.trials(seed: seed) { append(trial) }
            try sink(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        append("")
        try sink(bytes)
    }

    private mutating func append(_ trial: Trial) {
        let before = trial.arguments(), after = trial.expected()
        append(trial.kernel.kernel)
        append(UInt32(trial.operands.count))
        for (place, operand) in trial.operands.enumerated() {
            switch operand.role {
            case .integer(let value):
                append(UInt8(ascii: "i"))
                append(Int64(value))
            case .real(let value):
                append(UInt8(ascii: "r"))
                append(value.bitPattern)
            case .same(let other):
                append(UInt8(ascii: "s"))
                append(UInt32(other))
            case .input, .output, .scratch:
                append(UInt8(ascii: "b"))
                append(UInt32(operand.alignment))
                append(UInt32(operand.origin * operand.bytesEach))
                append(UInt32(operand.count * operand.bytesEach))
                append(before, place)
                if case .scratch = operand.role {
                    append(UInt8(0))
                } else {
                    append(UInt8(1))
                    append(after, place)
                }
            }
        }
        append("\(trial)")
    }

    private mutating func append(_ operands: Operands, _ place: Int) {
        let operand = operands.operands[place]
        let start = operands.blocks[place]!.start
        bytes += UnsafeRawBufferPointer(start: start, count: operand.count * operand.bytesEach)
    }

    private mutating func append(_ text: String) {
        append(UInt32(text.utf8.count))
        bytes += text.utf8
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
}
