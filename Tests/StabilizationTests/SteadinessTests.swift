// SPDX-License-Identifier: MIT
// How much of a hand's motion is left in steadied pictures.

import Fusion
import LivecapFrames
import LivecapStabilization
import Testing

struct SteadinessTests {
    /// A tenth is promised for 1280x720. Half the size has a fourth of the tiles, and its pixels are twice as large.
    @Test(
        "A tenth of a hand's motion is left at most, in noise, in the dark, and beside something that moves",
        arguments: ["handheld:motion=strong", "lowlight:motion=strong", "object:motion=strong"])
    func hand(_ scene: String) throws {
        let (before, after) = try Steadiness(scene, .cinematic).motion()
        #expect(after < 0.1 * before, "\(after) of \(before) pixels")
    }

    @Test("Without delay, a sixth is left at most")
    func causal() throws {
        let (before, after) = try Steadiness("handheld:motion=strong", .standard).motion()
        #expect(after < before / 6, "\(after) of \(before) pixels")
    }

    @Test("Turns are taken out, too")
    func turns() throws {
        let (before, after) = try Steadiness("handheld:motion=10,rotation=0.7", .cinematic).motion()
        #expect(after < 0.1 * before, "\(after) of \(before) pixels")
    }

    @Test("What a rolling shutter shears is straightened")
    func rollingShutter() throws {
        let scene = "handheld:motion=strong,camera=plain,shutter=0.9"
        let (before, after) = try Steadiness(scene, .cinematic).motion()
        #expect(after < 0.1 * before, "\(after) of \(before) pixels")
    }

    @Test("A camera that stands still is shown without the least motion", arguments: ["tripod", "tripod:noise=strong"])
    func stillCamera(_ scene: String) throws {
        for mode in [StabilizationMode.standard, .cinematic] {
            let views = try Steadiness(scene, mode, frames: 40).views
            #expect(views.count == 40)
            #expect(Set(views).count == 1)
            #expect(views.allSatisfy { $0.shiftX == 0 && $0.shiftY == 0 && $0.xy == 0 && $0.yx == 0 })
        }
    }

    @Test("The same frames give the same views, at every level of the kernels")
    func determinism() throws {
        let first = try Steadiness("handheld:motion=strong", .cinematic, frames: 20).views
        for level in KernelLevel.supported {
            #expect(try Steadiness("handheld:motion=strong", .cinematic, frames: 20, level: level).views == first)
        }
    }
}
