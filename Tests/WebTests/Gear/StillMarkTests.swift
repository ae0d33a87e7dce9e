// SPDX-License-Identifier: MIT
// The number of a scene's frame is read from a JPEG of any size, and is never another one.

import LivecapFrames
import LivecapJPEG
import LivecapWebGear
import Testing

@Suite struct StillMarkTests {
    private let size = FrameSize(width: 1280, height: 720)

    /// A marked grey picture as JPEG, made smaller by a whole number.
    private func jpeg(_ number: UInt32?, shrunkBy shrink: Int = 1) throws -> [UInt8] {
        var samples = [UInt8](repeating: 90, count: size.area)
        if let number {
            let format = FrameFormat(pixelFormat: .grey, size: size)
            let mark = try #require(FrameMark(fitting: size))
            samples.withUnsafeMutableBytes { mark.draw(number, into: $0, format: format) }
        }
        let small = FrameSize(width: size.width / shrink, height: size.height / shrink)
        let pixels = (0..<small.height).flatMap { y in
            (0..<small.width).flatMap { x in
                [UInt8](repeating: samples[y * shrink * size.width + x * shrink], count: 3)
            }
        }
        var encoder = try JPEGEncoder()
        return try encoder.encodeRGB(pixels.span.bytes, size: small, quality: 80) { bytes in
            bytes.withUnsafeBytes { Array($0) }
        }
    }

    @Test(arguments: [0, 4711, UInt32.max]) func aNumberIsRead(_ number: UInt32) throws {
        #expect(try StillMark.read(jpeg(number)) == number)
    }

    @Test(arguments: [2, 4]) func aNumberIsReadFromASmallerPicture(_ shrink: Int) throws {
        #expect(try StillMark.read(jpeg(4711, shrunkBy: shrink), drawnAt: size) == 4711)
    }

    @Test func aPictureWithoutOneHasNone() throws {
        #expect(try StillMark.read(jpeg(nil)) == nil)
        #expect(throws: JPEGError.self) { try StillMark.read([1, 2, 3]) }
    }

    @Test func aScheduleKnowsEveryFramesNumber() {
        let time = Timestamp(nanoseconds: 5_000_000_000)
        let schedule = SceneSchedule(FrameRate(30), number: 10, at: time)
        #expect(schedule.number(at: time) == 10)
        #expect(schedule.number(at: time + .nanoseconds(33_333_333)) == 11)
        #expect(schedule.number(at: time + .nanoseconds(100_000_000)) == 13)
        #expect(schedule.number(at: time - .nanoseconds(33_333_334)) == 9)
        // Between two frames, and before the first.
        #expect(schedule.number(at: time + .milliseconds(10)) == nil)
        #expect(schedule.number(at: time - .seconds(1)) == nil)
    }
}
