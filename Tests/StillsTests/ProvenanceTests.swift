// SPDX-License-Identifier: MIT
// A photo's account of its making (provenance) is written to every kind of file and can be read back.

import Fusion
import LivecapFrames
import LivecapJPEG
import LivecapStills
import Testing

@Suite struct ProvenanceTests {
    private let size = FrameSize(width: 32, height: 16)
    /// All characters with a meaning in XML, and others that a reader of text may stumble over.
    private static let account = #"{"name":"<Grüne> & \"Kamera\" 📷 '&amp;'","frames":[1,2,3]}"#

    private func file(_ format: StillFormat, _ account: String? = Self.account) throws -> [UInt8] {
        let still = try picture(FrameFormat(pixelFormat: .yuyv, size: size)) { plane, x, y in
            plane == 0 ? UInt16(16 + x + y) << 8 : 128 << 8
        }
        var metadata = PhotoMetadata()
        metadata.provenance = account
        switch format {
        case .jpeg:
            let encoder = try StripedJPEGEncoder()
            return try encoder.encode(still, quality: 90, metadata: metadata)
        case .heic: return try HEICEncoder(quality: 70).encode(still, metadata: metadata)
        case .png: return try PNGEncoder().encode(still, metadata: metadata)
        }
    }

    @Test(arguments: StillFormat.allCases) func itIsFoundAgain(format: StillFormat) throws {
        let inspection = try #require(PhotoInspection(file(format)))
        #expect(inspection.format == format && inspection.size == size)
        #expect(inspection.provenance == Self.account)
    }

    @Test(arguments: StillFormat.allCases) func anotherReaderFindsIt(format: StillFormat) throws {
        #expect(try exiftool(file(format), format, ["-XMP:Provenance"])["Provenance"] == Self.account)
        #expect(try exiftool(file(format), format, ["-n", "-validate", "-warning"]) == ["Validate": "0 0 0"])
    }

    @Test(arguments: StillFormat.allCases) func filesWithoutSayNothing(format: StillFormat) throws {
        let inspection = try #require(PhotoInspection(file(format, nil)))
        #expect(inspection.format == format && inspection.size == size && inspection.provenance == nil)
    }

    @Test(arguments: StillFormat.allCases) func filesThatAreCutDoNoHarm(format: StillFormat) throws {
        let whole = try file(format)
        for count in 0..<min(whole.count, 2000) { _ = PhotoInspection(Array(whole[..<count])) }
        #expect(PhotoInspection(whole)?.isWhole == true)
        for count in [whole.count / 2, whole.count * 3 / 4, whole.count - 1] {
            #expect(PhotoInspection(Array(whole[..<count]))?.isWhole != true, "cut at \(count)")
        }
    }

    @Test func otherFilesAreNoPhotos() {
        for text in ["", "livecap", "P6 1 1 255\n", "\u{0}\u{0}\u{0}\u{18}ftypisom\u{0}\u{0}\u{0}\u{0}"] {
            #expect(PhotoInspection(Array(text.utf8)) == nil)
        }
    }

    @Test func foreignXMPPacketHasNoProvenance() throws {
        let jpeg = try file(.jpeg, nil)
        for packet in [
            "", "<livecap:Provenance>", "<livecap:Provenance>&nbsp;</livecap:Provenance>",
            "</livecap:Provenance><livecap:Provenance>",
        ] {
            let tagged = MetadataSegment.inserted([(.xmp, Array(packet.utf8))], into: jpeg.span.bytes)
            #expect(tagged.map(PhotoInspection.init) != nil && tagged.flatMap(PhotoInspection.init)?.provenance == nil)
        }
    }
}
