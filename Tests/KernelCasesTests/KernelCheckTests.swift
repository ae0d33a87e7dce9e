// SPDX-License-Identifier: MIT
// The check of kernels detects the faults it is made for.

import Fusion
import LivecapCFusionKernels
import LivecapKernelCases
import Testing

@Suite struct KernelCheckTests {
    /// The faults found when `add_row` is replaced by another function.
    private func finding(_ addRow: @convention(c) (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt16>?) -> Void)
        -> String
    {
        var table = KernelLevel.portable.table!.pointee
        table.mean.add_row = addRow
        return withUnsafePointer(to: table) { table in
            let kernel = KernelCase.all.first { $0.kernel == "add_row" }!
            return KernelCheck().faults(of: kernel, in: [LevelTable(.portable, table)]).map(\.description).joined()
        }
    }

    @Test func aWrongSampleIsNamed() {
        let found = finding { row, count, sum in
            for place in 0..<count { sum![place] += UInt16(row![place]) }
            if count > 64 { sum![64] ^= 1 }
        }
        #expect(found.contains("add_row at level portable: sample 64 of argument 2 is"), "\(found)")
        #expect(found.contains("width 65") && found.contains("seed"), "\(found)")
    }

    @Test func aStoreBehindTheEndIsFound() {
        let found = finding { row, count, sum in
            for place in 0..<count { sum![place] += UInt16(row![place]) }
            if count % 2 == 1 { sum![count] = 0 }
        }
        #expect(found.contains("a byte 1 behind the samples of argument 2 was written"), "\(found)")
    }

    @Test func aStoreBeforeTheStartIsFound() {
        let found = finding { row, count, sum in
            for place in 0..<count { sum![place] += UInt16(row![place]) }
            sum![-1] = 0
        }
        #expect(found.contains("before the samples of argument 2 was written"), "\(found)")
    }

    @Test func aChangedInputIsFound() {
        let found = finding { row, count, sum in
            for place in 0..<count { sum![place] += UInt16(row![place]) }
            UnsafeMutablePointer(mutating: row!)[count - 1] ^= 1
        }
        #expect(found.contains("sample 0 of argument 0 is"), "\(found)")
    }

    @Test func aKernelMissingFromATableIsFound() {
        var table = KernelLevel.portable.table!.pointee
        table.mean.add_row = nil
        let found = withUnsafePointer(to: table) { KernelCheck().gaps(in: [LevelTable(.portable, $0)]) }
        #expect(found.map(\.description) == ["add_row at level portable: is missing from the level's table"])
    }
}
