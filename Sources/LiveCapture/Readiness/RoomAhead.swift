// SPDX-License-Identifier: MIT
// Simulates the room for frames and shots as shots progress.

/// The frames that shots need, and the number of shots, at a simulated time. A value.
struct RoomAhead {
    /// The number of frames and of shots there is room for.
    let frames: Int, shots: Int
    /// How many shots need each frame, by the frame's counter.
    private var users: [UInt64: Int] = [:]
    /// The number of shots whose frames are held and whose files are not written.
    private(set) var processing = 0
    /// The frames each shot holds, by the shot's number.
    private var held: [Int: [UInt64]] = [:]

    /// Empty room for that many frames and shots.
    init(frames: Int, shots: Int) { (self.frames, self.shots) = (frames, shots) }

    /// Whether a shot of these frames finds room. Frames shared with other shots take none.
    func takes(_ range: Range<UInt64>) -> Bool {
        let new = range.count { users[$0] == nil }
        return processing < shots && users.count + new <= frames
    }

    /// Gives a shot its place and its frames.
    mutating func take(_ shot: Int, _ counters: some Collection<UInt64>) {
        processing += 1
        held[shot] = Array(counters)
        for counter in counters { users[counter, default: 0] += 1 }
    }

    /// Releases a shot's frames.
    mutating func release(_ shot: Int) {
        for counter in held.removeValue(forKey: shot) ?? [] {
            users[counter] = users[counter].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    /// Removes a shot that is done.
    mutating func end(_ shot: Int) {
        release(shot)
        processing -= 1
    }
}
