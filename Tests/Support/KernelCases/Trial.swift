// SPDX-License-Identifier: MIT
// The calls made to check a kernel.

/// One call of a kernel: its size, the contents of its arguments, and where they are placed.
struct Trial: CustomStringConvertible {
    let kernel: KernelCase
    let shape: Shape
    let fill: Fill
    let placement: Placement
    let seed: UInt64
    let operands: [Operand]

    /// The arguments before the call: the same values each time, in new memory.
    func arguments() -> Operands { Operands(operands, fill, placement, seed: seed) }

    /// The arguments after the call, if the kernel does the same as its reference.
    func expected() -> Operands {
        let expected = arguments()
        kernel.reference(expected)
        return expected
    }

    var description: String { "\(shape), fill \(fill), placement \(placement)" }
}

extension KernelCase {
    /// Every combination of shape and fill. The same seed gives the same trials.
    func trials(seed: UInt64) -> some Sequence<Trial> {
        shapes.enumerated().lazy.flatMap { row, shape in
            let operands = operands(shape)
            return Fill.allCases.enumerated().lazy.map { column, fill in
                // With 8 fills and 3 placements, every shape meets every placement.
                let number = row * Fill.allCases.count + column
                return Trial(
                    kernel: self, shape: shape, fill: fill,
                    placement: Placement.allCases[number % Placement.allCases.count],
                    seed: seed &* 1_000_003 &+ UInt64(number), operands: operands)
            }
        }
    }
}
