// SPDX-License-Identifier: MIT
// Decides which camera goes on in a ring: the one that was named, or else the preferred one that delivers its format.

import LivecapFrames
import LivecapThreads

/// Follows the connected cameras for the thread that captures. Not for several threads at a time.
final class NextCamera: Succession {
    /// Opens the camera at a path, as a source with an identity.
    typealias Open = (
        _ path: String, _ identity: String, FormatRequest, ControlMemory, Transport?
    ) throws(CameraError) -> any JoiningSource

    /// A camera from one plug to the next.
    fileprivate struct Plugged: Hashable {
        let identity: String
        let arrival: Int
    }

    /// What the cameras are asked for: the ring's own format.
    private let request: FormatRequest
    private let watch: CameraWatch
    /// The camera to return to whenever it is connected; nil to follow the system's preference.
    private let home: String?
    private let openCamera: Open
    private let hold: CameraHold
    /// The camera that is or was used last.
    private var current: Plugged
    /// The one that delivered last, which a hold means.
    private var delivering: String
    /// How each camera is set.
    private var memories: [String: ControlMemory]
    private let newMemory: (_ identity: String) -> ControlMemory
    /// Cameras that failed. They are tried again only if no other is left, those whose error may pass; no capture is
    /// interrupted for one.
    private var failed: [Plugged: CameraError] = [:]
    private var seen = -1
    /// The event that reports arrivals.
    private var arrivals: WakeEvent?

    init(
        after current: String, home: String?, _ request: FormatRequest, _ watch: CameraWatch,
        _ memories: [String: ControlMemory], hold: CameraHold = CameraHold(),
        newMemory: @escaping (_ identity: String) -> ControlMemory, open: @escaping Open
    ) {
        self.hold = hold
        self.current = Plugged(identity: current, arrival: 0)
        delivering = current
        self.home = home
        self.request = request
        self.watch = watch
        openCamera = open
        self.memories = memories
        self.newMemory = newMemory
    }

    /// Whether a camera is connected that is to be used instead of the current one. Cheap unless something has changed.
    var isSuperseded: Bool {
        // What has changed meanwhile is looked at once nobody holds the camera.
        guard !hold.isHeld else { return false }
        let version = watch.board.version
        guard version != seen else { return false }
        seen = version
        let cameras = candidates()
        guard let best = cameras.first, best.record.identity != current.identity, failed[best.plugged] == nil else {
            return false
        }
        // The error of a camera that is gone says so.
        return cameras.contains { $0.record.identity == current.identity }
    }

    let nodes: String? = nil

    func reportArrivals(by event: WakeEvent) -> Bool {
        guard event !== arrivals else { return true }
        arrivals = event
        watch.board.raise(event)
        return true
    }

    var hasSource: Bool { !candidates().isEmpty }

    /// Also notes that the current camera failed.
    func replaces(after error: CameraError) -> Bool {
        failed[current] = error
        // One that is held is waited for, if its error may pass.
        if hold.isHeld, error.mayPass { return true }
        return candidates().contains { failed[$0.plugged] == nil }
    }

    /// Also notes that the current camera failed, unless there is none.
    func goesOn(after error: CameraError) -> Bool {
        if case .noSuchDevice = error { return true }
        failed[current] = error
        return error.isOfCamera
    }

    /// Opens the best camera that can be used.
    /// - Throws: `noSuchDevice` if there is none.
    func open(_ transport: Transport?) throws(CameraError) -> any JoiningSource {
        for camera in candidates() {
            let record = camera.record
            // The node may be another camera's by now.
            guard let path = watch.directory.path(of: record.identity) else { continue }
            current = camera.plugged
            let controls = memories[record.identity] ?? newMemory(record.identity)
            memories[record.identity] = controls
            let isAsFast = request.choose(from: record.offers) != nil
            do throws(CameraError) {
                let opened = try openCamera(
                    path, record.identity,
                    isAsFast ? request : FormatRequest(pixelFormat: request.pixelFormat, size: request.size), controls,
                    transport)
                delivering = record.identity
                return opened
            } catch {
                guard goesOn(after: error) else { throw error }
            }
        }
        throw .noSuchDevice(home ?? "auto", available: [])
    }

    /// The cameras that offer the format: the best first, but those that failed last. Only one that is held, unless it
    /// has failed for good.
    private func candidates() -> [ConnectedCamera] {
        let now = watch.board.now
        let isHeld = hold.isHeld && !(current.identity == delivering && failed[current]?.mayPass == false)
        let connected = (now.cameras ?? []).filter { camera in
            camera.record.isUsable && camera.record.offers.contains(where: fits)
                && failed[camera.plugged]?.mayPass != false
                && (!isHeld || camera.record.identity == delivering)
        }
        let best = now.preference.ofSystem(connected)?.record.identity
        let order = CameraDirectory.preferredFirst(connected.map(\.record), choices: now.history.choices)
        let rank = { (camera: ConnectedCamera) in
            let identity = camera.record.identity
            return (
                self.failed[camera.plugged] == nil ? 0 : 1, identity == self.home ? 0 : identity == best ? 1 : 2,
                order.firstIndex { $0.identity == identity } ?? 0
            )
        }
        return connected.sorted { rank($0) < rank($1) }
    }

    private func fits(_ offer: FormatOffer) -> Bool {
        (request.pixelFormat ?? offer.pixelFormat) == offer.pixelFormat && offer.size == request.size
    }
}

extension ConnectedCamera {
    fileprivate var plugged: NextCamera.Plugged { .init(identity: record.identity, arrival: arrival) }
}
