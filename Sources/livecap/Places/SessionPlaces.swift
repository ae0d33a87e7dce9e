// SPDX-License-Identifier: MIT
// Where else the frames of a session go, beside its pictures.

import LivecapCommandTable

/// A place that gets a session's frames: a sink, its options, and its words.
protocol SessionPlace: Sendable {
    /// Refuses what can be refused before a camera is opened. Creates nothing: there may be no camera.
    static func check(_ arguments: Arguments) throws(Failure)
    /// Opens it; nil unless the command line asks for it. Frames come once the session begins: those of the place's
    /// stage, if it has one.
    init?(_ arguments: Arguments, _ host: Host, _ staged: StagedFrames?) throws(Failure)
    /// Where other programs find the frames, in a note; nil if there is nothing to say.
    var announcement: String? { get }
    /// Takes it out of the session, and ends it.
    func close()
}

extension SessionPlace {
    static func check(_ arguments: Arguments) throws(Failure) {}
    var announcement: String? { nil }
}

/// The places of a command line. A new one has a row here.
struct SessionPlaces {
    private static let all: [any SessionPlace.Type] = [ShownCameras.self, SharedMemory.self]

    private let places: [any SessionPlace]

    static func check(_ arguments: Arguments) throws(Failure) {
        for place in all { try place.check(arguments) }
    }

    /// Opens them, or none. One that fails later is reported; everything else goes on.
    init(_ arguments: Arguments, _ host: Host, _ staged: StagedFrames?) throws(Failure) {
        var opened: [any SessionPlace] = []
        do throws(Failure) {
            for place in Self.all {
                if let place = try place.init(arguments, host, staged) { opened.append(place) }
            }
        } catch {
            for place in opened { place.close() }
            throw error
        }
        places = opened
    }

    /// Says where other programs find the frames.
    func announce() {
        for words in places.compactMap(\.announcement) { Console.note(words) }
    }

    /// Ends them.
    func close() {
        for place in places { place.close() }
    }
}
