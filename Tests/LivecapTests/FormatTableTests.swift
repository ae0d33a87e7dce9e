// SPDX-License-Identifier: MIT
// Every row of the table of pixel formats: rendered, recorded, read again, imported, fused, shown and exported.

import LivecapFrameFiles
import LivecapFrames
import Testing

@Suite struct FormatTableTests {
    private static let size = "64x48"
    private let files: Scratch

    init() throws { files = try Scratch() }

    /// Records a synthetic scene in a format.
    private func record(_ format: PixelFormat) throws -> Outcome {
        try RunningLivecap(
            ["record", "--synthetic", "tripod:frames=9,noise=1", "--size", Self.size, "--pace", "fast"]
                + ["--format", "\(format)", "-o", files.path("a.lcap")]
        ).finish()
    }

    /// The bytes of each frame of a recording.
    private func frames(_ name: String) throws -> [[UInt8]] {
        let file = try openFrameFile(files.path(name))
        let memory = try file.makeFrameMemory()
        return try (0..<file.frameCount).map { index in
            let frame = try file.read(index, into: memory.regions[0])
            return Array(memory.regions[0][..<frame.byteCount])
        }
    }

    @Test(arguments: PixelFormatRow.all.map(\.format))
    func everyRowIsUsable(_ format: PixelFormat) throws {
        let recorded = try record(format)
        guard format.isReadable else {
            #expect(recorded.status != 0 && recorded.errors.contains("\(format)"), "\(recorded.errors)")
            return
        }
        try #require(recorded.status == 0, "\(recorded.errors)")
        let info = try livecap("info", files.path("a.lcap"), "--json").object
        #expect(info["format"] as? String == "\(format)" && info["frames"] as? Int == 9)

        for quality in ["single", "speed", "balanced"] {
            for file in ["\(quality).png", "\(quality).jpg", "\(quality).heic"] {
                let shot = try livecap(
                    "shoot", "--json", "--replay", files.path("a.lcap"), "--at", "150ms", "--quality", quality, "-o",
                    files.path(file)
                ).object
                #expect(shot["qualityGiven"] as? String == quality, "\(file)")
                #expect((shot["framesUsed"] as? [Any])?.count ?? 0 > (quality == "balanced" ? 3 : 0), "\(file)")
            }
        }
        #expect(try livecap("export", files.path("a.lcap"), "-o", files.path("a.y4m")).status == 0)
        #expect(try livecap("export", files.path("a.lcap"), "-o", files.path("a.mkv")).status == 0)

        guard format.samples != nil else { return }
        let bytes = try frames("a.lcap")
        try files.write(bytes.flatMap { $0 }, to: "a.raw")
        let imported = try livecap(
            "record", "--replay", files.path("a.raw"), "--input-format", "\(format)", "--size", Self.size, "-o",
            files.path("b.lcap"))
        try #require(imported.status == 0, "\(imported.errors)")
        #expect(try frames("b.lcap") == bytes)
    }
}
