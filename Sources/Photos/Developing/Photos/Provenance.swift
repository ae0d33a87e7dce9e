// SPDX-License-Identifier: MIT
// A photo's account of its making, for reports and for its file.

import Fusion
import LivecapFrames
import LivecapIntents

extension Photo {
    /// How it was made, as the members of a JSON object. They do not depend on when and where its frames are developed.
    package var account: [(String, JSON)] {
        let used = used.map { use in
            JSON.object([
                ("id", .string("\(use.frame.id)")), ("ns", .integer(use.frame.time.nanoseconds)),
                ("weight", .number(rounded(use.weight))),
            ])
        }
        let rejected = rejected.map { frame in
            JSON.object([("id", .string("\(frame.id)")), ("reason", .string(frame.reason))])
        }
        let account: [(String, JSON)] = [
            ("shot", JSON(shot.number)), ("tapNs", .integer(tap.nanoseconds)),
            ("referenceId", .string("\(reference.id)")),
            ("referenceNs", .integer(reference.time.nanoseconds)), ("lagMs", JSON(milliseconds: lag)),
            ("lagBoundMs", JSON(milliseconds: lagBound)), ("framesUsed", .array(used)), ("rejected", .array(rejected)),
            ("qualityAsked", .string(qualityAsked.rawValue)), ("qualityGiven", .string(qualityGiven.rawValue)),
            ("prioritized", .bool(isPrioritized)), ("exposureSettled", .bool(isExposureSettled)),
            ("noise", fusion.map { .number(rounded($0.noise)) } ?? .null),
            ("noiseBounds", fusion.map { .array($0.noiseBounds.map { .string($0.rawValue) }) } ?? .null),
            ("evidence", fusion.map { .number(rounded($0.evidence)) } ?? .null),
            ("hotPixels", fusion.map { JSON($0.hotPixels) } ?? .null),
            ("refused", fusion?.refused.account ?? .null),
            ("notes", .array(notes.map { .string($0) })),
        ]
        return account
            + [
                manual.exposure.map { ("exposureMs", JSON(milliseconds: $0)) },
                manual.gain.map { ("gain", JSON(Int($0))) },
                manual.whiteBalance.map { ("whiteBalanceKelvin", JSON(Int($0))) },
                manual.focus.map { ("focus", JSON(Int($0))) },
                wasCameraOff ? ("cameraWasOff", .bool(true)) : nil,
                isRelieved ? ("relieved", .bool(true)) : nil,
                group.map { ("groupId", .string($0.id)) }, group.map { ("groupStream", .string($0.stream)) },
            ].compactMap(\.self)
    }

    /// The kernels used, and the duration of each stage so far, as the members of a JSON object.
    package var costs: [(String, JSON)] {
        [
            ("kernels", JSON(fusion?.level.rawValue)),
            ("stagesMs", .object(stages.map { ($0.name, JSON(milliseconds: $0.time)) })),
        ]
    }
}

extension FusionReport.Refused {
    /// The share of the picture for each reason.
    fileprivate var account: JSON {
        .object(Refusal.allCases.map { ($0.rawValue, .number(rounded(self[$0]))) })
    }
}

/// Rounded to six decimals: further digits carry no information.
private func rounded(_ number: Double) -> Double { (number * 1e6).rounded() / 1e6 }

extension PhotoSettings {
    /// The settings asked for, except the metadata of the file.
    var account: JSON {
        .object(
            [
                ("frames", JSON(frames)), ("after", JSON(laterFrames)),
                ("reference", .string(reference.rawValue)), ("format", .string(format.rawValue)),
                ("depth", JSON(depth?.rawValue)),
                ("encodeQuality", JSON(encodeQuality)),
                ("orientation", JSON(metadata.orientation.rawValue)),
            ] + (zoom.map { [("zoom", .string("\($0)"))] } ?? [])
                + (drawnEffects.map { [("effects", .string($0.listForFiles))] } ?? [])
                + (date.map { [("date", .string($0.text))] } ?? []))
    }
}

extension SourceDescription {
    /// The source of the frames, and their format.
    var account: JSON {
        .object([
            ("name", .string(name)), ("id", .string(identity)), ("format", .string("\(format.pixelFormat)")),
            ("width", JSON(format.size.width)), ("height", JSON(format.size.height)),
            ("fps", JSON(rate?.framesPerSecond)),
            ("range", .string("\(format.colorimetry.range)")),
            ("matrix", .string("\(format.colorimetry.matrix)")), ("clock", .string("\(clock)")),
        ])
    }
}
