// SPDX-License-Identifier: MIT
// The mean of frames keeps fractions of codes, and the report gives the weight of each frame.

import Fusion
import LivecapFrames
import Testing

@Suite struct FuserTests {
    @Test func theMeanOfTwoFramesKeepsHalfCodes() throws {
        let format = FrameFormat(pixelFormat: .yuyv, size: FrameSize(width: 18, height: 17))
        let fuser = try Fuser(format, FusionSettings(.mean))
        let frames = try [UInt8(10), 11].map { level in
            let frame = fuser.makeFrame()
            try fuser.prepare([UInt8](repeating: level, count: format.byteCount).span.bytes, into: frame)
            return frame
        }
        let picture = fuser.makePicture()
        let report = try fuser.fuse(frames, reference: 0, into: picture)
        #expect(picture.planes.allSatisfy { plane in plane.samples.allSatisfy { $0 == 10 * 256 + 128 } })
        #expect(report.shares.map(\.weight) == [1, 1])
    }
}
