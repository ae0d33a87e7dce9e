// SPDX-License-Identifier: MIT
// What is said to people of what happens while a camera is used: the one table of these words.

import Camera
import LiveCapture
import LivecapPhotoStorage

extension SessionEvent {
    /// A note for people, if there is something to say.
    var words: String? {
        switch self {
        case .notice(let notice): notice.words
        case .switchedOff: "the camera is off until it is needed"
        case .interrupted(let reason): "the stream is interrupted: \(reason); waiting for frames (Ctrl-C ends)"
        case .interruptionEnded: CaptureLoop.Notice.recovered.words
        case .exposureSettled(measured: false, _): "the camera's exposure does not settle"
        case .faceDrivenExposure(.ended(.refused)): "the camera does not let its exposure follow faces"
        case .treatmentFailed(let treatment, let error):
            "no frames are \(treatment.words ?? "made"): \(error.message); \(error.hint)"
        case .finishingFailed(let error): "pictures cannot be finished for now: \(error.message)"
        case .photoTooLargeToFinish(let id, let bytes):
            "picture \(id) needs \(bytes >> 20) MiB to finish, more than --memory leaves here: "
                + "'livecap library finish' makes it and others like it"
        case .photoFinished(let photo): photo.editWords
        case .cleanedUp(let report): report.words
        case .cleanUpFailed(let error): "old source frames cannot be removed for now: \(error.message)"
        default: nil
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
        case .settingsFailed(let settings):
            "these settings are not in force, because the camera failed at them several times: "
                + settings.map(\.description).joined(separator: ", ") + "; 'livecap controls --set' tries again"
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

extension CaptureLoop.Interruption {
    /// A note for people, where a command does without its camera as `policy` says.
    func words(_ policy: UnplugPolicy) -> String? {
        switch (cause, policy) {
        case (.restart, _): CaptureLoop.Notice.restarted(reason: reason).words
        case (.busy(let error), _): CaptureLoop.Notice.busy(error).words
        case (.unplugged, .next): "\(reason); going on as soon as a camera can be used (Ctrl-C ends)"
        case (.unplugged, _): CaptureLoop.Notice.unplugged(reason: reason).words
        case (.switchedOff, _): SessionEvent.switchedOff.words
        }
    }
}
