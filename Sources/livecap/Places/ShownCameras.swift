// SPDX-License-Identifier: MIT
// The virtual cameras that show a session's frames.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapStreams
import LivecapVirtualCamera

/// Virtual cameras, for programs that know nothing of livecap.
struct ShownCameras: SessionPlace {
    private let cameras: [VirtualCamera]
    private let sinks: HostSinks

    init?(_ arguments: Arguments, _ host: Host, _ staged: StagedFrames?) throws(Failure) {
        guard arguments.contains(PlaceOptions.to) else { return nil }
        cameras = try Self.open(
            arguments, host, host.session.source,
            as: arguments.view(host.session.rotation?.mount))
        sinks = staged?.stage(of: .to)?.sinks ?? host.session.sinks
        for camera in cameras { sinks.add(camera) }
    }

    /// Opens those of a command line for frames of a source, which they show so. One that fails later is reported.
    static func open(
        _ arguments: Arguments, _ host: Host, _ source: SourceDescription, as view: PictureView
    ) throws(Failure) -> [VirtualCamera] {
        var cameras: [VirtualCamera] = []
        do throws(VirtualCameraError) {
            for place in arguments.all(PlaceOptions.to) { cameras.append(try place.open(source, view)) }
        } catch {
            for camera in cameras { camera.close() }
            throw error.failure
        }
        for camera in cameras { camera.onFailure { Console.note("note: \($0.message); \(Hints.hint($0))") } }
        return cameras
    }

    var announcement: String? {
        "other programs see it as \(cameras.map(\.name).joined(separator: ", "))"
    }

    func close() {
        for camera in cameras {
            sinks.remove(camera.output)
            camera.close()
        }
    }
}
