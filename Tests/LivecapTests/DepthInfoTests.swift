// SPDX-License-Identifier: MIT
// `livecap info` shows the depth map of a picture, and takes it out.

import Foundation
import LivecapFrames
import LivecapStills
import Testing

@Suite struct DepthInfoTests {
    private let files: Scratch
    private let depth: DepthMap

    init() throws {
        files = try Scratch()
        let size = FrameSize(width: 80, height: 64)
        var depth = DepthMap(size: size, samples: (0..<size.area).map { $0 < 80 ? 0 : UInt16(500 + $0 % 1000) })
        depth.isFiltered = true
        depth.intrinsics = DepthIntrinsics(size: size, fx: 70, fy: 71.5, cx: 39.5, cy: 31.5)
        self.depth = depth
    }

    /// A photo of that suffix, with the map or without it.
    private func photo(_ suffix: String, hasDepth: Bool = true) throws -> String {
        let path = files.path("a.\(suffix)")
        let outcome = try RunningLivecap(
            ["shoot", "--synthetic", "tripod:frames=8", "--size", "160x96", "--pace", "fast", "-o", path]
        ).finish()
        try #require(outcome.status == 0, "\(outcome.errors)")
        let plain = [UInt8](try Data(contentsOf: URL(filePath: path)))
        if hasDepth { try Data(PhotoDepth.added(depth, to: plain)).write(to: URL(filePath: path)) }
        return path
    }

    @Test(arguments: ["jpg", "heic"]) func theMapIsShown(suffix: String) throws {
        let path = try photo(suffix)
        let shown = try #require(try livecap("info", path, "--json").object["depth"] as? [String: Any])
        #expect(shown["form"] as? String == (suffix == "jpg" ? "gDepth" : "auxiliary"))
        #expect(shown["width"] as? Int == 80 && shown["height"] as? Int == 64)
        #expect(shown["bits"] as? Int == (suffix == "jpg" ? 16 : 10))
        #expect(shown["nearM"] as? Double == 0.5 && shown["farM"] as? Double == 1.499)
        #expect(shown["filtered"] as? Bool == true)
        #expect((shown["intrinsics"] as? [String: Any])?["fy"] as? Double == 71.5)
        let text = try livecap("info", path).output
        #expect(text.contains("with a depth map of 80x64"), "\(text)")
        #expect(text.contains("0.50 to 1.50 m, filtered"), "\(text)")
    }

    @Test(arguments: ["jpg", "heic"]) func theMapIsTakenOut(suffix: String) throws {
        let target = files.path("a.depth.png")
        let outcome = try RunningLivecap(["info", photo(suffix), "--depth", target]).finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let file = [UInt8](try Data(contentsOf: URL(filePath: target)))
        // So few counts are lost in neither.
        #expect(try #require(PhotoDepth(file)).map(of: file) == depth)
        let text = try livecap("info", target).output
        #expect(text.contains("is a depth map of 80x64 in 16 bits"), "\(text)")
        // A file that is there is kept.
        let again = try RunningLivecap(["info", files.path("a.\(suffix)"), "--depth", target]).finish()
        #expect(again.status != 0 && again.errors.contains("a.depth.png"), "\(again.errors)")
        let over = try RunningLivecap(["info", files.path("a.\(suffix)"), "--depth", target, "--overwrite"]).finish()
        #expect(over.status == 0, "\(over.errors)")
    }

    @Test func refusalsSayWhy() throws {
        let path = try photo("jpg", hasDepth: false)
        let none = try RunningLivecap(["info", path, "--depth", files.path("b.png")]).finish()
        #expect(none.status == 65 && none.errors.contains("no depth map"), "\(none.errors)")
        #expect(!FileManager.default.fileExists(atPath: files.path("b.png")))
        #expect(try livecap("info", path, "--json").object["depth"] is NSNull)
        let name = try RunningLivecap(["info", path, "--depth", files.path("b.jpg")]).finish()
        #expect(name.status == 64 && name.errors.contains("b.jpg.png"), "\(name.errors)")
        let recording = try RunningLivecap(["info", files.rawFrames(2), "--depth", files.path("b.png")]).finish()
        #expect(recording.status == 64, "\(recording.errors)")
    }
}
