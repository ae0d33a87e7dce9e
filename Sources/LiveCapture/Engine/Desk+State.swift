// SPDX-License-Identifier: MIT
// The desk's state: a few values, each for one kind of decision.

import Camera
import LivecapDeveloping
import LivecapFrames

extension Desk {
    /// Everything the desk's lock guards. Only the desk's own files touch it; `scripts/check` holds them to that.
    struct State {
        var stream = StreamState()
        var shots = ShotLists()
        var frames: FrameIntake
        var switches: Switches
        var estimates = Estimates()
        var power = PowerState()
    }
}

/// What is known of the stream.
struct StreamState {
    enum Phase: Hashable {
        case idle, running
        case ended(CameraError?)
    }

    var phase = Phase.idle
    /// Whether the stream is being stopped or was. Taps are then refused, because soon nothing will serve them.
    var isStopping = false
    /// Whether another desk takes the taps of now, and this one only those of its history.
    var isRetired = false
    /// Whether it is being restarted.
    var isInterrupted = false
    /// Why no frame will come for now: the camera is unplugged, or another program uses it. Nil if it is there.
    var absence: PhotoError?
    /// The sources that took the first one's place, each with the counter of its first frame.
    var successors: [(source: SourceDescription, rotation: RotationCoordinator?, firstFrame: UInt64)] = []
    /// The time from the frame before the newest one to it.
    var spacing = Duration.zero
    /// The newest frame's time; nil until there is one.
    var newestTime: Timestamp?
    /// The first frame's time; nil until there is one.
    var firstTime: Timestamp?
    /// Whether the exposure was seen to hold still, and whether waiting for that is over.
    var isExposureSettled = false, isExposureDone = false

    var hasEnded: Bool { if case .ended = phase { true } else { false } }
    var failure: CameraError? { if case .ended(let failure) = phase { failure } else { nil } }
}

/// The shots in progress, each in one list.
struct ShotLists {
    /// Ordered by moment, unknown moments last, and then by number.
    var waiting: [Shot] = []
    /// Captured, with frames that were not read yet.
    var reading: [Shot] = []
    /// Captured, with all frames read.
    var ready: [Shot] = []
    var inWork: [ShotID: Shot] = [:]
    /// How many of the waiting shots are due: they wait for more frames, or for room.
    var dueCount = 0
    /// How many of those lack room, or wait after a shot that does.
    var shortOfRoom = 0

    /// The number of shots whose frames are held and whose files are not written yet.
    var processing: Int { reading.count + ready.count + inWork.count }
    /// The number of shots that are neither done nor failed.
    var inProgress: Int { waiting.count + processing }

    /// The shots that are neither done nor failed.
    var all: [Shot] { waiting + reading + ready + inWork.values }

    /// Takes a shot that no worker has off its list; nil if there is none of that number.
    mutating func remove(_ id: ShotID) -> Shot? {
        for list in [\ShotLists.waiting, \.reading, \.ready] {
            guard let place = self[keyPath: list].firstIndex(where: { $0.id == id }) else { continue }
            return self[keyPath: list].remove(at: place)
        }
        return nil
    }

    /// Puts a shot that has all its frames in line for the workers, by when they were held.
    mutating func finishReading(_ shot: Shot) {
        reading.removeAll { $0 === shot }
        let index = ready.lastIndex { $0.captured.held <= shot.captured.held }.map { $0 + 1 } ?? 0
        ready.insert(shot, at: index)
    }
}

/// The frames of the shots, and how they are read.
struct FrameIntake {
    var shelf: FrameShelf
    /// Frames not yet read.
    var unread: [ShelvedFrame] = []
    /// How many workers are reading a frame.
    var inReading = 0
    /// The time of the newest frame when shots last had frames.
    var lastUse: Timestamp?
    /// The shape frames are fused as; nil until a JPEG frame could be judged, and if frames cannot be fused.
    var shape: FrameShape?
    /// Reads the headers of JPEG frames; nil for other formats.
    let judge: FrameJudge?
}

/// The output's switches.
struct Switches {
    /// Whether photos are made of frames captured before the tap.
    var hasPast: Bool
    /// Whether shots overlap.
    var isResponsive: Bool
    /// Whether quality is lowered for taps in quick succession.
    var isPrioritizing: Bool
    /// Whether the output may defer shots on its own initiative.
    var isDeferring = true
    var maxQuality = PhotoQuality.quality
}

/// What forecasts and priorities rest on.
struct Estimates {
    var prioritizer = ShotPrioritizer()
    /// The pressure on the machine.
    var pressure = SystemPressure.Level.nominal
    /// How long each stage has taken so far.
    var times = StageTimes()
    /// How many frames the last shot was to have.
    var lastFrames = PhotoSettings().demand.count
    /// When the workers' progress was last noted, and when the wait for room was last forecast.
    var progressNoted = Timestamp.zero, forecastMade = Timestamp.zero
}
