// SPDX-License-Identifier: MIT
// Decides which camera goes on in a ring: the one that was named, or else the preferred one that delivers its format.

import LivecapFrames

/// Follows the connected cameras for the thread that captures. Not for several threads at a time.
final class NextCamera {
    /// What the cameras are asked for: the ring's own format.
    private let request: FormatRequest
    private let watch: CameraWatch
    /// The camera to return to whenever it is connected; nil to follow the system's preference.
    private let home: String?
    /// The camera that is or was used last.
    private(set) var current: String
    /// How each camera is set. Wishes are for all of them, as far as they can be met.
    private var memories: [String: ControlMemory]
    private let wishes: [ControlSetting]
    /// Cameras that were tried in vain since the board was last seen to change.
    private var unfit: Set<String> = []
    private var seen = -1

    init(
        after current: String, home: String?, _ request: FormatRequest, _ watch: CameraWatch, _ memory: ControlMemory,
        _ wishes: [ControlSetting]
    ) {
        (self.current, self.home, self.request, self.watch) = (current, home, request, watch)
        (memories, self.wishes) = ([current: memory], wishes)
    }

    /// Whether a camera is connected that is to be used instead of the current one. Cheap unless something has changed.
    func isSuperseded() -> Bool {
        let version = watch.board.version
        guard version != seen else { return false }
        (seen, unfit) = (version, [])
        let cameras = candidates()
        return cameras.contains { $0.identity == current } && cameras.first?.identity != current
    }

    /// Opens the best camera that can be used.
    /// - Throws: `noSuchDevice` if there is none.
    func open(_ transport: Transport?) throws(CameraError) -> any JoiningSource {
        let version = watch.board.version
        if version != seen { (seen, unfit) = (version, []) }
        for camera in candidates() {
            let controls = memories[camera.identity] ?? ControlMemory(wishes, isStrict: false)
            memories[camera.identity] = controls
            do throws(CameraError) {
                let isAsFast = request.choose(from: camera.offers) != nil
                let opened = try V4L2Camera(
                    path: camera.path, identity: camera.identity,
                    request: isAsFast ? request : FormatRequest(pixelFormat: request.pixelFormat, size: request.size),
                    transport: transport, controls: controls)
                current = camera.identity
                return opened
            } catch { if !error.mayPass { unfit.insert(camera.identity) } }
        }
        throw .noSuchDevice(home ?? "auto", available: [])
    }

    /// Looks for others from now on if the current camera cannot go on in the ring.
    func note(_ error: CameraError) { if !error.mayPass { unfit.insert(current) } }

    /// The cameras that offer the format, the best first.
    private func candidates() -> [CameraRecord] {
        let now = watch.board.now
        let connected = (now.cameras ?? []).filter { camera in
            camera.record.isUsable && !unfit.contains(camera.record.identity)
                && camera.record.offers.contains(where: fits)
        }
        let best = CameraPreference.ofSystem(connected, choices: now.history.choices)?.record.identity
        let ordered = CameraDirectory.preferredFirst(connected.map(\.record), choices: now.history.choices)
        let rank = { (camera: CameraRecord) in camera.identity == self.home ? 0 : camera.identity == best ? 1 : 2 }
        return ordered.enumerated().sorted { (rank($0.1), $0.0) < (rank($1.1), $1.0) }.map(\.1)
    }

    private func fits(_ offer: FormatOffer) -> Bool {
        (request.pixelFormat ?? offer.pixelFormat) == offer.pixelFormat && offer.size == request.size
    }
}
