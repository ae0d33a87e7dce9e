// SPDX-License-Identifier: MIT
// Without a usable libheif, HEIC is refused with the reason, and nothing else is.

import Fusion
import LivecapFrames
import LivecapStills
import Testing

@Suite struct HEIFLibraryTests {
    private static let absent = "libheif-that-is-not-there.so"

    @Test func aMissingLibraryIsNamed() {
        let error = #expect(throws: StillError.self) { try HEIFLibrary(Self.absent) }
        guard case .unavailable(let reason)? = error else { return _ = Issue.record("\(error as Any)") }
        #expect(reason.contains(Self.absent), "\(reason)")
    }

    @Test func aLibraryThatLacksAFunctionIsRefused() {
        // Every test program has the library of C, which has none of them.
        #expect(throws: StillError.unavailable("libc.so.6 has no heif_context_alloc")) { try HEIFLibrary("libc.so.6") }
    }

    @Test func thisMachineEncodesEveryFormat() throws {
        for format in StillFormat.allCases { try format.checkEncoder() }
    }

    @Test func withoutItAFileIsRecognisedAndTheLackReported() throws {
        let still = try picture(FrameFormat(pixelFormat: .grey, size: FrameSize(width: 16, height: 16))) { _, _, _ in 0
        }
        let file = try HEICEncoder(quality: 50).encode(still)
        let found = try #require(PhotoInspection(file, heif: Self.absent))
        #expect(found.format == .heic && found.isWhole && found.size == nil && found.provenance == nil)
        #expect(found.lack != nil && PhotoInspection(file)?.lack == nil)
    }
}
