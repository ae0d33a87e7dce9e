// SPDX-License-Identifier: MIT
// A photo as pages get to know it.

import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage

extension LibraryPhoto {
    /// The photo for pages, with what its account says of its frames.
    func object(_ account: PhotoAccount?) -> JSON {
        let provenance = account.flatMap { JSON(parsing: Array($0.provenance.utf8), depth: 16) }
        var used: Int?
        if case .array(let frames)? = provenance?["framesUsed"] { used = frames.count }
        return object(
            frame: provenance?["referenceId"]?.asString.flatMap { FrameID($0) }, framesUsed: used,
            hidesRoom: account?.hidesRoom ?? true,
            lagBound: provenance?["lagBoundMs"]?.asDouble.map { .milliseconds($0) })
    }

    /// The photo for pages. What the library's own list does not say is given. With `hidesRoom`, pages are not told
    /// where its frames are.
    func object(
        frame: FrameID?, framesUsed: Int?, hidesRoom: Bool, lag: Duration? = nil, lagBound: Duration? = nil,
        shot: UInt64? = nil
    ) -> JSON {
        let base = "/photos/\(id)", showsFrames = keptFrames > 0 && !hidesRoom
        var reason: String?
        if case .failed(let text) = state { reason = text }
        return .object([
            ("id", .integer(id.number)), ("state", .string(state.name)), ("isProxy", .bool(isProxy)),
            ("reason", JSON(reason)), ("taken", .string("\(taken)")), ("width", JSON(size.width)),
            ("height", JSON(size.height)), ("format", JSON(format?.rawValue)),
            ("qualityAsked", JSON(qualityAsked?.rawValue)), ("qualityGiven", JSON(qualityGiven?.rawValue)),
            ("lagMs", JSON(milliseconds: lag ?? self.lag)),
            ("lagBoundMs", JSON(milliseconds: lagBound)), ("frame", JSON(frame.map { "\($0)" })),
            ("framesUsed", JSON(framesUsed)), ("shot", JSON(shot)),
            ("keptFrames", JSON(keptFrames)), ("bytes", JSON(file.byteCount)), ("name", .string(name)),
            (
                "group",
                group.map { .object([("id", .string($0.id)), ("stream", .string($0.stream))]) } ?? .null
            ),
            (
                "urls",
                .object([
                    ("thumbnail", .string("\(base)/thumbnail")), ("image", .string("\(base)/image?v=\(version)")),
                    ("final", isProxy ? .null : .string("\(base)/final")),
                    ("proxy", isProxy ? .string("\(base)/proxy") : .null),
                    ("provenance", .string("\(base)/provenance")),
                    ("mask", hasMask ? .string("\(base)/mask") : .null),
                    ("frame", showsFrames ? .string("\(base)/frame") : .null),
                    ("explain", showsFrames ? .string("\(base)/explain") : .null),
                ])
            ),
        ])
    }

    /// The name of its current file.
    var name: String { String(file.place.split(separator: "/").last ?? "photo") }

    /// Another one for each file that it has had, so that browsers do not show an older one.
    private var version: String { String(file.checksum, radix: 16) }
}

extension PhotoAccount {
    /// Whether what is behind people is hidden in the photo, though not in its frames. It may be if that is not known.
    var hidesRoom: Bool {
        guard let settings = JSON(parsing: Array(request.utf8), depth: 16)?["settings"] else { return true }
        return settings["effects"]?.asString.map { EffectList($0).hidesRoom } ?? false
    }

    /// How its current file was made, without the place of a background on this machine.
    var shownProvenance: String {
        let provenance = JSON(parsing: Array(provenance.utf8), depth: 16)
        guard let effects = provenance?["settings"]?["effects"]?.asString else { return self.provenance }
        let list = EffectList(effects)
        let shown = BackgroundLabels(list.background.map { [$0] } ?? []).shown(list).text
        return self.provenance.replacing(JSON.string(effects).text, with: JSON.string(shown).text)
    }
}
