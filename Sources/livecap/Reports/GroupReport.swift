// SPDX-License-Identifier: MIT
// What is said of the pictures that several cameras took at one tap.

import LiveCapture
import LivecapFrames
import LivecapIntents

/// The pictures of one tap, for people and for programs. That of the run's own camera, the first, has a report of its
/// own.
struct GroupReport {
    let photo: GroupPhoto

    /// One line for each of the other cameras, and one for how far apart their moments are.
    var lines: [String] {
        photo.members.dropFirst().map { member in
            switch member.result {
            case .success(let photo): "\(member.stream): \(photo)"
            case .failure(let error): "\(member.stream): no picture: \(error.message)"
            }
        } + (photo.spread.map { ["\(photo.id): \($0.words)"] } ?? [])
    }

    var json: JSON {
        .object([
            ("event", "group"), ("groupId", .string(photo.id)),
            ("spreadMs", photo.spread.map { JSON(milliseconds: $0.value) } ?? .null),
            ("spreadBoundMs", photo.spread.map { JSON(milliseconds: $0.bound) } ?? .null),
            ("photos", .array(photo.members.indices.map(member))),
        ])
    }

    private func member(_ index: Int) -> JSON {
        let member = photo.members[index]
        let difference = photo.difference(0, index)
        var fields: [(String, JSON)] = [("stream", .string(member.stream))]
        switch member.result {
        case .success(let photo):
            fields += [
                ("file", JSON(photo.file)), ("libraryId", JSON(photo.libraryID.map { Int($0.number) })),
                ("frame", .string("\(photo.reference.id)")),
                ("referenceNs", .integer(photo.reference.time.nanoseconds)),
                ("lagMs", JSON(milliseconds: photo.lag)), ("lagBoundMs", JSON(milliseconds: photo.lagBound)),
                ("differenceMs", difference.map { JSON(milliseconds: $0.value) } ?? .null),
                ("differenceBoundMs", difference.map { JSON(milliseconds: $0.bound) } ?? .null),
            ]
        case .failure(let error): fields += [("error", .string(error.message)), ("hint", .string(error.hint))]
        }
        return .object(fields)
    }
}

extension MomentDifference {
    /// Such as `the moments are 3.20 ms apart (within 1.50 ms)`.
    fileprivate var words: String {
        "the moments are \(fixed(value.milliseconds, 2)) ms apart (within \(fixed(bound.milliseconds, 2)) ms)"
    }
}
