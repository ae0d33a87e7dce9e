// SPDX-License-Identifier: MIT
// Nodes and requests that cannot be served fail with a specific error.

import Foundation
import LivecapFrames
import Testing

@testable import Camera

/// The camera error of a body that is expected to fail.
enum LabError {
    static func of<Value>(_ body: () throws -> Value) throws -> CameraError {
        do {
            let value = try body()
            // Some bodies return their failure as a value.
            if let error = value as? CameraError { return error }
        } catch let error as CameraError {
            return error
        }
        throw LabStream.Missing("no error")
    }
}

extension DeviceLab {
    @Suite("refusals")
    struct RefusalTests {
        @Test("a node that delivers no video")
        func output() throws {
            let error = try LabError.of { try V4L2Camera(path: Lab.output) }
            guard case .notACamera(Lab.output, _) = error else { throw error }
        }

        @Test("a file that is not a device")
        func file() throws {
            let error = try LabError.of { try V4L2Camera(path: "/dev/null") }
            guard case .notACamera("/dev/null", _) = error else { throw error }
        }

        @Test("a device that needs the multi-planar interface")
        func multiplanar() throws {
            let error = try LabError.of { try V4L2Camera(path: Lab.multiplanar) }
            guard case .notSupported(Lab.multiplanar, _) = error else { throw error }
        }

        @Test("a missing node")
        func missing() throws {
            let error = try LabError.of { try V4L2Camera(path: "/dev/video99") }
            guard case .noSuchDevice("/dev/video99", _) = error else { throw error }
        }

        @Test("a size that is not offered, with the nearest ones first")
        func size() throws {
            let request = FormatRequest(pixelFormat: .yuyv, size: FrameSize(width: 641, height: 361))
            let error = try LabError.of { try V4L2Camera(path: Lab.webcam, request: request) }
            guard case .unsupported(_, let offered) = error else { throw error }
            #expect(offered.first?.hasPrefix("YUYV 640x360") == true, "\(offered)")
        }

        @Test("a camera that another program streams from, with that program's name")
        func busy() throws {
            let other = try RunningProgram(
                "v4l2-ctl", ["-d", Lab.webcam, "-v", "width=320,height=180", "--stream-mmap", "--stream-count=2000"])
            defer {
                other.signal(SIGKILL)
                _ = try? other.finish(within: 10)
            }
            // Opening succeeds until the other program streams.
            let deadline = Timestamp.now + .milliseconds(20_000)
            while Timestamp.now < deadline {
                do {
                    _ = try V4L2Camera(path: Lab.webcam, request: FormatRequest(size: LabStream.size))
                    usleep(100_000)
                } catch .busy(_, let holder) {
                    #expect(holder?.contains("v4l2-ctl") == true, "\(holder ?? "nobody")")
                    return
                }
            }
            Issue.record("never refused")
        }
    }
}
