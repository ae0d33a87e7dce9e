// SPDX-License-Identifier: MIT
// Photos of a camera that is not mounted upright, by `livecap shoot` alone.

import Foundation
import LivecapFrames
import Testing

extension DeviceLab {
    @Suite("photos of a camera mounted askew")
    struct MountTests {
        @Test("what the user has said once is kept, and counts unless a command says otherwise")
        func mounted() throws {
            let folder = try TemporaryFolder()
            let state = "XDG_STATE_HOME=" + folder.path("state")
            func size(_ options: String...) throws -> FrameSize {
                let path = folder.path("photo.png")
                let outcome = try RunningProgram(
                    state,
                    [Livecap.program, "shoot", "--device", Lab.webcam, "--format", "YUYV", "--size", "320x180"]
                        + ["--quality", "single", "--overwrite", "-o", path] + options
                ).finish()
                try #require(outcome.status == 0, "\(outcome.errors)")
                return try PNGPicture(path).size
            }
            let upright = FrameSize(width: 320, height: 180), turned = FrameSize(width: 180, height: 320)
            #expect(try size() == upright)
            let kept = try RunningProgram(state, [Livecap.program, "devices", "--mount", "\(Lab.webcam)=90"]).finish()
            try #require(kept.status == 0, "\(kept.errors)")
            #expect(try size() == turned)
            #expect(try size("--rotate", "0") == upright)
        }
    }
}
