// SPDX-License-Identifier: MIT
// That effects which were set could not be drawn after all.

import LivecapDetection
import LivecapThreads

/// That effects which were set could not be drawn: something that was there when they were asked for has disappeared
/// since. Those before are drawn again.
package struct EffectFault: ExplainedError, Hashable, Sendable {
    /// Counts the faults of a board: the same may come again.
    let number: UInt64
    /// What was to be drawn.
    package let wanted: EffectSettings
    /// What is missing for it.
    package let cause: Cause

    /// What can be missing.
    package enum Cause: Hashable, Sendable {
        /// A net, or what runs it.
        case net(NetError)
        /// Hands cannot be looked for, so that nobody would see gestures.
        case hands(message: String, hint: String)
    }
}

extension EffectFault {
    package var message: String {
        switch cause {
        case .net(let error):
            "\(wanted.names.joined(separator: " and ")) could not be drawn, and effects are as before: \(error.message)"
        case .hands(let message, _): "gestures are not seen, and are off: \(message)"
        }
    }
    package var hint: String {
        switch cause {
        case .net(let error): error.hint
        case .hands(_, let hint): hint
        }
    }
    /// Its name in JSON.
    package var code: String { EffectError.missingCode }
}
