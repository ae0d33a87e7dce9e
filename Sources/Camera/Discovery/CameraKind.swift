// SPDX-License-Identifier: MIT
// What a camera sees: colours, infrared light or distances; and where it is.

import LivecapFrames

/// What a camera's pictures show.
public enum CameraKind: String, Hashable, Codable, Sendable, CaseIterable {
    /// Colours.
    case color
    /// Grey only, which usually means an infrared sensor.
    case infrared
    /// Distances.
    case depth

    /// The kind of a camera with these offers; nil if there are none.
    init?(of offers: [FormatOffer]) {
        guard !offers.isEmpty else { return nil }
        self =
            if offers.contains(where: { DepthLayout($0.pixelFormat) != nil }) {
                .depth
            } else if offers.allSatisfy(\.pixelFormat.isGrey) { .infrared } else { .color }
    }
}

/// Where a camera is, as far as the system knows.
public enum CameraPosition: String, Hashable, Codable, Sendable {
    /// At a port that people can plug things into.
    case external
    /// Inside the machine.
    case builtIn
    /// The system does not say.
    case unknown

    /// The position that the kernel reports of a USB device in the attribute `removable`.
    init(removable: String?) {
        self =
            switch removable {
            case "removable": .external
            case "fixed": .builtIn
            default: .unknown
            }
    }
}

extension PixelFormat {
    private static let unreadGreys =
        (["Y4  ", "Y6  ", "Y14 ", "Y10B", "Y10P", "Y8I ", "Y12I"] as [StaticString])
        .map { PixelFormat($0) }

    /// Whether samples are brightness only. Codes without a row are listed; one that gets a row is removed there.
    fileprivate var isGrey: Bool { samples?.model == .grey || Self.unreadGreys.contains(self) }
}
