// SPDX-License-Identifier: MIT
// Why a control cannot be set as asked.

import LivecapThreads

/// Why a control cannot be set as asked.
public enum ControlError: ExplainedError, Hashable, Sendable {
    /// The camera has no such control. `available` lists the names of those it has.
    case unknown(String, available: [String])
    /// Several controls have the name. `numbers` lists V4L2's numbers of them.
    case ambiguous(String, numbers: [String])
    /// The control can only be read, or is of a kind that livecap does not set.
    case readOnly(String)
    /// The control has no automatic mode.
    case notAutomatic(String)
    /// The control does not accept the value. `accepted` says what it accepts, for people.
    case badValue(String, value: String, accepted: String)
    /// The control is locked by another one, as long as that has its present value.
    case locked(String, by: String?, unlock: String?)
    /// Nothing is kept for the camera under that name. `available` lists the names of its profiles.
    case noProfile(String, available: [String])
    /// The driver refused the value.
    case refused(String, value: String, reason: String)
}

extension ControlError {
    /// What happened, in one line without a full stop.
    public var message: String {
        switch self {
        case .unknown(let name, _): "the camera has no control '\(name)'"
        case .ambiguous(let name, let numbers): "the camera has \(numbers.count) controls '\(name)'"
        case .readOnly(let name): "\(name) cannot be set"
        case .notAutomatic(let name): "\(name) has no automatic mode"
        case .badValue(let name, let value, _): "\(name) cannot be '\(value)'"
        case .locked(let name, let lock?, _): "\(name) is locked by \(lock)"
        case .locked(let name, nil, _): "\(name) is locked"
        case .noProfile(let name, _): "the camera has no profile '\(name)'"
        case .refused(let name, let value, let reason): "the camera refused \(name)=\(value): \(reason)"
        }
    }

    /// What to do about it, in one line without a full stop.
    public var hint: String {
        switch self {
        case .unknown(_, let available) where available.isEmpty: "it has no controls at all"
        case .unknown(_, let available): "it has \(available.joined(separator: ", "))"
        case .ambiguous(_, let numbers): "use a number: \(numbers.joined(separator: ", "))"
        case .readOnly: "leave it out"
        case .notAutomatic: "set it to a value"
        case .badValue(_, _, let accepted): accepted
        case .locked(_, _, let unlock?): "set \(unlock) first"
        case .locked(_, _, nil): "set the mode that locks it first"
        case .noProfile(_, let available) where available.isEmpty: "it has none"
        case .noProfile(_, let available): "it has \(available.joined(separator: ", "))"
        case .refused: "another value, or another mode of the camera, may be accepted"
        }
    }

    /// The error's name in JSON: words joined by hyphens. These names are stable.
    public var code: String {
        switch self {
        case .unknown: "no-such-control"
        case .ambiguous: "ambiguous-control"
        case .readOnly: "control-read-only"
        case .notAutomatic, .badValue: "bad-control-value"
        case .locked: "control-locked"
        case .noProfile: "no-such-profile"
        case .refused: "control-refused"
        }
    }
}
