// SPDX-License-Identifier: MIT
// Runs synthetic scenes to their end, for tests: every frame with its metadata, and the number drawn into it.

import FrameRing
import LivecapFrames
import LivecapJPEG
import Testing

@testable import Camera

/// One frame of a run.
struct SeenFrame: Equatable {
    let metadata: FrameMetadata
    let bytes: [UInt8]
}

/// Every frame that a follower sees of a scene with a fixed number of frames.
func runScene(
    _ text: String, _ pixelFormat: PixelFormat = .yuyv, size: FrameSize = FrameSize(width: 96, height: 64),
    pace: Pace = .fast
) throws -> [SeenFrame] {
    let camera = try SyntheticCamera(try SyntheticSettings(text), pixelFormat: pixelFormat, size: size, pace: pace)
    let gate = camera.gate
    let loop = try CaptureLoop(camera)
    var frames = FrameSubscription(to: loop.ring, gate: gate)
    loop.start()
    var seen: [SeenFrame] = []
    while case .frame(let frame) = frames.next() {
        seen.append(SeenFrame(metadata: frame.metadata, bytes: frame.withBytes { $0.withUnsafeBytes { [UInt8]($0) } }))
    }
    loop.stop()
    #expect(loop.state == .ended)
    return seen
}

/// The number drawn into a frame.
func numberShown(_ bytes: [UInt8], _ pixelFormat: PixelFormat, _ size: FrameSize) throws -> UInt32? {
    let format = FrameFormat(pixelFormat: pixelFormat, size: size)
    guard pixelFormat.isJPEG else { return FrameMark(fitting: size)?.read(bytes.span.bytes, format: format) }
    let layout = try #require(PlanarLayout(size: size, sampling: .s422))
    let planes = UnsafeMutableRawBufferPointer.allocate(byteCount: layout.byteCount, alignment: 1)
    defer { planes.deallocate() }
    var decoder = try JPEGDecoder()
    try decoder.decode(bytes.span.bytes, to: layout, in: planes)
    return FrameMark(fitting: size)?.read(planes.bytes, format: layout.luma)
}
