// SPDX-License-Identifier: MIT
// What a command needs of its host.

import Camera
import LiveCapture
import LivecapCommandTable
import LivecapFrames

/// What a command needs of its host, beside what the command line says.
struct HostNeeds {
    /// Whose frames a command uses.
    enum Role {
        /// Those of its own camera, and other commands may use them.
        case host
        /// Those of another livecap that has the camera, or else those of its own.
        case guest
        /// As a guest; if it has the camera itself, other commands may use its frames.
        case either
    }

    let role: Role
    /// The paces of scenes and files, if the command line names none.
    let scenePace: Pace
    var replayPace = Pace.fast
    /// What happens if the camera is unplugged, or another program uses it, if the command line says nothing of it.
    var unplugPolicy = UnplugPolicy.wait()
    var busyPolicy = BusyPolicy.end
    /// From how far back frames of another livecap are used; nil is as far as the ring reaches.
    var otherPast: Duration?
    /// How far back another livecap's frames have to reach.
    var neededPast = Duration.zero
    /// Thrown if no other livecap has the camera. If one has, nothing of its past is passed over.
    var pastLack: Failure?
    /// When scenes at the real-time pace begin; nil is when they are started.
    var sceneBeginning: Timestamp?
    /// How large these scenes are, if the command line says nothing of it.
    var sceneSize: FrameSize?
    var canChangeSource = false
    var canSwitchOff = false
    /// Whether H.264 or HEVC of a camera, or of a recording, is decoded on its way into the ring.
    var decodes: @Sendable (PixelFormat) -> Bool = { _ in true }
    /// Whether a signal ends the session, whatever the command does about it.
    var stopsBySignal = true
}

extension Arguments {
    /// The options of a session that takes no photos, keeps at least so much history, and may let other processes read
    /// it.
    func streamOptions(past: Duration = .zero, isShared: Bool = false) -> SessionOptions {
        var options = SessionOptions()
        options.takesPhotos = false
        options.history = max(askedHistory ?? RingCapacity.standard.duration, past)
        options.historyMemory = askedHistoryMemory.map { HistoryMemory(bytes: $0) }
        options.memory = self[SourceOptions.memory] ?? max(RingCapacity.standard.byteCap, askedHistoryMemory ?? 0)
        options.isShared = isShared
        return options
    }
}
