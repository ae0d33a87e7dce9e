// SPDX-License-Identifier: MIT
// Numbers of movies follow those of files that are there.

import Testing

@testable import LivecapMovies

@Suite struct NumberedNamesTests {
    private let stage: MovieStage

    init() throws { stage = try MovieStage() }

    private func write(_ names: String...) throws { for name in names { try stage.write([], to: name) } }

    @Test func partsFollowThoseOfTheSameMovie() throws {
        try write("a-002.mkv", "a-007.mp4", "a-9-001.mkv", "ab-008.mkv", "a-.mkv", "a-12345678.mkv")
        var names = NumberedNames(partsOf: stage.path("a.mkv"))
        #expect(names.next().path == stage.path("a-003.mkv"))
        try write("a-003.mkv", "a-005.mkv")
        let next = names.next()
        #expect(next.number == 6 && next.path == stage.path("a-006.mkv"))
    }

    @Test func numbersGrowBeyondTheirWidth() throws {
        try write("a-999.mkv")
        var names = NumberedNames(partsOf: stage.path("a.mkv"))
        #expect(names.next().path == stage.path("a-1000.mkv"))
    }

    @Test func othersCountAsIsSaid() throws {
        try write("m-0003-001.mkv", "m-0004.webm", "m-0009.txt")
        var names = NumberedNames(stage.path("m-"), suffix: ".mkv", width: 4) {
            MovieContainer(path: String($0)) != nil
        }
        let first = names.next()
        #expect(first.number == 5 && first.path == stage.path("m-0005.mkv"))
        #expect(names.next().number == 6)
    }
}
