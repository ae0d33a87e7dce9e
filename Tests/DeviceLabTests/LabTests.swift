// SPDX-License-Identifier: MIT
// The lab itself: its cameras exist and stream.

import Foundation
import Testing

extension DeviceLab {
    @Suite("the lab")
    struct LabTests {
        @Test(
            "has the cameras the tests count on",
            arguments: [Lab.webcam, Lab.hdmi, Lab.multiplanar, Lab.output, Lab.switched])
        func nodes(path: String) throws {
            let outcome = try Lab.run("v4l2-ctl", ["-d", path, "--info"])
            #expect(outcome.status == 0 && outcome.output.contains("vivid"), "\(outcome.errors)")
        }

        @Test("streams frames")
        func streams() throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "lab-frames.raw")
            defer { try? FileManager.default.removeItem(at: file) }
            let size = "width=320,height=180,pixelformat=YUYV"
            try Lab.run(
                "v4l2-ctl",
                ["-d", Lab.webcam, "-v", size, "--stream-mmap", "--stream-count=5", "--stream-to=\(file.path)"])
            let bytes = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
            #expect(bytes == 5 * 320 * 180 * 2)
        }
    }
}
