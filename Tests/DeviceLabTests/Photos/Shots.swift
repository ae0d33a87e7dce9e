// SPDX-License-Identifier: MIT
// The program's reports of its shots, checked against the kernel's trace and the pixels.

import Foundation
import LivecapFrames
import Testing

/// The fields that the tests use of the object printed per shot by `livecap shoot --json` and `livecap run
/// --json`.
struct ShotObject: Decodable {
    var shot: Int?
    var file: String?
    var tapNs: Int64?
    var referenceId: String?
    var referenceNs: Int64?
    var lagMs: Double?
    var lagBoundMs: Double?
    var exposureMs: Double?
    var framesUsed: [Used]?
    var qualityGiven: String?
    var droppedByRing: Int?
    var error: String?
    var code: String?
    var cameraWasOff: Bool?

    struct Used: Decodable {
        var id: String
        var ns: Int64
    }

    /// The objects a program has printed, one per line. The last line is skipped, because it may be
    /// incomplete.
    static func all(in output: String) throws -> [ShotObject] {
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return try lines.map { try JSONDecoder().decode(ShotObject.self, from: Data($0.utf8)) }
    }
}

/// Two independent sources about the frames: the kernel, which timed and numbered them, and the pixels.
struct Witness {
    let frames: [DriverFrame]
    let text: OnScreenText

    init(_ frames: [DriverFrame]) throws {
        self.frames = frames
        text = try OnScreenText.shared.get()
    }

    /// The undamaged frame nearest to a moment.
    func nearest(_ moment: Timestamp) throws -> DriverFrame {
        try #require(
            frames.filter { !$0.isDamaged }.min { ($0.time - moment).magnitude < ($1.time - moment).magnitude })
    }

    /// Checks that a photo shows the frame nearest its moment and that its report agrees with the pixels.
    @discardableResult
    func expectNearest(_ shot: ShotObject) throws -> DriverFrame {
        try #require(shot.error == nil, "shot \(shot.shot ?? 0): \(shot.error ?? "")")
        let moment = Timestamp(nanoseconds: try #require(shot.tapNs))
        let frame = try nearest(moment)
        let around = frames.filter { ($0.time - moment).magnitude < .milliseconds(500) }
        #expect(try number(in: shot) == frame.sequence, "the number in the pixels of \(shot), of \(around)")
        #expect(shot.referenceNs == frame.time.nanoseconds)
        #expect(abs(shot.lagMs! - (frame.time - moment).milliseconds) < 0.001)
        #expect(shot.droppedByRing == 0)
        return frame
    }

    /// The number drawn in the pixels of a photo.
    func number(in shot: ShotObject) throws -> UInt32 {
        let picture = try PNGPicture(try #require(shot.file))
        #expect(picture.size == LabStream.size)
        return try text.number(picture.brightness)
    }
}
