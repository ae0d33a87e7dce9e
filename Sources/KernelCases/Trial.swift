// SPDX-License-Identifier: MIT
// The calls that are made of a kernel to check it.

/// One call of a kernel: at which size, with what, and where that lies.
struct Trial: CustomStringConvertible {
    let kernel: KernelCase
    let shape: Shape
    let fill: Fill
    let placement: Placement
    let seed: UInt64
    let operands: [Operand]

    /// The arguments before the call: the same each time, in memory of their own.
    func arguments() -> Operands { Operands(operands, fill, placement, seed: seed) }

    /// The arguments after the call, if the kernel does what its reference does.
    func expected() -> Operands {
        let expected = arguments()
        kernel.reference(expected)
        return expected
    }

    var description: String { "\(shape), fill \(fill), placement \(placement)" }
}

extension KernelCase {
    /// Every shape with every fill. The same seed gives the same trials.
    func trials(seed: UInt64) -> some Sequence<Trial> {
        shapes.enumerated().lazy.flatMap { row, shape in
            let operands = operands(shape)
            return Fill.allCases.enumerated().lazy.map { column, fill in
                // There are 8 fills and 3 placements: every shape meets every placement.
                let number = row * Fill.allCases.count + column
                return Trial(
                    kernel: self, shape: shape, fill: fill,
                    placement: Placement.allCases[number % Placement.allCases.count],
                    seed: seed &* 1_000_003 &+ UInt64(number), operands: operands)
            }
        }
    }
}
