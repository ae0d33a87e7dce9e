// SPDX-License-Identifier: MIT
// What a movie's settings make of its first source's pictures.

import LivecapFiles
import LivecapFrames
import LivecapPictures

extension MovieSettings {
    /// The rate at which pictures should come from a source; nil if that is unknown.
    func rate(of source: SourceDescription) -> FrameRate? {
        guard let own = canvas?.rate, let rate = source.rate else { return source.rate }
        return own.framesPerSecond < rate.framesPerSecond ? own : rate
    }

    /// A source with the rate at which its pictures are shown.
    func shown(_ source: SourceDescription) -> SourceDescription {
        var source = source
        if timelapse != nil { source.rate = canvas?.rate ?? FrameRate(30) }
        return source
    }

    /// What makes pictures of a session upright, which knows its cameras' mount.
    func mount(in session: @escaping @Sendable () -> CameraMount) -> @Sendable () -> CameraMount {
        guard let mount = hostMount else { return session }
        return { mount }
    }

    /// The shape that pictures of a source are brought into; nil if they stay as they are.
    func shape(for source: SourceDescription, _ mount: CameraMount) -> CanvasShape? {
        let isMade = mount != .upright || zoom != nil || date != nil
        let canvas = canvas ?? (isMade ? MovieCanvas() : nil)
        return canvas?.resolved(for: shown(source), mount, zoom, date: date)
    }

    /// The format of the file at `path`. A stream has the one that is asked for, unless its name says another.
    /// - Throws: `unknownName`, and `unplayable` if the codec does not belong there.
    package func container(of path: String) throws(MovieError) -> MovieContainer {
        guard OutputTarget(path) == .stream, MovieContainer(path: path) == nil else {
            return try MovieFormat.container(of: path, codec: codec)
        }
        return try MovieFormat.container(of: "stream.\(container ?? .mkv)", codec: codec)
    }

    /// Whether H.264 of a camera goes into a movie at `path` as it is, as far as these settings say: whatever changes
    /// pictures, or compresses them otherwise, needs to have it decoded.
    package func keepsH264(at path: String) -> Bool {
        guard stabilization == .off, timelapse == nil, quality == nil, zoom == nil, date == nil,
            codec == nil || codec == .h264, canvas == nil || canvas == MovieCanvas(),
            let container = try? container(of: path)
        else { return false }
        return container.codecs.contains(.h264)
    }

    /// The kind of file at `path` with pictures of a source, mounted so.
    /// - Throws: what in the settings, the name and the source excludes each other.
    func kind(
        of path: String, _ source: SourceDescription, _ mount: CameraMount, hasSound: Bool
    ) throws(MovieError) -> MovieFormat {
        let container = try container(of: path)
        if split != nil, OutputTarget(path) == .stream {
            throw .contradiction(
                "a movie in a stream is not split", hint: "name a file, or leave the split out")
        }
        if let timelapse { try check(timelapse, source, hasSound: hasSound) }
        if source.format.pixelFormat == .h264 { try checkPassingThrough(source, mount) }
        if let split, split.isTooSmall {
            throw .contradiction("the parts of the movie are too small", hint: "choose at least 100 ms, or 16 KiB")
        }
        // Pictures that must be made anyway are better encoded than made JPEG.
        let isMade =
            shape(for: source, mount)?.isFirstSources == false || stabilization != .off || quality != nil
        let codec = codec ?? (isMade ? container.encoded : nil)
        var format = try MovieFormat(
            path: "movie.\(container)", format: source.format.pixelFormat, codec: codec)
        if let problem = quality?.problem(with: format.codec) { throw problem }
        format.quality = quality
        return format
    }

    /// Whatever is to change pictures needs to decode them.
    private func checkPassingThrough(_ source: SourceDescription, _ mount: CameraMount) throws(MovieError) {
        let change: String? =
            if stabilization != .off { "cannot be steadied" } else if quality != nil {
                "cannot have another bit rate or quality"
            } else if timelapse != nil {
                "cannot become a timelapse"
            } else if canvas.map({ $0 != MovieCanvas() }) ?? false {
                "cannot be brought into a canvas"
            } else if zoom != nil {
                "cannot be enlarged"
            } else if date != nil {
                "cannot have a date"
            } else if shape(for: source, mount)?.isFirstSources == false {
                "cannot be turned"
            } else {
                nil
            }
        guard let change else { return }
        throw .contradiction(
            "H.264 of a camera is passed through as it is: it \(change)",
            hint: "choose the camera's format MJPG or YUYV, or a movie of its H.264 as it is")
    }

    private func check(_ timelapse: Duration, _ source: SourceDescription, hasSound: Bool) throws(MovieError) {
        if hasSound {
            throw .contradiction("a timelapse has no sound", hint: "make it without sound, or leave out the timelapse")
        }
        if stabilization != .off {
            throw .contradiction("a timelapse is not steadied", hint: "leave out the stabilisation, or the timelapse")
        }
        // Claimed rates are rounded.
        let least = (source.rate?.interval ?? .milliseconds(1)) * 0.99
        guard timelapse >= least else {
            throw .contradiction(
                "a timelapse of a picture every \(timelapse.inSeconds) needs more frames than come",
                hint: "choose a longer interval, or make a movie without a timelapse")
        }
    }

    /// The track of a source's pictures in a file of a kind.
    func track(
        of source: SourceDescription, _ mount: CameraMount, _ format: MovieFormat, _ library: MovieLibrary
    ) throws(MovieError) -> any MovieTrack {
        let (source, shape) = (shown(source), shape(for: source, mount))
        if source.format.pixelFormat == .h264 { return H264Track(format, source) }
        if stabilization != .off {
            return try SteadyTrack.of(source, format: format, canvas: shape, mode: stabilization, library: library)
        }
        switch (format.codec == MovieCodec(of: source.format.pixelFormat), shape) {
        case (true, nil): return UnchangedTrack(format, source)
        case (true, let shape?): return CanvasJPEGs(format, shape)
        case (false, nil): return try EncodedTrack(format, source, library)
        case (false, let shape?):
            return try EncodedCanvas(format, canvas: shape, first: source.format, library: library)
        }
    }

    /// How the time of a timelapse passes.
    func lapse(of source: SourceDescription) -> MovieLapse? {
        timelapse.map { MovieLapse(interval: $0, rate: shown(source).rate!) }
    }

    /// Takes the mount of which pictures are to be made upright while they are encoded. `mount` stays for those that
    /// players turn, and for those that stay unrotated.
    mutating func takeMount(for container: MovieContainer, _ frames: PixelFormat) -> CameraMount {
        // Players would turn a date, too.
        let isTurnedByPlayers = container == .mp4 && canvas?.size == nil && date == nil
        guard frames != .h264 else { return .upright }
        // Those that are made JPEG again anyway are made upright, too.
        let isMade = codec != .mjpeg || canvas?.size != nil || zoom != nil || date != nil
        guard mount != .upright, !isTurnedByPlayers, isMade else { return .upright }
        defer { mount = .upright }
        return mount
    }
}
