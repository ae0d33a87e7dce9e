// SPDX-License-Identifier: MIT
// The program starts without libheif, and says what to install when a HEIC picture is asked for.

import Foundation
import Testing

@Suite struct HEIFLackTests {
    private let files: Scratch
    /// Runs the program where libheif.so.1 is a file that cannot be loaded.
    private let shell: String

    init() throws {
        files = try Scratch()
        try FileManager.default.createDirectory(atPath: files.path("libraries"), withIntermediateDirectories: true)
        try files.write([], to: "libraries/libheif.so.1")
        shell = "LD_LIBRARY_PATH='\(files.path("libraries"))' exec \"$@\""
    }

    @Test func nothingLinksIt() throws {
        let libraries = try livecap("version", shell: "LD_TRACE_LOADED_OBJECTS=1 exec \"$@\"").output
        #expect(libraries.contains("libturbojpeg") && !libraries.contains("libheif"), "\(libraries)")
    }

    /// A camera that does not exist is not looked for: the format is refused first.
    @Test(arguments: [
        ["shoot", "-o", "a.heic"], ["shoot", "--format", "heic"], ["run", "--latest", "a.heic"],
        ["run", "-o", "a.heic"],
    ]) func picturesAreRefusedBeforeTheCameraIsOpened(line: [String]) throws {
        let line = line.map { $0 == "a.heic" ? files.path($0) : $0 } + ["--device", "/dev/video-none", "--json"]
        let outcome = try RunningLivecap(line, shell: shell).finish()
        #expect(outcome.status == 69)
        let failure = try outcome.object
        #expect(failure["code"] as? String == "no-encoder")
        #expect(failure["hint"] as? String == "install libheif1, or choose --format jpeg or png")
        #expect((failure["error"] as? String)?.contains("libheif.so.1") == true)
        #expect(files.names == ["libraries"])
    }

    @Test func otherFormatsDoNotNeedIt() throws {
        let path = files.path("a.png")
        let line = ["shoot", "--synthetic", "tripod", "--quality", "single", "--size", "64x48", "-o", path]
        #expect(try RunningLivecap(line, shell: shell).finish().status == 0)
        #expect(FileManager.default.fileExists(atPath: path))
    }
}
