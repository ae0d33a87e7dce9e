// SPDX-License-Identifier: MIT
// The measures, checked against those of Benchmarks/compare, which use NumPy and OpenCV. Skipped if these are missing.

import Foundation
import LivecapPictureMetrics
import LivecapProcesses
import Testing

@Suite struct OracleTests {
    @Test(.enabled(if: Oracle.isThere, "needs python3 with numpy and OpenCV"))
    func theMeasuresAgreeWithTheOracles() throws {
        let (width, height) = (72, 56)
        let truth = (0..<width * height).map { Float(($0 % width) * 2 + ($0 / width)) }
        func noisy(_ strength: Int) -> [Float] {
            var state: UInt32 = 7
            return truth.map { sample in
                state = state &* 1_664_525 &+ 1_013_904_223
                return sample + Float(Int(state >> 16) % (2 * strength + 1) - strength)
            }
        }
        let planes = [noisy(6), noisy(14), truth].map { CodePlane(width: width, height: height, samples: $0) }
        let theirs = try Oracle.measures(planes)
        #expect(theirs.count == 3)
        let ours = [
            planes[0].psnr(against: planes[2]), try #require(planes[0].ssim(against: planes[2])),
            planes[0].localDamage(insteadOf: planes[1], against: planes[2]).worst,
        ]
        for (ours, theirs) in zip(ours, theirs) { #expect(abs(ours - theirs) < 1e-4) }
    }
}

/// Benchmarks/compare/bursts.py, run by python3 with its input and output in pipes.
private enum Oracle {
    static let isThere = (try? run("import cv2, numpy", Data())) != nil

    /// PSNR and SSIM of the first plane against the third, and the worst damage of using the first instead of the
    /// second.
    static func measures(_ planes: [CodePlane]) throws -> [Double] {
        let (width, height) = (planes[0].width, planes[0].height)
        let bytes = planes.flatMap(\.samples).withUnsafeBytes { Data($0) }
        let answer = try run(
            """
            import sys; sys.path.insert(0, "Benchmarks/compare")
            import bursts, numpy
            still, single, truth = numpy.frombuffer(sys.stdin.buffer.read(), numpy.float32).astype(float).reshape(
                3, \(height), \(width))
            print(bursts.psnr(still, truth), bursts.ssim(still, truth),
                bursts.local_damage(still, single, truth, 8).max())
            """, bytes)
        return answer.split(separator: " ").compactMap { Double($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    private struct Failed: Error {}

    private static func run(_ program: String, _ input: Data) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-B", "-c", program]
        process.currentDirectoryURL = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let (stdin, stdout) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (stdin, stdout, FileHandle.nullDevice)
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        let answer = stdout.fileHandleForReading.readDataToEndOfFile()
        process.awaitEnd()
        guard process.terminationStatus == 0 else { throw Failed() }
        return String(decoding: answer, as: UTF8.self)
    }
}
