// SPDX-License-Identifier: MIT
// A scene that is served to tests, as the program serves a camera.

import Foundation
import LiveCapture
import LivecapFrames
import LivecapHTTP
import LivecapMovies
import LivecapPhotoStorage
import LivecapServing
import LivecapWebGear

/// A session of a synthetic scene with its viewfinder and its server, all in this process.
final class ServedScene {
    let session: CaptureSession
    let library: PhotoLibrary
    let viewfinder: Viewfinder
    let port: UInt16
    /// The folder of the library and of movies.
    let folder: URL
    private let server: HTTPServer

    var movieFolder: String { folder.appending(path: "movies").path }

    init(
        size: FrameSize = FrameSize(width: 320, height: 240), token: String? = nil, limits: HTTPLimits = HTTPLimits(),
        idleOff: Duration? = nil, orientation: PhotoOrientation = .up, source: CaptureSource? = nil,
        change: (inout ViewfinderSettings) -> Void = { _ in }
    ) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "livecap-serving-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: folder.appending(path: "movies"), withIntermediateDirectories: true)
        library = try await PhotoLibrary.open(folder.appending(path: "library").path)
        var scene = try SyntheticSettings("tripod")
        // Drawing costs nothing then: what a test measures is the server.
        scene.prerenderedFrames = 4
        var options = SessionOptions(library: library, history: .seconds(2), threads: 1, isRealTime: false)
        options.idleOff = idleOff
        session = try await CaptureSession(
            source: source ?? .synthetic(scene, pixelFormat: .mjpeg, size: size, rate: FrameRate(30), .realtime),
            options: options)
        var photos = PhotoSettings(quality: .speed, keepsFrames: true)
        (photos.metadata.orientation, photos.followsRotation) = (orientation, orientation == .up)
        var settings = ViewfinderSettings(photos: photos, software: "tests", version: "0")
        settings.token = token
        settings.movies = PageMovies(try MovieNames(in: folder.appending(path: "movies").path))
        change(&settings)
        viewfinder = try Viewfinder(session, library, settings)
        guard let address = HTTPAddress("127.0.0.1:0") else { throw WireError.malformed("address") }
        let socket = try address.listen()
        port = HTTPAddress(of: socket)?.port ?? 0
        let viewfinder = viewfinder
        server = try HTTPServer(at: socket, limits: limits) { viewfinder.answer($0, $1) }
        try await session.start()
    }

    /// Ends everything, and removes the files.
    func close() async {
        server.close()
        viewfinder.close()
        await session.stop(.cancellingShots)
        try? FileManager.default.removeItem(at: folder)
    }

    /// What a page sends with what does something.
    var proof: (name: String, value: String) { ("Livecap-Proof", viewfinder.gatekeeper.proof) }
}

/// Runs a test with a served scene, and checks that capture was not disturbed: no frame was dropped, and frames go on.
func withServedScene(
    size: FrameSize = FrameSize(width: 320, height: 240), token: String? = nil, limits: HTTPLimits = HTTPLimits(),
    idleOff: Duration? = nil, orientation: PhotoOrientation = .up, source: CaptureSource? = nil,
    change: (inout ViewfinderSettings) -> Void = { _ in }, _ body: (ServedScene) async throws -> Void
) async throws {
    let scene = try await ServedScene(
        size: size, token: token, limits: limits, idleOff: idleOff, orientation: orientation, source: source,
        change: change)
    do {
        try await body(scene)
        guard scene.session.statistics.dropped == 0 else {
            throw WireError.malformed("\(scene.session.statistics.dropped) frames were dropped")
        }
    } catch {
        await scene.close()
        throw error
    }
    await scene.close()
}
