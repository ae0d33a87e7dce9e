// SPDX-License-Identifier: MIT
// A session's events as pages are told of them.

import Camera
import LiveCapture
import LivecapDeveloping
import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage

extension SessionEvent {
    /// The name and the data of the event for pages; nil if it does not concern them.
    func page(_ library: PhotoLibrary) async -> (String, JSON)? {
        switch self {
        case .running: camera("running")
        case .interrupted(let reason): camera("interrupted", reason)
        case .interruptionEnded: camera("running")
        case .switchedOff: camera("off")
        case .sourceChanged(let source): camera("switched", name: source.name)
        case .ended: camera("ended")
        case .failed(let error): camera("failed", error.message)
        case .stopped: camera("ended")
        case .notice(.unplugged(let reason)): camera("interrupted", reason)
        case .notice(.busy(let error)): camera("interrupted", error.message)
        case .notice(.moved(let record, _)): camera("switched", name: record.name)
        case .notice: nil
        case .exposureSettled, .faceDrivenExposure, .faceDrivenFocus: nil
        // The switchboard reports them, with all that belongs to them.
        case .effectsChanged: nil
        case .treatmentFailed(_, let error): notice(error.message)
        case .systemPressureChanged(let pressure):
            ("pressure", .object([("level", .string(pressure.level.rawValue)), ("words", .string(pressure.words))]))
        case .photoFinished(let photo): ("photo", photo.object(try? await library.account(of: photo.id)))
        case .photoUnfinished(let id, let reason):
            (
                "photo",
                .object([("id", .integer(id.number)), ("state", "failed"), ("reason", .string(reason))])
            )
        case .finishingFailed(let error): notice("photos cannot be finished for now: \(error.message)")
        case .photoTooLargeToFinish(let id, _): notice("photo \(id) needs more memory to finish than there is")
        case .cleanedUp, .cleanUpFailed: nil
        }
    }

    /// Whether no frames come after it, for the time being or for good.
    var beginsAbsence: Bool {
        switch self {
        case .interrupted, .switchedOff, .ended, .failed, .stopped: true
        default: false
        }
    }

    /// Whether what `GET /status` tells is another after it.
    var changesStatus: Bool {
        switch self {
        case .running, .sourceChanged, .interruptionEnded, .notice(.moved): true
        default: false
        }
    }

    private func camera(_ state: String, _ reason: String? = nil, name: String? = nil) -> (String, JSON) {
        ("camera", .object([("state", .string(state)), ("reason", JSON(reason)), ("name", JSON(name))]))
    }

    private func notice(_ words: String) -> (String, JSON) { ("notice", .object([("words", .string(words))])) }
}
