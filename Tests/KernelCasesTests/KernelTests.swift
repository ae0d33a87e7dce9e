// SPDX-License-Identifier: MIT
// Every kernel, at every level this processor supports, gives the results of its reference and writes nothing else.

import LivecapKernelCases
import Testing

@Suite struct KernelTests {
    @Test(arguments: KernelCase.all)
    func aKernelComputesWhatItsReferenceDoes(_ kernel: KernelCase) {
        let faults = KernelCheck().faults(of: kernel)
        #expect(faults.isEmpty, "\(faults.map(\.description).joined(separator: "\n"))")
    }

    @Test func everyKernelIsThereAndHasACase() { #expect(KernelCheck().gaps().map(\.description) == []) }
}
