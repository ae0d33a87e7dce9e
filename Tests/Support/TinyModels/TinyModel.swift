// SPDX-License-Identifier: MIT
// The smallest models of neural nets that livecap reads: .tflite files of less than 2 kB.

/// A model whose operators are read in a way of their own.
package enum TinyModel: String, CaseIterable, Sendable {
    /// The input added to itself.
    case sum
    /// A fully connected layer with weights of 16 bits.
    case connected
    /// The same with sparse weights.
    case sparse
    /// A picture that becomes smaller.
    case shrinking
    /// A picture that becomes larger.
    case enlarging

    /// The file.
    package var bytes: [UInt8] {
        switch self {
        case .sum:
            Net(
                tensors: [Tensor([1, 3]), Tensor([1, 3])],
                operators: [Operator(0, [0, 0], 1, [0: .integer(3)])], outputs: [1]
            ).bytes
        case .connected:
            Net(
                tensors: [
                    Tensor([1, 2]), Tensor([3, 2], halves: [0x3C00, 0xC000, 0, 1, 0x7BFF, 0x3555]), Tensor([3, 2]),
                    Tensor([3], floats: [0, -1, 0.5]), Tensor([1, 3]), Tensor([1, 3]),
                ],
                operators: [Operator(6, [1], 2), Operator(9, [0, 2, 3], 4), Operator(14, [4], 5)], outputs: [5]
            ).bytes
        case .sparse:
            Net(
                tensors: [Tensor([1, 4]), Self.sparseWeights, Tensor([4, 4]), Tensor([1, 4])],
                operators: [Operator(124, [1], 2), Operator(9, [0, 2, -1], 3)], outputs: [3]
            ).bytes
        case .shrinking: Self.shrinkingNet.bytes
        case .enlarging: Self.enlargingNet.bytes
        }
    }

    /// Four rows of two blocks of 1x2 values, of which five are there.
    private static var sparseWeights: Tensor {
        let rows: [Int: FlatValue] = [0: .integer(0), 1: .integer(4)]
        let columns: [Int: FlatValue] = [
            0: .integer(1), 2: .integer(3), 3: .table([0: .bytes([0, 1, 3, 3, 5])]), 4: .integer(1),
            5: .table([0: .integers([1, 0, 1, 0, 1])]),
        ]
        let blocks: [Int: FlatValue] = [0: .integer(0), 1: .integer(2)]
        var tensor = Tensor([4, 4], floats: (1...10).map { Float($0) })
        tensor.sparsity = [0: .integers([0, 1, 2]), 1: .integers([1]), 2: .tables([rows, columns, blocks])]
        return tensor
    }

    private static var shrinkingNet: Net {
        Net(
            tensors: [
                Tensor([1, 5, 5, 1]), Tensor([4, 2], integers: [0, 0, 1, 0, 1, 0, 0, 0]), Tensor([1, 6, 6, 1]),
                Tensor([2, 2, 2, 1], floats: [1, 2, 3, 4, 5, 6, 7, 8]), Tensor([1, 6, 6, 2]),
                Tensor([1, 2, 2, 2], floats: [8, 7, 6, 5, 4, 3, 2, 1]), Tensor([1, 3, 3, 2]),
                Tensor([1, 1, 2], floats: [0.5, 0.25]), Tensor([1, 3, 3, 2]), Tensor([1, 2, 2, 2]),
                Tensor([2], integers: [1, 2]), Tensor([1, 2]),
            ],
            operators: [
                Operator(34, [0, 1], 2),
                Operator(3, [2, 3, -1], 4, [0: .integer(0), 1: .integer(1), 2: .integer(1), 3: .integer(1)]),
                Operator(4, [4, 5, -1], 6, [0: .integer(1), 1: .integer(2), 2: .integer(2), 3: .integer(1)]),
                Operator(54, [6, 7], 8),
                Operator(
                    17, [8], 9,
                    [0: .integer(1), 1: .integer(1), 2: .integer(1), 3: .integer(2), 4: .integer(2)]),
                Operator(40, [9, 10], 11),
            ], outputs: [11])
    }

    private static var enlargingNet: Net {
        var transposed = Operator(32, [0, 1, -1], 2)
        transposed.name = "Convolution2DTransposeBias"
        transposed.custom = [1, 2, 2].flatMap { littleEndian(Int32($0)) }
        return Net(
            tensors: [
                Tensor([1, 2, 2, 4]), Tensor([1, 2, 2, 4], floats: (0..<16).map { Float($0) }), Tensor([1, 4, 4, 1]),
                Tensor([1, 4, 4, 1]), Tensor([1, 4, 4, 1]), Tensor([2], integers: [1, 3]), Tensor([1, 1, 3, 1]),
                Tensor([1, 3]), Tensor([1, 3]), Tensor([1, 6]),
            ],
            operators: [
                transposed, Operator(5, [0], 3, [0: .integer(2)]), Operator(18, [2, 3], 4),
                Operator(23, [4, 5], 6, [3: .integer(1)]), Operator(22, [6], 7), Operator(117, [7], 8),
                Operator(2, [7, 8], 9, [0: .integer(1)]),
            ], outputs: [4, 9])
    }
}

