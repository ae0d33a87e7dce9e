// SPDX-License-Identifier: MIT
// Pictures with the date of their frame: it is drawn last, into each format, and into no other picture.

import Glibc
import LivecapCFramePathProbe
import LivecapFrames
import LivecapSeededRandom
import Testing

@testable import LivecapPictures

@Suite struct DatePictureTests {
    private static let calendar = CalendarTime(sinceEpoch: .seconds(1_796_053_510))
    private static let time = Timestamp(nanoseconds: 7_000_000_000)
    private static let clock = FrameClock.recording(
        WallClockAnchor(monotonic: time, calendar: calendar, zoneName: "UTC"))

    private static func dated(
        _ format: PictureFormat, _ size: FrameSize? = nil, mount: CameraMount = .upright,
        shownAs: CameraMount = .upright
    ) -> PictureSettings {
        let view = PictureView(mount: mount, date: PictureDate(.usual, shownAs: shownAs))
        return PictureSettings(format: format, size: size, view: view)
    }

    private static func plain(_ settings: PictureSettings) -> PictureSettings {
        var settings = settings
        settings.view.date = nil
        return settings
    }

    /// The pictures of a frame of `time`.
    private func pictures(
        _ settings: [PictureSettings], of format: FrameFormat, _ bytes: [UInt8], at time: Timestamp? = Self.time,
        times count: Int = 1
    ) throws -> [[UInt8]] {
        let converter = try PictureConverter(format, settings, clock: Self.clock)
        var pictures = converter.formats.map { [UInt8](repeating: 0, count: $0.byteCount) }
        for index in pictures.indices {
            pictures[index].withUnsafeMutableBytes { PictureConverter.clear($0, converter.formats[index]) }
        }
        for round in 0..<count {
            let isTaken = converter.take(bytes.span.bytes)
            try #require(isTaken)
            // Other pictures may be made of these, where they are.
            let memory = converter.formats.map { format in
                let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: format.byteCount, alignment: 64)
                PictureConverter.clear(memory, format)
                return memory
            }
            defer { memory.forEach { $0.deallocate() } }
            for index in converter.order {
                memory[index].copyBytes(from: pictures[index])
                let moment = time.map { $0 + .seconds(Int64(round)) }
                let drawn = converter.draw(index, into: memory[index], at: moment)
                let length = try #require(drawn)
                if pictures[index].count == length {
                    pictures[index] = Array(memory[index])
                } else {
                    pictures[index] = Array(memory[index].prefix(length))
                }
            }
        }
        return pictures
    }

    private func stamp(_ size: FrameSize, seenAs mount: CameraMount = .upright) -> DateStamp {
        var stamp = DateStamp(.usual, of: .unknown, in: PixelArea(size), seenAs: mount)
        stamp.show(Self.calendar)
        return stamp
    }

    /// Draws a date into planes of 4:2:0.
    private func draw(_ stamp: DateStamp, into bytes: inout [UInt8], _ format: FrameFormat) {
        let isLimited = format.colorimetry.range == .limited
        bytes.withUnsafeMutableBufferPointer { bytes in
            for (index, plane) in format.planes.enumerated() {
                let start = bytes.baseAddress! + plane.offset
                stamp.draw(
                    into: StampedPlane(
                        start, stride: plane.stride, shared: index == 0 ? (1, 1) : (2, 2),
                        ink: index > 0 ? 128 : isLimited ? 235 : 255, outline: index > 0 ? 128 : isLimited ? 16 : 0))
            }
        }
    }

    @Test(arguments: [
        FrameSize(width: 160, height: 96), FrameSize(width: 161, height: 97), FrameSize(width: 480, height: 271),
    ]) func itIsDrawnOverThePicture(size: FrameSize) throws {
        let (format, bytes) = randomFrame(.i420, size, seed: 1)
        var expected = bytes
        draw(stamp(size), into: &expected, format)
        #expect(try pictures([Self.dated(.i420)], of: format, bytes)[0] == expected)
        #expect(expected != bytes)
        // Without a time there is none.
        #expect(try pictures([Self.dated(.i420)], of: format, bytes, at: nil)[0] == bytes)
    }

    /// Packed pictures are those of planes into which the date is drawn.
    @Test(arguments: [PictureFormat.nv12, .grey, .jpeg(quality: 90), .p010])
    func everyFormatHasIt(format: PictureFormat) throws {
        let size = FrameSize(width: 176, height: 98)
        let (frames, bytes) = randomFrame(.i420, size, seed: 2)
        var stamped = bytes
        var planes = frames
        if case .jpeg = format {
            // In the range of JPEG, as its planes are when it is encoded.
            var whole = PictureSettings(range: .full)
            whole.view = .whole
            stamped = try pictures([whole], of: frames, bytes)[0]
            planes.colorimetry = .jpeg
            planes.colorimetry.matrix = frames.colorimetry.matrix
        }
        draw(stamp(size), into: &stamped, planes)
        let found = try pictures([Self.dated(format)], of: frames, bytes)[0]
        #expect(try found == pictures([Self.plain(Self.dated(format))], of: planes, stamped)[0])
    }

    @Test(arguments: [PictureFormat.yuyv, .rgb24, .bgr24]) func colouredLettersAreWhiteAndBlack(
        format: PictureFormat
    ) throws {
        let size = FrameSize(width: 177, height: 99)
        let (frames, bytes) = randomFrame(.i420, size, seed: 3)
        let settings = Self.dated(format)
        let found = try pictures([settings], of: frames, bytes)[0]
        let plain = try pictures([Self.plain(settings)], of: frames, bytes)[0]
        var mark = [UInt8](repeating: 1, count: size.area)
        mark.withUnsafeMutableBufferPointer {
            stamp(size).draw(into: StampedPlane($0.baseAddress!, stride: size.width, ink: 255, outline: 0))
        }
        let isPacked = format == .yuyv, row = found.count / size.height
        var wrong = 0
        for y in 0..<size.height {
            for x in 0..<size.width where mark[y * size.width + x] != 1 {
                let isInk = mark[y * size.width + x] == 255
                if isPacked {
                    let level = found[y * row + 2 * x]
                    let isLimited = frames.colorimetry.range == .limited
                    if level != (isLimited ? (isInk ? 235 : 16) : isInk ? 255 : 0) { wrong += 1 }
                } else {
                    let pixel = found[y * row + 3 * x..<y * row + 3 * x + 3]
                    if !pixel.allSatisfy({ isInk ? $0 >= 254 : $0 <= 1 }) { wrong += 1 }
                }
            }
        }
        #expect(wrong == 0)
        // Above the letters, nothing has changed.
        let above = row * (size.height - 11)
        #expect(found.prefix(above) == plain.prefix(above))
    }

    @Test func otherPicturesOfTheFrameHaveNone() throws {
        let size = FrameSize(width: 256, height: 144), small = FrameSize(width: 128, height: 72)
        let (format, bytes) = randomFrame(.i420, size, seed: 4)
        let others: [PictureSettings] = [
            PictureSettings(), PictureSettings(size: small), PictureSettings(format: .nv12),
            PictureSettings(format: .jpeg(quality: 80), size: small),
        ]
        let dated: [PictureSettings] = [
            Self.dated(.i420), Self.dated(.i420, small), Self.dated(.jpeg(quality: 80)), Self.dated(.nv12, small),
        ]
        let all = try pictures(dated + others, of: format, bytes)
        // The same as if there were no others, but for rounding where a smaller one is made of a larger one.
        let alone = try pictures(others, of: format, bytes)
        #expect(Array(all[4...]) == alone)
        #expect(all[0] != alone[0] && all[1] != alone[1])
    }

    @Test(arguments: RotationAngle.allCases) func aTurnedPictureHasItUpright(angle: RotationAngle) throws {
        let size = FrameSize(width: 187, height: 121)
        let (format, bytes) = randomFrame(.i420, size, seed: 5)
        let mount = CameraMount(angle: angle, isMirrored: true)
        var expected = try pictures([Self.plain(Self.dated(.i420, mount: mount))], of: format, bytes)[0]
        let seen = PictureView(mount: mount).size(of: size)
        draw(stamp(seen), into: &expected, FrameFormat(pixelFormat: .i420, size: seen, colorimetry: format.colorimetry))
        #expect(try pictures([Self.dated(.i420, mount: mount)], of: format, bytes)[0] == expected)
        // Where somebody else turns the picture, it is upright then.
        var turnedLater = bytes
        draw(stamp(size, seenAs: mount), into: &turnedLater, format)
        #expect(try pictures([Self.dated(.i420, shownAs: mount)], of: format, bytes)[0] == turnedLater)
    }

    @Test func itIsNeverInTheBars() throws {
        let size = FrameSize(width: 160, height: 96), whole = FrameSize(width: 160, height: 200)
        let (format, bytes) = randomFrame(.grey, size, seed: 6)
        // Three seconds, one after the other, in the same memory.
        let found = try pictures([Self.dated(.grey, whole)], of: format, bytes, times: 3)[0]
        let settings = Self.plain(Self.dated(.grey, whole))
        var expected = try pictures([settings], of: format, bytes)[0]
        var stamp = DateStamp(.usual, of: .unknown, in: PixelArea(x: 0, y: 52, width: 160, height: 96))
        stamp.show(Self.calendar.advanced(by: .seconds(2)))
        expected.withUnsafeMutableBufferPointer {
            stamp.draw(into: StampedPlane($0.baseAddress!, stride: 160, ink: 255, outline: 0))
        }
        #expect(found == expected)
    }

    @Test func tenBitsStayTenBits() throws {
        let size = FrameSize(width: 162, height: 98)
        let (format, bytes) = randomFrame(.p010, size, seed: 7)
        let found = try pictures([Self.dated(.p010)], of: format, bytes)[0]
        let plain = try pictures([PictureSettings(format: .p010)], of: format, bytes)[0]
        var expected = plain
        let isLimited = format.colorimetry.range == .limited
        expected.withUnsafeMutableBytes { bytes in
            let samples = bytes.assumingMemoryBound(to: UInt16.self).baseAddress!
            let planes = FrameFormat(pixelFormat: .p010, size: size).planes
            let white: UInt16 = isLimited ? 940 : 1023, black: UInt16 = isLimited ? 64 : 0
            stamp(size).draw(
                into: StampedPlane(samples, stride: planes[0].stride / 2, ink: white << 6, outline: black << 6))
            for lane in 0..<2 {
                stamp(size).draw(
                    into: StampedPlane(
                        samples + planes[1].offset / 2 + lane, stride: planes[1].stride / 2, step: 2, shared: (2, 2),
                        ink: 512 << 6, outline: 512 << 6))
            }
        }
        #expect(found == expected && found != plain)
    }

    @Test(arguments: [PictureFormat.i420, .yuyv]) func withinASecondNothingIsAllocated(
        format: PictureFormat
    ) throws {
        let size = FrameSize(width: 320, height: 180)
        let (frames, bytes) = randomFrame(.i420, size, seed: 8)
        let converter = try PictureConverter(frames, [Self.dated(format)], clock: Self.clock)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: converter.formats[0].byteCount, alignment: 64)
        defer { memory.deallocate() }
        PictureConverter.clear(memory, converter.formats[0])
        var isDrawn = true
        func makePictures() {
            // A `for` loop would allocate here, without optimisation.
            var frame = 0
            while frame < 20 {
                let isTaken = converter.take(bytes.span.bytes)
                let time = Self.time + .milliseconds(33 * Int64(frame))
                isDrawn = isDrawn && isTaken && converter.draw(0, into: memory, at: time) != nil
                frame += 1
            }
        }
        makePictures()
        var counts = lc_probe_counts()
        let measured = lc_probe_start()
        makePictures()
        lc_probe_stop(&counts)
        #expect(isDrawn)
        guard measured & Int32(LC_PROBE_HEAP) != 0 else {
            #expect(getenv("LIVECAP_SANITIZER") != nil, "the probe counts nothing, so nothing has been checked")
            return
        }
        #expect(counts.allocations == 0)
    }
}
