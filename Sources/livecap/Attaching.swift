// SPDX-License-Identifier: MIT
// Uses the frames of a livecap that has the camera already.

import Camera
import FrameRing
import LiveCapture
import LivecapCommandTable
import LivecapFrames
import LivecapSharing

extension Arguments {
    /// The running livecap whose frames the command is to use: one that is named by `--device livecap`, or else, with
    /// `whenHeld`, the one that has the camera of the command line. Nil if the command is to open its source itself.
    /// - Throws: if there is none of that name, or what it delivers is not what is asked for.
    func host(whenHeld: Bool) throws(Failure) -> RunningHost? {
        guard !contains(SourceOptions.replay), !contains(SourceOptions.synthetic) else { return nil }
        let name = self[SourceOptions.device] ?? "auto"
        guard let host = try namedHost(name) ?? (whenHeld ? holder(ofCamera: name) : nil) else { return nil }
        try checkRequest(against: host)
        Console.note("note: using the frames of \(host), which has \(host.source.name)")
        return host
    }

    /// The running livecap of which only the past is used: the one that `--device` names, or that has the camera it
    /// names; without, the only one there is.
    /// - Throws: if there is none.
    func hostOfPast() throws(Failure) -> RunningHost {
        // One in the configuration file is meant for commands that open a camera.
        let name = isTyped(SourceOptions.device) ? self[SourceOptions.device]! : "livecap"
        if let host = try namedHost(name) ?? holder(ofCamera: name) { return host }
        throw .camera(.noSuchDevice("livecap", available: RunningHost.all.map(\.asDevice)))
    }

    /// The name of the camera on the command line, or the id of the one that the named livecap has.
    func cameraName() throws(Failure) -> String {
        let name = self[SourceOptions.device] ?? "auto"
        guard let host = try namedHost(name) else { return name }
        guard let camera = try? CameraDirectory().camera(named: host.source.identity) else {
            throw .camera(
                .badSettings(
                    "the source of \(host) is \(host.source.name), and no camera", hint: "name a camera itself"))
        }
        return camera.identity
    }

    /// The livecap that `livecap` or `livecap:PID` names; nil for other names.
    private func namedHost(_ name: String) throws(Failure) -> RunningHost? {
        guard name == "livecap" || name.hasPrefix("livecap:") else { return nil }
        try refuse([SourceOptions.own], as: "--device \(name) uses the camera of another livecap")
        let (all, silent) = RunningHost.found
        let pid = Int32(name.dropFirst("livecap:".count))
        let found = name == "livecap" ? all : all.filter { $0.pid == pid }
        if found.count == 1 { return found[0] }
        guard found.count > 1 else {
            let asked = silent.filter { name == "livecap" || $0 == pid }
            guard asked.isEmpty else { throw .camera(.hostSilent(hosts: asked.map { "livecap:\($0)" })) }
            throw .camera(.noSuchDevice(name, available: all.map(\.asDevice)))
        }
        throw .pictures(
            "several livecaps have cameras", hint: "name one: \(found.map(\.asDevice).joined(separator: ", "))")
    }

    /// The livecap that has a camera of this name.
    private func holder(ofCamera name: String) -> RunningHost? {
        guard !self[SourceOptions.own] else { return nil }
        let all = RunningHost.all
        guard !all.isEmpty, let camera = try? CameraDirectory().camera(named: name) else { return nil }
        return all.first { $0.source.identity == camera.identity }
    }

    /// Refuses what the host does not have.
    private func checkRequest(against host: RunningHost) throws(Failure) {
        for option in [SourceOptions.set, SourceOptions.profile] as [any Declared] where contains(option) {
            throw .pictures(
                "--\(option.declaration.name): \(host) has the camera, and only it can set that at the start",
                hint: "'livecap controls --set' changes controls of a camera in use")
        }
        let (request, has) = (request, host.source)
        let isOther =
            request.pixelFormat.map { $0 != has.format.pixelFormat } ?? false
            || request.size.map { $0 != has.format.size } ?? false
            || request.rate.map { !$0.isAbout(has.rate ?? $0) } ?? false
        guard isOther else { return }
        let rate = has.rate.map { " at \($0) fps" } ?? ""
        throw .camera(
            .heldOtherwise(
                host: "\(host)", asked: "\(request)", has: "\(has.format.pixelFormat) \(has.format.size)\(rate)"))
    }
}

extension RunningHost {
    /// Such as `livecap:123 (HD Webcam)`.
    fileprivate var asDevice: String { "livecap:\(pid) (\(source.name))" }

    /// Its frames as a source, from `past` before now on; by default from as far back as the ring reaches that they go
    /// into. It has to have as much as is `needed`. Those of the past wait for the followers that join `gate`.
    func frames(past: Duration?, needed: Duration, gate: FollowerGate? = nil) -> CaptureSource {
        .custom { try AttachedSource(self, past: past, needed: needed, gate: gate) }
    }
}
