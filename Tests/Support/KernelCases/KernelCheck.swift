// SPDX-License-Identifier: MIT
// Checks kernels against their references, bit for bit, with values and sizes at which kernels tend to fail.

import Fusion
import Glibc
import LivecapCFusionKernels

/// A failure of a kernel, with everything needed to reproduce it.
package struct KernelFault: CustomStringConvertible, Sendable {
    package let kernel: String
    package let level: KernelLevel
    package let what: String
    package var description: String { "\(kernel) at level \(level.rawValue): \(what)" }
}

/// The kernels of one level.
package struct LevelTable: Sendable {
    package let level: KernelLevel
    /// Tables are constants of the program; a table that a test makes itself outlives its check.
    nonisolated(unsafe) package let table: UnsafePointer<fusion_kernels>

    package init(_ level: KernelLevel, _ table: UnsafePointer<fusion_kernels>) {
        self.level = level
        self.table = table
    }

    /// The levels that this processor supports, in ascending order.
    package static var supported: [LevelTable] {
        KernelLevel.allCases.compactMap { level in level.table.map { LevelTable(level, $0) } }
    }
}

/// The check of all kernels. The same seed gives the same calls.
package struct KernelCheck: Sendable {
    package let seed: UInt64

    package init(seed: UInt64 = 1) { self.seed = seed }

    /// Kernels without a case, cases without a kernel, and kernels missing from a level's table.
    package func gaps(in levels: [LevelTable] = LevelTable.supported) -> [KernelFault] {
        levels.flatMap { level in
            let families = Mirror(reflecting: level.table.pointee).children.filter { $0.label != "level" }
            let members = families.flatMap { Mirror(reflecting: $0.value).children }
            let kernels = Set(members.compactMap(\.label)), cases = Set(KernelCase.all.map(\.kernel))
            let missing = members.filter { Mirror(reflecting: $0.value).children.isEmpty }
            func faults(_ names: some Sequence<String>, _ what: String) -> [KernelFault] {
                names.sorted().map { KernelFault(kernel: $0, level: level.level, what: what) }
            }
            return faults(kernels.subtracting(cases), "has no case in KernelCase.all")
                + faults(cases.subtracting(kernels), "has a case, but is no kernel")
                + faults(missing.compactMap(\.label), "is missing from the level's table")
        }
    }

    /// The faults of a kernel: at most one for each level, the first found.
    package func faults(of kernelCase: KernelCase, in levels: [LevelTable] = LevelTable.supported) -> [KernelFault] {
        var faults: [KernelFault] = []
        var sound = levels
        for trial in kernelCase.trials(seed: seed) {
            let expected = trial.expected()
            sound.removeAll { level in
                let found = trial.arguments()
                kernelCase.call(level.table, found)
                guard let difference = difference(found, expected) else { return false }
                let what = "\(difference) (\(trial), seed \(seed))"
                faults.append(KernelFault(kernel: kernelCase.kernel, level: level.level, what: what))
                return true
            }
        }
        return faults
    }

    /// Describes the first difference between the actual and the expected arguments after a call. Inputs and canaries
    /// are compared like outputs: the kernel must not have changed them.
    private func difference(_ found: Operands, _ expected: Operands) -> String? {
        for (place, operand) in found.operands.enumerated() {
            guard let found = found.blocks[place], let expected = expected.blocks[place] else { continue }
            if memcmp(found.watched.baseAddress!, expected.watched.baseAddress!, found.watched.count) == 0 { continue }
            let first = found.start - found.watched.baseAddress!
            let samples = first..<first + operand.count * operand.bytesEach
            for byte in found.watched.indices where found.watched[byte] != expected.watched[byte] {
                guard samples.contains(byte) else {
                    let past = byte < first ? "\(first - byte) before" : "\(byte - samples.upperBound + 1) behind"
                    return "a byte \(past) the samples of argument \(place) was written"
                }
                if case .scratch = operand.role { continue }
                let sample = (byte - first) / operand.bytesEach
                let was = operand.text(found.start + sample * operand.bytesEach)
                let should = operand.text(expected.start + sample * operand.bytesEach)
                return "sample \(sample - operand.origin) of argument \(place) is \(was), not \(should)"
            }
        }
        return nil
    }
}
