// SPDX-License-Identifier: MIT
// Which of the connected cameras to use, by the user's choices and by what was plugged in.

/// The rules, without any state.
enum CameraPreference {
    /// The newest choice of the user that is connected and can be used.
    static func ofUser(_ cameras: [ConnectedCamera], choices: [CameraChoice]) -> ConnectedCamera? {
        let records = cameras.map(\.record)
        let chosen = cameras.filter(\.record.isUsable).compactMap { camera in
            choices.place(of: camera.record, among: records).map { (camera, $0) }
        }
        return chosen.min { $0.1 < $1.1 }?.0
    }

    /// The user's, or else the newest of those plugged in while the program runs, or else the first by rank. A camera that
    /// is in trouble is never it. Infrared and depth cameras are not taken only because they are new.
    static func ofSystem(_ cameras: [ConnectedCamera], choices: [CameraChoice]) -> ConnectedCamera? {
        if let chosen = ofUser(cameras, choices: choices) { return chosen }
        let usable = cameras.filter(\.record.isUsable)
        let new = usable.filter { $0.arrival > 0 && $0.record.kind == .color }
        if let newest = new.max(by: { $0.arrival < $1.arrival }) { return newest }
        let best = CameraDirectory.preferredFirst(usable.map(\.record), choices: []).first
        return usable.first { $0.record.path == best?.path }
    }
}
