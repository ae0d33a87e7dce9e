// SPDX-License-Identifier: MIT
// What clients can do about the libraries' errors: they know addresses and pictures, and no types of ours.

import LiveCapture
import LivecapThreads

enum ClientHints {
    /// A hint in words of somebody who sends requests.
    static func hint(_ error: some ExplainedError) -> String {
        switch error {
        case let error as PhotoError: hint(error)
        case let error as SessionError: hint(error)
        default: error.hint
        }
    }

    private static func hint(_ error: PhotoError) -> String {
        switch error {
        case .notRunning: "try again once the camera runs: GET /status says so"
        case .noFrame: "choose a moment since the camera was started, or try again in a moment"
        case .tooOld, .noSuchFrame: "choose a newer frame: only those of the last seconds are kept"
        case .overloaded: "try again in a moment, or ask for a lower quality"
        case .streamEnded(let error?): hint(error)
        default: error.hint
        }
    }

    private static func hint(_ error: SessionError) -> String {
        switch error {
        case .running, .cancelled: "try again"
        case .ended: "try again, or choose another camera"
        case .cannotReopen: "start the program with that camera"
        case .source(let error): error.hint
        }
    }
}
