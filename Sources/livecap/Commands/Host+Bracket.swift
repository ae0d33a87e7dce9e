// SPDX-License-Identifier: MIT
// `livecap shoot --bracket`: a picture at each of several exposures.

import Glibc
import LiveCapture
import LivecapFrames

extension Host {
    /// Starts the session, and takes a picture at each of several exposures. The camera is as before when this returns.
    func takeBracket(
        of steps: [Double], _ settings: PhotoSettings, into files: PhotoFiles?
    ) throws(Failure) -> ExposureBracket {
        guard !isOfOther else {
            throw .pictures(
                "--bracket: another livecap has the camera, and its pictures would change, too",
                hint: "end that program first")
        }
        session.begin()
        guard try present(earliest: .zero, framesBefore: 0) != nil else { throw failureBeforeFrames }
        let session = session
        let taking = Task.detached(executorPreference: tasks) { () -> Result<ExposureBracket, PhotoError> in
            do throws(PhotoError) {
                return .success(try await session.captureBracket(of: steps, settings, into: files))
            } catch { return .failure(error) }
        }
        interruption.onSignal { taking.cancel() }
        let bracket: ExposureBracket
        do throws(PhotoError) { bracket = try value(of: taking).get() } catch { throw failure(for: error) }
        for shot in bracket.shots {
            let step = log2(shot.exposure / bracket.base)
            guard (step - shot.step).magnitude > 0.1 else { continue }
            Console.note(
                "note: the camera can be set to \(fixed(step, 1)) EV instead of \(fixed(shot.step, 1)) EV at most")
        }
        if let error = bracket.notRestored {
            Console.note("note: the camera keeps the exposure of the last picture: \(error.message)")
        }
        return bracket
    }
}
