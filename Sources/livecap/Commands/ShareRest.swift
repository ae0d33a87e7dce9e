// SPDX-License-Identifier: MIT
// Lets a shared camera rest while nobody reads it.

import Camera
import LivecapFrames

/// Switches a camera off after a time without readers, and on for the next one.
struct ShareRest {
    private let power: SourcePower?
    private let patience: Duration
    private var lastNeed: Timestamp
    private var isOff = false
    private var wasRead = false

    /// A camera that is on now. Without `power` or `patience` it always is.
    init(_ power: SourcePower?, after patience: Duration?, now: Timestamp) {
        self.power = patience == nil ? nil : power
        self.patience = patience ?? .zero
        lastNeed = now
    }

    /// When to look again if nothing changes; never while the camera is off, or always on.
    var nextLook: Timestamp { power == nil || isOff ? .distantFuture : lastNeed + patience }

    /// Takes note of whether anybody reads now.
    mutating func look(isRead: Bool, at now: Timestamp) {
        // Somebody who has left may have read until now.
        if isRead || wasRead { lastNeed = now }
        wasRead = isRead
        guard let power, isOff ? isRead : now - lastNeed >= patience else { return }
        if isOff { _ = power.switchOn() } else { power.switchOff() }
        isOff.toggle()
    }
}
