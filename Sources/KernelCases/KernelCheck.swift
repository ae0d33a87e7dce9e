// SPDX-License-Identifier: MIT
// Kernels held to their references, bit for bit, on the values and at the sizes where kernels break.

import CFusionKernels
import FusionKernels
import Glibc

/// A kernel's failure, with all that is needed to see it again.
package struct KernelFault: CustomStringConvertible, Sendable {
    package let kernel: String
    package let level: KernelLevel
    package let what: String
    package var description: String { "\(kernel) at level \(level.rawValue): \(what)" }
}

/// A level's kernels.
package struct LevelTable: Sendable {
    package let level: KernelLevel
    /// Tables are constants of the program, and a test's own outlives its check.
    nonisolated(unsafe) package let table: UnsafePointer<fusion_kernels>

    package init(_ level: KernelLevel, _ table: UnsafePointer<fusion_kernels>) {
        self.level = level
        self.table = table
    }

    /// Those of this processor, the plainest first.
    package static var supported: [LevelTable] {
        KernelLevel.allCases.compactMap { level in level.table.map { LevelTable(level, $0) } }
    }
}

/// The check of all kernels. The same seed makes the same calls.
package struct KernelCheck: Sendable {
    package let seed: UInt64

    package init(seed: UInt64 = 1) { self.seed = seed }

    /// Kernels that have no case, cases for what is no kernel, and kernels missing from a level's table.
    package func gaps(in levels: [LevelTable] = LevelTable.supported) -> [KernelFault] {
        levels.flatMap { level in
            let members = Mirror(reflecting: level.table.pointee).children.filter { $0.label != "level" }
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

    /// What is wrong with a kernel at any of the levels; the first finding of each.
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

    /// The first difference between what was found after a call and what should have been, in words. Inputs and canaries
    /// are compared as outputs are: nobody may have touched them.
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
