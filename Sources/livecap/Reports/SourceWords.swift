// SPDX-License-Identifier: MIT
// What is said of a source and its ring.

import Camera
import FrameRing
import LiveCapture
import LivecapFrames

extension GrantedCapacity {
    /// A note that the history is shorter than asked for, why, and what would change that.
    func words(asked: Duration) -> String {
        "note: the history is \(fixed(usualDuration.seconds, 2)) s instead of \(fixed(asked.seconds, 2)) s: \(limit.words)"
    }
}

extension HistoryLimit {
    /// What limits the history, and the option that changes it.
    var words: String {
        switch self {
        case .asked: "a longer --ring keeps more"
        case .memory: "memory is limited; a larger --memory, or a smaller --size, keeps more"
        case .buffers:
            "the driver has no more buffers; --format MJPG, if the camera has it, or a lower --fps keeps more"
        case .slots: "it holds the maximum number of frames; a lower --fps keeps more"
        }
    }
}

extension CaptureLoop.Notice {
    /// A note for people, if there is something to say.
    var words: String? {
        switch self {
        case .realtimePriority(granted: true): nil
        case .realtimePriority(granted: false):
            "no real-time priority ('ulimit -r 10' allows it): frames may be late on a busy machine"
        case .settingsLeftOut(let settings):
            "the camera does not accept these settings of its profile: "
                + settings.map(\.description).joined(separator: ", ") + "; 'livecap controls --save' keeps others"
        case .suspended: "the camera's privacy switch is closed: its pictures are black until it is opened"
        case .slow(let reason): reason
        case .restarted(let reason): "the stream was restarted: \(reason)"
        case .unplugged(let reason): "\(reason); waiting (Ctrl-C ends)"
        case .moved(let camera, _): "going on with \(camera.name)"
        case .busy(let error): "\(error.message); waiting until it is free (Ctrl-C ends)"
        case .recovered: "frames are arriving again"
        }
    }
}
