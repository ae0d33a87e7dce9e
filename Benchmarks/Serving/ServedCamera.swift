// SPDX-License-Identifier: MIT
// A synthetic camera that is served to viewers, as `livecap serve` does it.

import Camera
import Glibc
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapPhotoStorage
import LivecapServing

/// A running session with its viewfinder and its server. Drawing costs nothing: frames are JPEGs drawn beforehand.
final class ServedCamera {
    let session: CaptureSession
    let port: UInt16
    private let viewfinder: Viewfinder
    private let server: HTTPServer
    private let folder: BenchFolder

    struct NoSocket: Error {}

    init(_ size: FrameSize, _ options: BenchmarkOptions) throws {
        folder = try BenchFolder(options)
        let library = try PhotoLibrary("\(folder.path)/library")
        var scene = SyntheticSettings(.handheld)
        scene.prerenderedFrames = 16
        session = try CaptureSession(
            SyntheticCamera(scene, pixelFormat: .mjpeg, size: size, rate: FrameRate(30)),
            SessionOptions(library: library, history: .seconds(2)))
        viewfinder = try Viewfinder(
            session, library, ViewfinderSettings(photos: PhotoSettings(), software: "bench", version: "0"))
        guard let address = HTTPAddress("127.0.0.1:0") else { throw NoSocket() }
        let socket = try address.listen()
        guard let port = HTTPAddress(of: socket)?.port else { throw NoSocket() }
        self.port = port
        let viewfinder = viewfinder
        HTTPLimits.allowFiles()
        server = try HTTPServer(at: socket) { viewfinder.answer($0, $1) }
        session.begin()
    }

    /// How many viewers are connected.
    var viewerCount: Int { viewfinder.viewerCount }

    deinit {
        server.close()
        viewfinder.close()
        session.end()
    }
}
