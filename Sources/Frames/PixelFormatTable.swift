// SPDX-License-Identifier: MIT
// The table of pixel formats: all that livecap knows of a format is in its row.

/// What is known of a pixel format.
package struct PixelFormatRow: Sendable {
    /// What the bytes of a frame are.
    package enum Coding: Sendable {
        /// Samples without compression.
        case samples(SampleLayout)
        /// One JPEG picture.
        case jpeg
        /// Distances, or confidence in them: no picture, though what lies where is known.
        case depth(DepthLayout)
        /// Compressed video, whose frames build on earlier ones: it is carried and recorded, and decoded only in order,
        /// between its source and a ring.
        case video
    }

    /// The format.
    package let format: PixelFormat
    /// Its usual name.
    package let name: StaticString
    /// Other common names, in lower case.
    package let aliases: [String]
    /// What the bytes of a frame are.
    package let coding: Coding
    /// What `.y4m` files with exactly this layout have in the C field of their first line, for reading them.
    package let y4m: [String]
    /// The code by which Matroska players know its frames.
    package let matroska: String?

    private init(
        _ format: PixelFormat, _ name: StaticString, _ coding: Coding, aliases: [String] = [], y4m: [String] = [],
        matroska: String? = nil
    ) {
        self.format = format
        self.name = name
        self.coding = coding
        self.aliases = aliases
        self.y4m = y4m
        self.matroska = matroska
    }

    /// All known formats, in the order in which lists show them. 4:2:0 variants of `.y4m` files differ in where chroma
    /// lies between the luma samples, which does not matter here.
    package static let all: [PixelFormatRow] = [
        .init(.mjpeg, "MJPG", .jpeg, aliases: ["mjpeg"]),
        .init(
            .yuyv, "YUYV", .samples(.packed422(luma: 0, cb: 1, cr: 3)), aliases: ["yuyv422", "yuy2"],
            matroska: "YUY2"),
        .init(
            .uyvy, "UYVY", .samples(.packed422(luma: 1, cb: 0, cr: 2)), aliases: ["uyvy422"], matroska: "UYVY"),
        .init(.yvyu, "YVYU", .samples(.packed422(luma: 0, cb: 3, cr: 1)), aliases: ["yvyu422"]),
        .init(.vyuy, "VYUY", .samples(.packed422(luma: 1, cb: 2, cr: 0))),
        .init(.nv12, "NV12", .samples(.semiPlanar(down: 2)), matroska: "NV12"),
        .init(.nv21, "NV21", .samples(.semiPlanar(down: 2, crFirst: true)), matroska: "NV21"),
        .init(.nv16, "NV16", .samples(.semiPlanar(down: 1))),
        .init(
            .i420, "I420", .samples(.planar(down: 2)), aliases: ["yuv420p", "yuv420"],
            y4m: ["420jpeg", "420mpeg2", "420paldv", "420"], matroska: "I420"),
        .init(.yv12, "YV12", .samples(.planar(down: 2, crFirst: true)), aliases: ["yvu420"]),
        .init(.yuv422p, "YUV422P", .samples(.planar(down: 1)), y4m: ["422"]),
        .init(
            .grey, "GREY", .samples(.grey()), aliases: ["gray", "gray8", "y8"], y4m: ["mono"], matroska: "Y800"),
        .init(.y10, "Y10", .samples(.grey(bits: 10)), aliases: ["gray10", "gray10le"]),
        .init(.y12, "Y12", .samples(.grey(bits: 12)), aliases: ["gray12", "gray12le"]),
        .init(.y16, "Y16", .samples(.grey(bits: 16)), aliases: ["gray16", "gray16le"]),
        .init(.p010, "P010", .samples(.semiPlanar(down: 2, bits: 10, shift: 6)), aliases: ["p010le"]),
        .init(.rgb24, "RGB24", .samples(.rgb(red: 0, blue: 2))),
        .init(.bgr24, "BGR24", .samples(.rgb(red: 2, blue: 0))),
        .init(.jpeg, "JPEG", .jpeg),
        .init(.h264, "H264", .video),
        .init(.hevc, "HEVC", .video, aliases: ["h265"]),
        .init(.z16, "Z16", .depth(.depth), aliases: ["depth16"]),
        .init(.inzi, "INZI", .depth(.infraredThenDepth)),
        .init(.cnf4, "CNF4", .depth(.confidence)),
    ]

    /// Whether livecap can read the frames' pixels as a picture.
    package var isReadable: Bool {
        switch coding {
        case .samples, .jpeg: true
        case .depth, .video: false
        }
    }
}

extension PixelFormat {
    /// What is known of the format; nil for one that is carried and recorded as it is, and converted by libv4lconvert
    /// where possible.
    ///
    /// A plain loop, because `first(where:)` allocates in builds without optimisation, and marks on the frame path look
    /// up their format.
    package var row: PixelFormatRow? {
        for index in PixelFormatRow.all.indices where PixelFormatRow.all[index].format == self {
            return PixelFormatRow.all[index]
        }
        return nil
    }

    /// How its samples lie in memory; nil for compressed and unknown formats, and for depth (`DepthLayout`).
    package var samples: SampleLayout? { if case .samples(let samples) = row?.coding { samples } else { nil } }

    /// Whether a frame is one JPEG picture.
    public var isJPEG: Bool { if case .jpeg = row?.coding { true } else { false } }

    /// Whether livecap can read the frames' pixels, as a picture, without libv4lconvert.
    public var isReadable: Bool { row?.isReadable ?? false }

    /// Whether a frame builds on earlier ones, as those of compressed video do.
    public var isVideo: Bool { if case .video = row?.coding { true } else { false } }

    /// Whether a frame's size varies with its content.
    public var isCompressed: Bool {
        switch row?.coding {
        case .jpeg, .video: true
        case .samples, .depth, nil: false
        }
    }

    /// The formats whose pixels livecap reads, as lists show them.
    public static var readable: [PixelFormat] { PixelFormatRow.all.filter(\.isReadable).map(\.format) }

    /// The names of the formats whose frames are not compressed, as lists show them.
    public static var namesOfUncompressed: [String] {
        PixelFormatRow.all.filter { !$0.format.isCompressed }.map { "\($0.name)" }
    }
}
