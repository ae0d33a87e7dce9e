// SPDX-License-Identifier: MIT
// File names are bytes: every name survives the conversion to text and back, and no two names share one text.

import Glibc
import LivecapFiles
import LivecapSeededRandom
import Testing

@testable import Camera
@testable import LivecapFrameFiles

@Suite("File names") struct FileNameTests {
    let folder = TemporaryFolder()

    private func bytes(_ text: String) -> [UInt8] {
        text.withFileName { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }

    @Test(arguments: [
        Array("caf".utf8) + [0xE9], [0xFF, 0xFE, 0x80], Array("é日本".utf8), Array("a".utf8), [0xE6, 0x97],
        // The characters that stand for single bytes can occur in a name themselves.
        [0xF4, 0x8F, 0xBF, 0xA9], [0xF4, 0x8F, 0xBE, 0x7F], [0xED, 0xA0, 0x80],
    ]) func everyNameComesBack(name: [UInt8]) { #expect(bytes(FileName.text(name)) == name) }

    @Test func namesOfAnyBytesComeBack() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<2000 {
            // Mostly bytes that start or continue a multi-byte sequence.
            let name = (0..<8).map { _ in
                let byte = UInt8(truncatingIfNeeded: random.next())
                return byte % 3 == 0
                    ? max(1, byte & 0x7F) : [0xF4, 0x8F, 0xBE, 0xBF, 0xC3, 0xA9, 0xE9, 0x80][Int(byte) % 8]
            }
            #expect(bytes(FileName.text(name)) == name, "seed 5")
        }
    }

    @Test func utf8StaysWhatItIs() { #expect(FileName.text("Ärger/日本 🙂".utf8) == "Ärger/日本 🙂") }

    @Test func aRecordingOfAnyNameIsWrittenAndRead() throws {
        let path = folder.path + "/" + FileName.text(Array("caf".utf8) + [0xE9] + Array(".lcap".utf8))
        try SampleRecording(frames: 3).write(to: path)
        #expect(try openFrameFile(path).frameCount == 3)
        #expect(OutputTarget(path) == .file && access(folder.file("caf\u{E9}.lcap"), F_OK) != 0)
        #expect(unlink(path) == 0)
    }
}
