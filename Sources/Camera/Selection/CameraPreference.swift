// SPDX-License-Identifier: MIT
// Which of the connected cameras to use, by the user's choices and by what was plugged in.

/// The rules, without any state.
enum CameraPreference {
    /// The newest choice of the user that is connected and can be used.
    static func ofUser(_ cameras: [ConnectedCamera], choices: [CameraChoice]) -> ConnectedCamera? {
        chosen(cameras.filter(\.record.isUsable), among: cameras, choices)
    }

    /// The user's, or else the newest of those plugged in while the program runs, or else the first by rank. A camera that
    /// is in trouble is never it, nor is a suspended one while there is another. Infrared and depth cameras are not taken
    /// only because they are new.
    static func ofSystem(_ cameras: [ConnectedCamera], choices: [CameraChoice]) -> ConnectedCamera? {
        let usable = cameras.filter(\.record.isUsable)
        let seeing = usable.filter { !$0.record.isSuspended }
        let candidates = seeing.isEmpty ? usable : seeing
        if let chosen = chosen(candidates, among: cameras, choices) { return chosen }
        let new = candidates.filter { $0.arrival > 0 && $0.record.kind == .color }
        if let newest = new.max(by: { $0.arrival < $1.arrival }) { return newest }
        let best = CameraDirectory.preferredFirst(candidates.map(\.record), choices: []).first
        return candidates.first { $0.record.path == best?.path }
    }

    /// The newest choice among the candidates. What a choice means depends on all connected cameras.
    private static func chosen(
        _ candidates: [ConnectedCamera], among cameras: [ConnectedCamera], _ choices: [CameraChoice]
    ) -> ConnectedCamera? {
        let records = cameras.map(\.record)
        let places = candidates.compactMap { camera in
            choices.place(of: camera.record, among: records).map { (camera, $0) }
        }
        return places.min { $0.1 < $1.1 }?.0
    }
}
