// SPDX-License-Identifier: MIT
// Names of movies in a folder, which all who make movies there share.

import Testing

@testable import LivecapMovies

@Suite struct MovieNamesTests {
    private let stage: MovieStage

    init() throws { stage = try MovieStage() }

    @Test func moviesOfDifferentKindsHaveDifferentNumbers() throws {
        let names = try MovieNames(in: stage.path("movies/"))
        #expect(names.next(.mkv).path == stage.path("movies/livecap-0001.mkv"))
        // Before the first one has its file.
        let second = names.next(.mp4)
        #expect(second.number == 2 && second.path == stage.path("movies/livecap-0002.mp4"))
    }

    @Test func numbersFollowThoseOfTheFolder() throws {
        let names = try MovieNames(in: stage.path("movies"))
        try stage.write([], to: "movies/livecap-0007.webm")
        #expect(try MovieNames(in: stage.path("movies")).next(.mp4).number == 8)
        #expect(names.next(.mkv).number == 8)
    }

    @Test func whatIsNoFolderIsRefused() throws {
        try stage.write([1], to: "movies")
        #expect(throws: (any Error).self) { try MovieNames(in: stage.path("movies")) }
        #expect(throws: (any Error).self) { try MovieNames(in: stage.path("missing/movies")) }
    }
}
