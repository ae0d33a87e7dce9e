// SPDX-License-Identifier: MIT
// Motion fields: the motion of the whole picture in every cell, and the field of chroma derived from luma's.

import LivecapCFusionKernels
import LivecapFrames
import Testing

@testable import Fusion

@Suite struct MotionFieldTests {
    private static func turned(_ field: (width: Int, height: Int)) -> AffineMotion {
        var motion = AffineMotion(width: field.width, height: field.height)
        (motion.shiftX, motion.shiftY) = (-7.3, 5.2)
        (motion.xx, motion.xy, motion.yx, motion.yy) = (0.01, -0.04, 0.03, -0.02)
        return motion
    }

    @Test func everyCellHasTheMotionOfTheWholeOrNoShare() {
        let size = (width: 203, height: 97)
        let field = MotionField(width: size.width, height: size.height), motion = Self.turned(size)
        field.fill(motion, rows: 0..<field.down)
        var leaving = 0
        for y in 0..<field.down {
            for x in 0..<field.across {
                let (dx, dy) = motion.at(Float(8 * x) + 3.5, Float(8 * y) + 3.5), cell = y * field.across + x
                guard field.share[cell] > 0 else {
                    leaving += 1
                    continue
                }
                #expect(abs(Float(field.motion[2 * cell]) - 8 * dx) <= 0.51)
                #expect(abs(Float(field.motion[2 * cell + 1]) - 8 * dy) <= 0.51)
                #expect(Float(8 * x) + dx > -4.5 && Float(8 * y) + dy > -4.5)
            }
        }
        // Some cells at two edges do leave the picture.
        #expect(leaving > 0 && leaving < 2 * (field.across + field.down))
    }

    @Test func cellsThatAreNowhereHaveNoShare() {
        let field = MotionField(width: 64, height: 64)
        var motion = AffineMotion(width: 64, height: 64)
        motion.shiftX = .nan
        field.fill(motion, rows: 0..<field.down)
        #expect((0..<64).allSatisfy { field.share[$0] == 0 })
    }

    @Test(arguments: [1, 2]) func rejectedColourOnlyAffectsChroma(step: Int) {
        let luma = MotionField(width: 160, height: 64), still = AffineMotion(width: 160, height: 64)
        let chroma = MotionField(width: 80, height: 64 / step)
        luma.fill(still, rows: 0..<luma.down)
        luma.keepColorOut(5, 4)
        luma.keepColorOut(18, 1)
        chroma.halve(luma, step: step, rows: 0..<luma.down)
        let without = [4 / step * chroma.across + 2, 1 / step * chroma.across + 9]
        #expect((0..<chroma.across * chroma.down).allSatisfy { (chroma.share[$0] == 0) == without.contains($0) })
        // For every possible weight the result is the same as with a full share.
        let share = Int(luma.share[4 * luma.across + 5])
        #expect((0...Merger.fullWeight + 1).allSatisfy { $0 * share >> 16 == $0 * 65535 >> 16 })
    }

    @Test(arguments: [1, 2]) func everyCellOfChromaHasTheMeanOfItsOwn(step: Int) {
        let luma = MotionField(width: 365, height: 61)
        let size = (width: 183, height: step == 2 ? 31 : 61)
        for cell in 0..<luma.across * luma.down {
            luma.motion[2 * cell] = Int16(cell * 37 % 801 - 400)
            luma.motion[2 * cell + 1] = Int16(cell * 53 % 601 - 300)
            luma.share[cell] = cell % 7 == 0 ? 0 : cell % 11 == 0 ? 30_000 : .max
        }
        let chroma = MotionField(width: size.width, height: size.height)
        chroma.halve(luma, step: step, rows: 0..<luma.down)
        func mean(_ sum: Int, of count: Int) -> Int { Int((Double(sum) / Double(count)).rounded()) }
        for y in 0..<chroma.down {
            for x in 0..<chroma.across {
                let rows = [y * step, y * step + step - 1].map { min(luma.down - 1, $0) * luma.across }
                let own = rows.flatMap { row in [2 * x, 2 * x + 1].map { row + min(luma.across - 1, $0) } }
                // Chroma samples are twice as wide, and as tall or twice as tall.
                let dx = mean(own.reduce(0) { $0 + Int(luma.motion[2 * $1]) }, of: 8)
                let dy = mean(own.reduce(0) { $0 + Int(luma.motion[2 * $1 + 1]) }, of: 4 * step)
                let (left, top) = (8 * x + (dx >> 3), 8 * y + (dy >> 3))
                let (right, bottom) = (min(8, size.width - 8 * x) + 1, min(8, size.height - 8 * y) + 1)
                let stays = left >= -4 && top >= -4 && left <= size.width - right / 2 && top <= size.height - bottom / 2
                let cell = y * chroma.across + x
                #expect(chroma.share[cell] == (stays ? own.map { luma.share[$0] }.min() : 0))
                #expect(chroma.motion[2 * cell] == (stays ? dx : 0))
                #expect(chroma.motion[2 * cell + 1] == (stays ? dy : 0))
            }
        }
    }

    @Test(arguments: [1, 2]) func chromaMovesAsTheCellsItServes(step: Int) {
        let luma = MotionField(width: 96, height: 32), chroma = MotionField(width: 48, height: 32 / step)
        luma.fill(AffineMotion(width: 96, height: 32), rows: 0..<luma.down)
        // 2/8 and 8/8 of a sample across: the mean is 5/8, and half of that where samples are twice as wide.
        luma.set(x: 0, y: 0, dx: 0.25, dy: -0.5)
        luma.set(x: 1, y: 0, dx: 1, dy: -0.25)
        if step == 2 {
            luma.set(x: 0, y: 1, dx: 0.25, dy: -0.5)
            luma.set(x: 1, y: 1, dx: 1, dy: -0.25)
        }
        chroma.halve(luma, step: step, rows: 0..<luma.down)
        #expect(chroma.motion[0] == 3)
        #expect(chroma.motion[1] == (step == 2 ? -2 : -3))
        #expect(chroma.motion[2] == 0)
        #expect((0..<chroma.across * chroma.down).allSatisfy { chroma.share[$0] == .max })
    }

    @Test(arguments: [16, 47, 97, 241, 360, 479, 481, 720]) func bandsShareOutAllCells(height: Int) throws {
        let sizes = (1...3).map { FrameSize(width: 64 >> $0, height: height >> $0) }
        let memory = PlaneMemory(sizes.map(LevelPlane.bytes)), levels = sizes.map { LevelPlane($0, in: memory) }
        let kernels = try #require(fusion_kernels_of(FUSION_PORTABLE))
        let local = LocalAligner(levels, kernels), field = MotionField(width: 64, height: height)
        let rows = (0..<LocalAligner.bands).flatMap { Array(local.cells(field, band: $0)) }
        #expect(rows == Array(0..<field.down))
    }
}
