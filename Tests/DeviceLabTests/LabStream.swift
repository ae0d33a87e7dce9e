// SPDX-License-Identifier: MIT
// A camera of the lab, streaming into a ring in this process.

import FrameRing
import LivecapFrames
import Testing

@testable import Camera

/// A running capture. Small and fast by default, because the lab runs on an emulated machine.
final class LabStream {
    static let size = FrameSize(width: 320, height: 180)
    let loop: CaptureLoop
    /// The camera's own descriptor, used to query the driver about its buffers.
    let descriptor: Int32
    var ring: Ring { loop.ring }

    init(
        _ path: String = Lab.webcam, format: PixelFormat? = .yuyv, size: FrameSize? = LabStream.size,
        fps: UInt32? = 30, transport: Transport? = nil, isShared: Bool = false,
        isDecoded: Bool = false
    ) throws {
        let request = FormatRequest(pixelFormat: format, size: size, rate: fps.map { FrameRate($0) })
        let camera = try V4L2Camera(path: path, request: request, transport: transport)
        descriptor = camera.device.descriptor
        let capacity = RingCapacity(duration: .milliseconds(1500), byteCap: 64 << 20, isShared: isShared)
        if isDecoded {
            let source = try DecodedSource(camera, askForKeyFrame: { V4L2Device.askForKeyFrame(of: $0) })
            loop = try CaptureLoop(source, capacity: capacity)
        } else {
            loop = try CaptureLoop(camera, capacity: capacity)
        }
        loop.start()
    }

    /// Passes the next `count` frames to `body`, in order. Fails the test if they do not arrive.
    func follow(_ count: Int, _ body: (borrowing FrameLease) throws -> Void) throws {
        var subscription = FrameSubscription(to: ring)
        let deadline = Timestamp.now + .milliseconds(20_000)
        for number in 0..<count {
            switch subscription.next(until: deadline) {
            case .frame(let lease): try body(lease)
            case .timedOut: throw Missing("frame \(number) of \(count) did not come; \(loop.state) \(loop.notices)")
            case .ended: throw Missing("the stream ended at frame \(number) of \(count): \(loop.state)")
            }
        }
    }

    /// The metadata of the next `count` frames.
    func metadata(_ count: Int) throws -> [FrameMetadata] {
        var all: [FrameMetadata] = []
        try follow(count) { all.append($0.metadata) }
        return all
    }

    /// Waits for at most `seconds` until the capture has failed.
    func failure(within seconds: Int64 = 30) throws -> CameraError {
        var subscription = FrameSubscription(to: ring)
        let deadline = Timestamp.now + .milliseconds(seconds * 1000)
        while true {
            switch subscription.next(until: deadline) {
            case .frame: continue
            case .timedOut: throw Missing("still \(loop.state) after \(seconds) s")
            case .ended:
                guard case .failed(let error) = loop.state else { throw Missing("ended: \(loop.state)") }
                return error
            }
        }
    }

    struct Missing: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}

extension FrameLease {
    /// The address of the frame's bytes.
    borrowing func address() -> UInt {
        withBytes { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    }
}
