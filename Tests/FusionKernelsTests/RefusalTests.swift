// SPDX-License-Identifier: MIT
// Input that cannot be fused fails with a specific error. All other input is fused, at every size and stride.

import Fusion
import LivecapFrames
import Testing

@Suite struct RefusalTests {
    @Test(arguments: [PixelFormat("Z16 "), .mjpeg, PixelFormat("H264")])
    func otherFormatsAreRefused(_ pixelFormat: PixelFormat) {
        let format = FrameFormat(pixelFormat: pixelFormat, size: FrameSize(width: 64, height: 48))
        #expect(!Fuser.takes(format))
        #expect(throws: FusionError.unsupportedFormat(format)) { try Fuser(format) }
    }

    @Test(arguments: [(15, 64), (64, 15), (8193, 64), (64, 8193), (0, 0)])
    func otherSizesAreRefused(_ width: Int, _ height: Int) {
        let format = FrameFormat(pixelFormat: .grey, size: FrameSize(width: width, height: height))
        #expect(throws: FusionError.unsupportedFormat(format)) { try Fuser(format) }
    }

    @Test func foreignFramesAreRefused() throws {
        let burst = SmallBurst()
        let fuser = try Fuser(burst.format)
        let other = SmallBurst(width: 48).format
        let foreign = try Fuser(other)
        let (frame, bytes) = (foreign.makeFrame(), burst.frames[0])
        #expect(throws: FusionError.foreignFormat(other)) { try fuser.prepare(bytes.span.bytes, into: frame) }
        let (frames, picture) = (try burst.prepared(by: fuser), fuser.makePicture())
        #expect(throws: FusionError.foreignFormat(other)) {
            try fuser.fuse(frames + [frame], reference: 0, into: picture)
        }
        #expect(throws: FusionError.foreignFormat(other)) {
            try fuser.fuse(frames, reference: 0, into: foreign.makePicture())
        }
    }

    @Test func frameCountsAndReferencesThatCannotBeAreRefused() throws {
        let burst = SmallBurst(count: 1)
        let fuser = try Fuser(burst.format)
        let (frame, picture) = (try burst.prepared(by: fuser)[0], fuser.makePicture())
        #expect(throws: FusionError.frameCount(0, most: 16)) { try fuser.fuse([], reference: 0, into: picture) }
        #expect(throws: FusionError.frameCount(17, most: 16)) {
            try fuser.fuse(Array(repeating: frame, count: 17), reference: 0, into: picture)
        }
        for reference in [-1, 1] {
            #expect(throws: FusionError.noSuchReference(reference)) {
                try fuser.fuse([frame], reference: reference, into: picture)
            }
        }
    }

    @Test func aFrameCutShortIsRefusedAmongOthers() throws {
        let burst = SmallBurst()
        let fuser = try Fuser(burst.format, pool: ThreadPool(threads: 2))
        let needed = burst.format.neededBytes
        var frames = burst.frames
        frames[1].removeLast(frames[1].count - needed + 1)
        #expect(throws: FusionError.shortFrame(bytes: needed - 1, needed: needed)) {
            try fuser.prepare(frames.map { ($0, fuser.makeFrame()) })
        }
    }

    @Test func aFrameCutShortIsRefused() throws {
        let burst = SmallBurst()
        let fuser = try Fuser(burst.format)
        let frame = fuser.makeFrame()
        let needed = burst.format.neededBytes
        let short = Array(burst.frames[0].dropLast(burst.frames[0].count - needed + 1))
        #expect(throws: FusionError.shortFrame(bytes: needed - 1, needed: needed)) {
            try fuser.prepare(short.span.bytes, into: frame)
        }
    }

    @Test(arguments: [0, 16, 128, 235, 255])
    func flatPicturesStayAsTheyAre(_ level: Int) throws {
        let burst = SmallBurst(noise: 0) { _, _, _ in Double(level) }
        for method in FusionMethod.allCases {
            let (picture, _) = try burst.still(Fuser(burst.format, FusionSettings(method)))
            #expect(picture.luma.samples.allSatisfy { abs($0 - Float(level)) <= 0.5 }, "\(method)")
        }
    }

    @Test(arguments: [
        PixelFormat.yuyv, .uyvy, .yvyu, .vyuy, .nv12, .nv21, .nv16, .i420, .yv12, .yuv422p, .grey,
    ])
    func paddingOfAnyLayoutIsNotRead(_ pixelFormat: PixelFormat) throws {
        let packed = SmallBurst(pixelFormat, width: 49, height: 35)
        let padded = SmallBurst(pixelFormat, width: 49, height: 35, padding: 22)
        let (one, _) = try packed.still(Fuser(packed.format))
        let (other, _) = try padded.still(Fuser(padded.format))
        #expect(one.bits == other.bits)
    }
}
