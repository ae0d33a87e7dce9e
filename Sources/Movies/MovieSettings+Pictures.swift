// SPDX-License-Identifier: MIT
// What a movie's settings make of its first source's pictures.

import LivecapFrames
import LivecapPictures

extension MovieSettings {
    /// A source with the rate at which its pictures are shown.
    func shown(_ source: SourceDescription) -> SourceDescription {
        var source = source
        if timelapse != nil { source.rate = canvas?.rate ?? FrameRate(30) }
        return source
    }

    /// The shape that pictures of a source are brought into; nil if they stay as they are.
    func shape(for source: SourceDescription, _ mount: CameraMount) -> CanvasShape? {
        let canvas = canvas ?? (mount == .upright ? nil : MovieCanvas())
        return canvas?.resolved(for: shown(source), mount)
    }

    /// How the time of a timelapse passes.
    func lapse(of source: SourceDescription) -> MovieLapse? {
        timelapse.map { MovieLapse(interval: $0, rate: shown(source).rate!) }
    }

    /// Takes the mount of which pictures are to be made upright while they are encoded. `mount` stays for those that players
    /// turn, and for those that nobody turns.
    mutating func takeMount(for container: MovieContainer) -> CameraMount {
        let isTurnedByPlayers = container == .mp4 && canvas?.size == nil
        guard mount != .upright, !isTurnedByPlayers, codec != .mjpeg || canvas?.size != nil else { return .upright }
        defer { mount = .upright }
        return mount
    }
}
