// SPDX-License-Identifier: MIT
// Which level of the kernels is chosen: the best, or the one requested.

import Fusion
import Testing

@Suite struct KernelLevelTests {
    @Test func theBestIsChosenUnlessAnotherIsAskedFor() throws {
        #expect(try KernelLevel.chosen(environment: [:]) == .best)
        #expect(try KernelLevel.chosen(environment: ["LIVECAP_KERNELS": ""]) == .best)
        #expect(try KernelLevel.chosen(environment: ["LIVECAP_KERNELS": "portable"]) == .portable)
    }

    @Test func aLevelNobodyKnowsIsRefusedWithThoseThereAre() {
        #expect(throws: FusionError.unsupportedLevel("mmx", supported: KernelLevel.supported)) {
            try KernelLevel.chosen(environment: ["LIVECAP_KERNELS": "mmx"])
        }
    }

    @Test func aLevelTheProcessorLacksIsRefused() {
        #expect(throws: FusionError.unsupportedLevel("avx2", supported: [.portable])) {
            try KernelLevel.chosen(environment: ["LIVECAP_KERNELS": "avx2"], among: [.portable])
        }
    }

    @Test func everyProcessorHasThePortableLevel() { #expect(KernelLevel.supported.first == .portable) }
}
