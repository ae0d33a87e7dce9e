// SPDX-License-Identifier: MIT
// The memory that a live fusion asks for before it takes it.

import LivecapFrames
import Testing

@testable import Fusion

@Suite struct LiveMemoryTests {
    @Test("A live fusion takes no more memory than it checks for", arguments: [PixelFormat.grey, .yuyv, .nv12, .p010])
    func memory(pixelFormat: PixelFormat) throws {
        let format = FrameFormat(pixelFormat: pixelFormat, size: FrameSize(width: 1280, height: 720))
        let fuser = try LiveFuser(format)
        let taken = 3 * fuser.shown.mappedBytes + fuser.planes.map(\.mappedBytes).reduce(0, +)
        let checked = LiveFuser.memory(for: format, fuser.chroma)
        #expect((taken...taken * 3 / 2).contains(checked), "\(checked) checked, \(taken) taken")
    }
}
