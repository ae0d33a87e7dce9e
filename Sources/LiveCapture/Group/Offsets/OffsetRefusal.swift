// SPDX-License-Identifier: MIT
// Why the offset of two cameras' times cannot be read off what they saw.

import LivecapFrames
import LivecapThreads

/// Why the offset of two cameras' times cannot be read off what they saw.
package enum OffsetRefusal: ExplainedError, Hashable, Sendable {
    /// There are too few frames of the first camera (0) or of the second (1) at times when the other has some, too.
    case tooShort(Int)
    /// Too little changes in the picture of the first camera (0) or of the second (1).
    case tooLittleChange(Int)
    /// What changes in one camera's picture does not change in the other's.
    case differentViews
    /// What they see repeats itself, so that several offsets are possible.
    case ambiguous
    /// The offset is larger than can be measured, which is this much.
    case tooFar(Duration)
    /// It would be known to within this much only.
    case inexact(Duration)

    /// What happened, in plain words.
    package var message: String {
        switch self {
        case .tooShort(let camera): "the \(Self.ordinal(camera)) camera gave too few frames"
        case .tooLittleChange(let camera): "too little changes in the picture of the \(Self.ordinal(camera)) camera"
        case .differentViews: "the cameras see different things change"
        case .ambiguous: "what the cameras see repeats itself, so that several offsets are possible"
        case .tooFar(let limit): "the cameras' times differ by more than \(Self.inMilliseconds(limit)) ms"
        case .inexact(let bound): "the offset would be known to within \(Self.inMilliseconds(bound)) ms only"
        }
    }

    /// What to do about it.
    package var hint: String {
        switch self {
        case .tooShort: "measure for longer, and look whether frames arrive"
        case .tooLittleChange: "wave a hand close to the camera, or switch a lamp on and off, all the time"
        case .differentViews: "point the cameras at the same thing, and wave a hand or switch a lamp in view of all"
        case .ambiguous: "wave or switch irregularly; a blinking light or a steady swing does not do"
        case .tooFar: "look whether the drivers' times are right, or use another camera"
        case .inexact: "measure for longer, with more change: faster movements, a lamp that is switched more often"
        }
    }

    /// How far a measurement came before it was refused: the reason of the one that came farthest is worth most.
    var progress: Int {
        switch self {
        case .tooShort: 0
        case .tooLittleChange: 1
        case .differentViews: 2
        case .tooFar: 3
        case .inexact: 4
        case .ambiguous: 5
        }
    }

    private static func ordinal(_ camera: Int) -> String { camera == 0 ? "first" : "second" }

    private static func inMilliseconds(_ span: Duration) -> Int64 { (span.nanoseconds + 999_999) / 1_000_000 }
}
