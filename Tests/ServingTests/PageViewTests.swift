// SPDX-License-Identifier: MIT
// Frames in pages have the date that photos have, upright whoever turns them.

import LiveCapture
import LivecapFrames
import LivecapPictures
import Testing

@testable import LivecapServing

@Suite(.timeLimit(.minutes(10))) struct PageViewTests {
    private static func photos(_ orientation: PhotoOrientation, date: DateFormat?) -> PhotoSettings {
        var photos = PhotoSettings(date: date)
        photos.metadata.orientation = orientation
        photos.followsRotation = false
        return photos
    }

    @Test func theDateIsUprightWhereThePageTurnsThePicture() async throws {
        let scene = try await ServedScene()
        let quarter = CameraMount(angle: .quarter)
        let view = PageView(Self.photos(.right, date: .usual))
        let turned = view.pictures(of: scene.session, areUpright: true)
        #expect(turned == PictureView(mount: quarter, date: PictureDate(.usual)))
        let own = view.pictures(of: scene.session, areUpright: false)
        #expect(own == PictureView(date: PictureDate(.usual, shownAs: quarter)))
        #expect(PageView(Self.photos(.right, date: nil)).pictures(of: scene.session, areUpright: false) == .whole)
        await scene.close()
    }

    @Test func aSnapshotHasIt() throws {
        let size = FrameSize(width: 160, height: 96)
        let format = FrameFormat(pixelFormat: .grey, size: size)
        let frame = [UInt8](repeating: 128, count: size.area)
        let moment = CalendarTime(sinceEpoch: .seconds(1_796_053_510))
        let clock = FrameClock.recording(WallClockAnchor(monotonic: .zero, calendar: moment, zoneName: "UTC"))
        let still = StillFrame(frame, format, at: .zero, by: clock)
        let jpeg = try #require(still.jpeg(width: nil, date: PictureDate(.usual)))
        var mark = [UInt8](repeating: 1, count: size.area)
        var stamp = DateStamp(.usual, of: .unknown, in: PixelArea(size))
        stamp.show(moment)
        mark.withUnsafeMutableBufferPointer {
            stamp.draw(into: StampedPlane($0.baseAddress!, stride: size.width, ink: 255, outline: 0))
        }
        let reader = try PictureConverter(
            FrameFormat(pixelFormat: .mjpeg, size: size), [PictureSettings(format: .grey, range: .full)])
        var pixels = [UInt8](repeating: 0, count: size.area)
        let isTaken = reader.take(jpeg.span.bytes)
        let count = pixels.withUnsafeMutableBytes { reader.draw(0, into: $0) }
        try #require(isTaken && count == size.area)
        var wrong = 0
        for place in mark.indices {
            let sample = pixels[place]
            let isRight: Bool =
                switch mark[place] {
                case 255: sample > 190
                case 0: sample < 70
                default: abs(Int(sample) - 128) < 50
                }
            if !isRight { wrong += 1 }
        }
        #expect(wrong < 40, "\(wrong) pixels")
        #expect(still.jpeg(width: nil) != jpeg)
    }
}
