// SPDX-License-Identifier: MIT
// Which of the connected cameras to use, by the user's choices and by what was plugged in.

/// The rules.
struct CameraPreference {
    /// The user's choices, newest first.
    let choices: [CameraChoice]
    /// The newest arrival when a choice was made, by identity. Others were made before any camera arrived.
    var arrivalsBefore: [String: Int] = [:]

    /// The newest choice of the user that is connected and can be used.
    func ofUser(_ cameras: [ConnectedCamera]) -> ConnectedCamera? {
        chosen(cameras.filter(\.record.isUsable), among: cameras)?.camera
    }

    /// The newest of those plugged in while the program runs, unless the user has chosen a camera since then that is
    /// connected; or else the user's, or else the first by rank. A camera that is in trouble is never it, nor is a
    /// suspended one while there is another. Infrared and depth cameras are not taken only because they are new.
    func ofSystem(_ cameras: [ConnectedCamera]) -> ConnectedCamera? {
        let usable = cameras.filter(\.record.isUsable)
        let seeing = usable.filter { !$0.record.isSuspended }
        let candidates = seeing.isEmpty ? usable : seeing
        let new = candidates.filter { $0.arrival > 0 && $0.record.kind == .color }.max { $0.arrival < $1.arrival }
        if let (chosen, choice) = chosen(candidates, among: cameras) {
            let since = max(chosen.arrival, arrivalsBefore[choice.identity] ?? 0)
            return new.map { $0.arrival > since ? $0 : chosen } ?? chosen
        }
        if let new { return new }
        let best = CameraDirectory.preferredFirst(candidates.map(\.record), choices: []).first
        return candidates.first { $0.record.path == best?.path }
    }

    /// The newest choice among the candidates. What a choice means depends on all connected cameras.
    private func chosen(
        _ candidates: [ConnectedCamera], among cameras: [ConnectedCamera]
    ) -> (camera: ConnectedCamera, choice: CameraChoice)? {
        let records = cameras.map(\.record)
        let places = candidates.compactMap { camera in
            choices.place(of: camera.record, among: records).map { (camera, $0) }
        }
        return places.min { $0.1 < $1.1 }.map { ($0.0, choices[$0.1]) }
    }
}
