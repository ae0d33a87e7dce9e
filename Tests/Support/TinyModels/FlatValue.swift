// SPDX-License-Identifier: MIT
// Writes flatbuffers, in which models of neural nets are kept.

/// A value of a flatbuffer, and all that it refers to.
enum FlatValue {
    /// A byte or an integer. Each takes four bytes.
    case integer(Int32)
    case bytes([UInt8])
    case integers([Int32])
    case table([Int: FlatValue])
    case tables([[Int: FlatValue]])
}

/// A flatbuffer that grows. Everything lies behind what refers to it, so that the last byte belongs to the last value.
struct FlatWriter {
    private(set) var bytes: [UInt8] = []

    /// Writes a file of one table, with the four letters that name its kind.
    init(_ root: [Int: FlatValue], kind: String) {
        append(0)
        bytes += kind.utf8
        refer(from: 0, to: .table(root))
    }

    private mutating func append(_ number: Int) { bytes += littleEndian(Int32(number)) }

    private mutating func append(half number: Int) { bytes += littleEndian(UInt16(number)) }

    private mutating func align() { bytes += [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }

    /// Writes a value, and how far away it is to where four bytes have been left for that.
    private mutating func refer(from place: Int, to value: FlatValue) {
        align()
        let target = write(value)
        bytes.replaceSubrange(place..<place + 4, with: littleEndian(Int32(target - place)))
    }

    /// Writes a value that is referred to, and returns where it lies.
    private mutating func write(_ value: FlatValue) -> Int {
        let start = bytes.count
        switch value {
        case .integer: preconditionFailure("integers lie in their tables")
        case .bytes(let values):
            append(values.count)
            bytes += values
        case .integers(let values):
            append(values.count)
            for value in values { append(Int(value)) }
        case .table(let fields): return write(fields)
        case .tables(let tables):
            append(tables.count)
            for _ in tables { append(0) }
            for (index, table) in tables.enumerated() { refer(from: start + 4 + 4 * index, to: .table(table)) }
        }
        return start
    }

    private mutating func write(_ fields: [Int: FlatValue]) -> Int {
        let list = bytes.count
        let present = fields.sorted { $0.key < $1.key }
        let count = (present.last?.key ?? -1) + 1
        append(half: 4 + 2 * count)
        append(half: 4 + 4 * present.count)
        for key in 0..<count {
            let index = present.firstIndex { $0.key == key }
            append(half: index.map { 4 + 4 * $0 } ?? 0)
        }
        align()
        let start = bytes.count
        append(start - list)
        for field in present {
            if case .integer(let value) = field.value { append(Int(value)) } else { append(0) }
        }
        for (index, field) in present.enumerated() {
            if case .integer = field.value { continue }
            refer(from: start + 4 + 4 * index, to: field.value)
        }
        return start
    }
}

func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
}
