// SPDX-License-Identifier: MIT
// That effects which were set could not be drawn after all.

import LivecapDetection
import LivecapThreads

/// That effects which were set could not be drawn: a net that was there when they were asked for has disappeared since.
/// Those before are drawn again.
package struct EffectFault: ExplainedError, Hashable, Sendable {
    /// Counts the faults of a board: the same may come again.
    let number: UInt64
    /// What was to be drawn.
    package let wanted: EffectSettings
    /// What is missing for it.
    package let error: NetError
}

extension EffectFault {
    package var message: String {
        "\(wanted.names.joined(separator: " and ")) could not be drawn, and effects are as before: \(error.message)"
    }
    package var hint: String { error.hint }
    /// Its name in JSON.
    package var code: String { EffectError.nets(error).code }
}
