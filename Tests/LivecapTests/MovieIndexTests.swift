// SPDX-License-Identifier: MIT
// What the program says of the index of MP4 files, and when it leaves them in fragments.

import Foundation
import LivecapProcesses
import LivecapStills
import Testing

@Suite(.timeLimit(.usual)) struct MovieIndexTests {
    private let files = try! Scratch()

    private func movie(_ name: String, _ options: String...) throws -> Outcome {
        try RunningLivecap(
            ["movie", "--synthetic", "tripod:seed=3", "--size", "160x96", "-t", "1s", "--json"]
                + ["-o", files.path(name)] + options
        ).finish()
    }

    private func types(_ name: String) throws -> [String] {
        let bytes = [UInt8](try files.bytes(name))
        return try #require(MediaBox.all(in: bytes[...])).map(\.type)
    }

    @Test func aFinishedFileBeginsWithItsIndex() throws {
        let object = try movie("a.mp4").object
        #expect(object["indexFirst"] as? Bool == true)
        #expect(try types("a.mp4") == ["ftyp", "moov", "mdat"] && files.names == ["a.mp4"])
        #expect(object["bytes"] as? Int == (try files.bytes("a.mp4").count))
    }

    @Test func fragmentsStayOnRequest() throws {
        let object = try movie("a.mp4", "--fragments").object
        #expect(object["indexFirst"] as? Bool == false)
        // Nobody expected it otherwise.
        #expect(object["indexGap"] is NSNull)
        #expect(try types("a.mp4").contains("moof"))
    }

    @Test func otherKindsHaveNoSuchIndex() throws {
        #expect(try movie("a.mkv").object["indexFirst"] as? Bool == false)
    }
}
