// SPDX-License-Identifier: MIT
// The room there will be: whose frames and places are free once shots have got on.

/// Which frames shots need, and how many shots there are, ahead of time. A value.
struct RoomAhead {
    /// How many frames there is room for, and how many shots.
    let frames: Int, shots: Int
    /// How many shots need each frame, by its counter.
    private var users: [UInt64: Int] = [:]
    /// Shots whose frames are held and whose file is not there.
    private(set) var processing = 0
    /// What each shot holds, by its number.
    private var held: [Int: [UInt64]] = [:]

    /// Nothing is taken of the room for so many frames and shots.
    init(frames: Int, shots: Int) { (self.frames, self.shots) = (frames, shots) }

    /// Whether a shot of these frames finds room, those that others have there not counted.
    func takes(_ range: Range<UInt64>) -> Bool {
        let new = range.count { users[$0] == nil }
        return processing < shots && users.count + new <= frames
    }

    /// A shot takes its place and its frames.
    mutating func take(_ shot: Int, _ counters: some Collection<UInt64>) {
        processing += 1
        held[shot] = Array(counters)
        for counter in counters { users[counter, default: 0] += 1 }
    }

    /// A shot's frames are needed no longer.
    mutating func release(_ shot: Int) {
        for counter in held.removeValue(forKey: shot) ?? [] {
            users[counter] = users[counter].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    /// A shot is done.
    mutating func end(_ shot: Int) {
        release(shot)
        processing -= 1
    }
}
