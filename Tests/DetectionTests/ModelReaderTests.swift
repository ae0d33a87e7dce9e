// SPDX-License-Identifier: MIT
// Models of neural nets are read only if they are whole, and no damage of one ends the process.

import LivecapCNets
import LivecapTinyModels
import Testing

@Suite struct ModelReaderTests {
    /// Passes bytes on in memory of their exact size, so that a sanitizer notices a read beyond them.
    private func isModel(_ bytes: some Collection<UInt8>) -> Bool {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { memory.deallocate() }
        _ = memory.initialize(fromContentsOf: bytes)
        return lc_net_is_model(memory.baseAddress, bytes.count)
    }

    @Test(arguments: TinyModel.allCases) func aModelIsRead(_ model: TinyModel) {
        #expect(model.bytes.count < 2048)
        #expect(isModel(model.bytes))
    }

    @Test(arguments: TinyModel.allCases) func aModelThatWasCutOffIsRefused(_ model: TinyModel) {
        let bytes = model.bytes
        for length in bytes.indices { #expect(!isModel(bytes[..<length]), "\(length) of \(bytes.count) bytes") }
    }

    @Test(arguments: TinyModel.allCases) func aFlippedBitEndsNothing(_ model: TinyModel) {
        var (bytes, refused) = (model.bytes, 0)
        for index in bytes.indices {
            for bit in 0..<8 {
                bytes[index] ^= 1 << bit
                if !isModel(bytes) { refused += 1 }
                bytes[index] ^= 1 << bit
            }
        }
        // Weights may have any value. Of the rest, much has only one.
        #expect(refused > bytes.count)
        #expect(isModel(bytes))
    }
}
