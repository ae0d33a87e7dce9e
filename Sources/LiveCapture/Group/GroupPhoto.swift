// SPDX-License-Identifier: MIT
// What became of one tap at several cameras, and how far apart their moments are.

import LivecapDeveloping
import LivecapFrames

/// How far apart the moments of two photos are.
public struct MomentDifference: Hashable, Codable, Sendable {
    /// The moment of the second minus that of the first.
    public let value: Duration
    /// How far that may be from the truth, as far as can be known: it covers when the light was gathered, and what is
    /// unknown of the cameras' offset. The tap's own time does not matter here.
    public let bound: Duration

    /// Creates a difference that is known to within `bound`.
    public init(value: Duration, bound: Duration) {
        self.value = value
        self.bound = bound
    }
}

/// The photos of one tap, one for each camera of a group.
public struct GroupPhoto: Sendable {
    /// The photo of one camera, or why there is none.
    public struct Member: Sendable {
        /// The camera's name in its group.
        public let stream: String
        /// The photo; or the proxy of one that is made later.
        public let result: Result<Photo, PhotoError>
        /// How much later the times of its frames are than those of the group's first camera.
        public let offset: ClockOffset

        /// When the light of its photo was gathered, by the clock of the first camera's frames.
        var moment: Timestamp? { photo.map { $0.reference.time - offset.value } }
        /// How far that may be from the truth, apart from the tap's own time.
        fileprivate var momentBound: Duration { (photo?.lightBound ?? .zero) + offset.bound }
        /// The photo, if there is one.
        public var photo: Photo? { try? result.get() }
    }

    /// The tap's name, which all of the photos have in `Photo.group`.
    public let id: String
    /// In the order of the group's streams.
    public let members: [Member]

    /// How far apart the moments of two members are; nil if one has no photo.
    public func difference(_ first: Int, _ second: Int) -> MomentDifference? {
        let (first, second) = (members[first], members[second])
        guard let before = first.moment, let after = second.moment else { return nil }
        return MomentDifference(value: after - before, bound: first.momentBound + second.momentBound)
    }

    /// The earliest and the latest of the moments, and how far apart those are; nil with fewer than two photos.
    public var spread: MomentDifference? {
        let taken = members.indices.filter { members[$0].moment != nil }
        guard taken.count > 1, let first = taken.min(by: { moment($0) < moment($1) }),
            let last = taken.max(by: { moment($0) <= moment($1) })
        else { return nil }
        return difference(first, last)
    }

    private func moment(_ index: Int) -> Timestamp { members[index].moment ?? .zero }
}
