// SPDX-License-Identifier: MIT
// The stages that a command line asks for.

import Camera
import Fusion
import LivecapCommandTable
import LivecapEffects
import LivecapLiveFusion
import LivecapStreams
import LivecapThreads

/// Makes stages as the command line wants them. What fails later is noted.
struct StageMaker {
    private let arguments: Arguments
    private let works: [StagedPlace: FrameTreatment]
    private let board: EffectBoard

    /// `works`: what is done to frames before they come to a place. `board`: the effects that are drawn.
    init(_ arguments: Arguments, _ works: [StagedPlace: FrameTreatment], _ board: EffectBoard) {
        self.arguments = arguments
        self.works = works
        self.board = board
    }

    /// What does one `step` more to frames.
    func stage(_ step: FrameTreatment, after earlier: FrameTreatment) throws(SystemShortage) -> StageHost {
        let made = earlier.union(step), isShared = works[.share] == made, memory = arguments[SourceOptions.memory]
        // What a movie may begin with is made all the time.
        let past = works[.movies] == made ? arguments[RunOptions.moviePast] ?? .zero : .zero
        let note: @Sendable (CameraError) -> Void = { Console.note("note: \($0.message); \($0.hint)") }
        switch step {
        case .fused:
            let strength = arguments[PlaceOptions.strength] ?? LiveOptions.usualStrength
            return try .fusing(
                LiveSettings(memory: strength), threads: LiveOptions.usualThreads, past: past, memory: memory,
                isShared: isShared, whenFailed: note)
        case .steadied:
            return try .steadying(after: earlier, past: past, memory: memory, isShared: isShared, whenFailed: note)
        default:
            return try .drawing(
                board, after: earlier, past: past, memory: memory, isShared: isShared,
                whenFailed: note)
        }
    }
}