/// A tensor, which is a constant if it has bytes.
private struct Tensor {
    let shape: [Int32]
    var type: Int32 = 0
    var bytes: [UInt8] = []
    var sparsity: [Int: FlatValue]?

    init(_ shape: [Int32]) { self.shape = shape }

    init(_ shape: [Int32], floats: [Float]) {
        self.shape = shape
        bytes = floats.flatMap { littleEndian($0.bitPattern) }
    }

    init(_ shape: [Int32], halves: [UInt16]) {
        self.shape = shape
        type = 1
        bytes = halves.flatMap { littleEndian($0) }
    }

    init(_ shape: [Int32], integers: [Int32]) {
        self.shape = shape
        type = 2
        bytes = integers.flatMap { littleEndian($0) }
    }
}

/// An operator of a kind with this number, which reads and writes tensors by their indices.
private struct Operator {
    let kind: Int32
    let inputs: [Int32]
    let output: Int32
    let options: [Int: FlatValue]
    var name = ""
    var custom: [UInt8] = []

    init(_ kind: Int32, _ inputs: [Int32], _ output: Int32, _ options: [Int: FlatValue] = [:]) {
        self.kind = kind
        self.inputs = inputs
        self.output = output
        self.options = options
    }
}

/// A net whose input is its first tensor.
private struct Net {
    let tensors: [Tensor]
    let operators: [Operator]
    let outputs: [Int32]

    var bytes: [UInt8] {
        // The first buffer is that of all tensors without one. The last is used, and so is every byte of the file.
        var (tables, buffers) = ([[Int: FlatValue]](), [[Int: FlatValue]]([[:]]))
        for tensor in tensors {
            var table: [Int: FlatValue] = [0: .integers(tensor.shape), 1: .integer(tensor.type)]
            if !tensor.bytes.isEmpty {
                table[2] = .integer(Int32(buffers.count))
                buffers.append([0: .bytes(tensor.bytes)])
            }
            table[6] = tensor.sparsity.map { .table($0) }
            tables.append(table)
        }
        let graph: [Int: FlatValue] = [
            0: .tables(tables), 1: .integers([0]), 2: .integers(outputs),
            3: .tables(
                operators.enumerated().map { index, each in
                    [
                        0: .integer(Int32(index)), 1: .integers(each.inputs), 2: .integers([each.output]),
                        4: .table(each.options), 5: .bytes(each.custom),
                    ]
                }),
        ]
        let codes: [[Int: FlatValue]] = operators.map {
            [0: .integer($0.kind), 1: .bytes(Array($0.name.utf8)), 3: .integer($0.kind)]
        }
        let root: [Int: FlatValue] = [0: .integer(3), 1: .tables(codes), 2: .tables([graph]), 4: .tables(buffers)]
        return FlatWriter(root, kind: "TFL3").bytes
    }
}
