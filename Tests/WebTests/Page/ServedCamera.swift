// SPDX-License-Identifier: MIT
// A camera that tests unplug and plug in again, with a server in this process: what is real above the device.

import Foundation
import FrameRing
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapPhotoStorage
import LivecapServing
import LivecapThreads
import LivecapWebGear

@testable import Camera

/// A USB port: a camera of that name is in it, or none.
final class CameraPort: Sendable {
    private let plugged: Guarded<String?>

    init(_ camera: String?) { plugged = Guarded(camera) }

    var camera: String? {
        get { plugged.withLock { $0 } }
        set { plugged.withLock { $0 = newValue } }
    }
}

/// A camera in a port, which looks at a synthetic scene until it is unplugged.
private final class PluggedCamera: JoiningSource {
    let description: SourceDescription
    private let scene: SyntheticCamera
    private let port: CameraPort
    private let name: String

    init(_ port: CameraPort) throws(CameraError) {
        guard let name = port.camera else { throw .noSuchDevice("auto", available: []) }
        (self.port, self.name) = (port, name)
        var settings = SyntheticSettings(.tripod)
        settings.noise = 0
        scene = try SyntheticCamera(
            settings, pixelFormat: .mjpeg, size: FrameSize(width: 640, height: 360), rate: FrameRate(15))
        var description = scene.description
        (description.name, description.identity) = (name, name)
        self.description = description
    }

    func makeRing(_ capacity: RingCapacity) throws(CameraError) -> (ring: Ring, granted: GrantedCapacity) {
        try scene.makeRing(capacity)
    }
    func start(_ producer: inout RingProducer) throws(CameraError) { try scene.start(&producer) }
    func step(_ producer: inout RingProducer) throws(CameraError) -> StepOutcome {
        guard port.camera == name else { throw .disconnected(path: "/dev/video0") }
        return try scene.step(&producer)
    }
    func stop() { scene.stop() }
    var interrupt: @Sendable () -> Void { scene.interrupt }

    func fits(_ ring: Ring) -> Bool { scene.fits(ring) }
    func join(_ producer: inout RingProducer) throws(CameraError) { try scene.join(&producer) }
    func takeSlots() -> [SlotIndex] { scene.takeSlots() }
}

/// A session of the camera in a port, and its server.
final class ServedCamera: WebServer {
    let port: UInt16
    private let folder: TemporaryFolder
    private let session: CaptureSession
    private let viewfinder: Viewfinder
    private let server: HTTPServer

    init(_ camera: CameraPort, change: (inout ViewfinderSettings) -> Void = { _ in }) async throws {
        folder = try TemporaryFolder()
        let library = try await PhotoLibrary.open(folder.path("library"))
        session = try await CaptureSession(
            source: .custom {
                let again = SameSource { _ throws(CameraError) in try PluggedCamera(camera) }
                return ReturningSource(try PluggedCamera(camera), onUnplug: .wait(), again)
            }, options: SessionOptions(library: library, history: .seconds(4), threads: 1, isRealTime: false))
        var settings = ViewfinderSettings(
            photos: PhotoSettings(quality: .single, keepsFrames: true), software: "tests", version: "0")
        change(&settings)
        let viewfinder = try Viewfinder(session, library, settings)
        self.viewfinder = viewfinder
        guard let address = HTTPAddress("127.0.0.1:0") else { throw WireError.malformed("address") }
        let socket = try address.listen()
        port = HTTPAddress(of: socket)?.port ?? 0
        server = try HTTPServer(at: socket) { viewfinder.answer($0, $1) }
        try await session.start()
    }

    /// Ends everything.
    func close() async {
        server.close()
        viewfinder.close()
        await session.stop(.cancellingShots)
    }
}

/// Runs a test with the server of a camera, and ends the server.
func withServedCamera(
    change: (inout ViewfinderSettings) -> Void = { _ in }, _ body: (ServedCamera, CameraPort) throws -> Void
) async throws {
    let port = CameraPort("Porch")
    let server = try await ServedCamera(port, change: change)
    let result = Result { try body(server, port) }
    await server.close()
    try result.get()
}
