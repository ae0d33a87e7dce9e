// SPDX-License-Identifier: MIT
// What an armed run says of its pictures, movies and recordings.

import LiveCapture
import LivecapFrames
import LivecapIntents
import LivecapPhotoStorage

extension ArmedRun {
    /// Reports a picture that was taken.
    func report(
        _ photo: Photo, of shot: ShotID, telling replies: SocketReplies?, with movie: Result<LiveMovie, Failure>?,
        _ console: inout Console
    ) throws(Failure) {
        taken += 1
        if photo.isProxy, let id = photo.libraryID {
            if let news = early.removeValue(forKey: id) {
                replies?.send(news)
            } else {
                unfinished[id] = .some(replies)
            }
        }
        if host.clock == .monotonic { lastTook = photo.took }
        for note in photo.notes where reported.insert(note).inserted { Console.note("note: \(note)") }
        Progress.clearLine()
        let report = ShotReport(
            photo: photo, threads: threads, droppedByRing: host.session.statistics.dropped,
            movie: try? movie?.get(), cause: causes.removeValue(forKey: shot), isVerbose: isVerbose)
        try report.print(to: &console)
        hooks?.add(report)
        if case .failure(let failure)? = movie {
            console.report(failure, shot: shot.number, isHinting: reported.insert(failure.hint).inserted)
            firstFailure = firstFailure ?? failure
        }
        try console.flush()
    }

    /// Reports a picture that was not.
    func report(_ error: PhotoError, of shot: ShotID, _ console: inout Console) throws(Failure) {
        causes[shot] = nil
        if givenUp.remove(shot) != nil, error == .cancelled { return forgotten += 1 }
        failed += 1
        Progress.clearLine()
        if isEnding, error == .cancelled {
            untaken += 1
            guard console.writesJSON else { return }
        }
        let failure = Failure.photo(error, of: host.kind)
        window?.say(failure.message)
        console.report(failure, shot: shot.number, isHinting: reported.insert(failure.hint).inserted)
        // Shots cancelled because the run ends are not failures.
        if !isEnding || error != .cancelled { firstFailure = firstFailure ?? .photo(error, of: host.kind) }
    }

    /// Reports the pictures of the other cameras, and how far apart the moments are.
    func report(_ photo: GroupPhoto, _ console: inout Console) throws(Failure) {
        companions?.noteReported()
        Progress.clearLine()
        let report = GroupReport(photo: photo)
        if console.writesJSON {
            try console.print(report.json)
        } else {
            for line in report.lines { try console.print(line) }
        }
        for member in photo.members.dropFirst() {
            guard case .failure(let error) = member.result, !isEnding || error != .cancelled else { continue }
            firstFailure = firstFailure ?? .photo(error, of: host.kind)
        }
        try console.flush()
    }

    /// Reports who is seen: in words only what has changed.
    func report(_ facts: FrameFacts, _ console: inout Console) throws(Failure) {
        if console.writesJSON {
            guard case .object(let members) = facts.json else { return }
            try console.print(.object([("event", "facts")] + members))
        } else {
            guard facts.words != seen else { return }
            seen = facts.words
            Progress.clearLine()
            try console.print("seen: \(facts.words)")
        }
        try console.flush()
    }

    /// Reports what became of a deferred photo.
    func report(_ news: FinalNews, _ console: inout Console) throws(Failure) {
        if let replies = unfinished.removeValue(forKey: news.id) {
            replies?.send(news)
        } else if live != nil {
            early[news.id] = news
        }
        Progress.clearLine()
        if console.writesJSON {
            try console.print(.object([("event", "final")] + news.members))
        } else {
            try console.print(news.words)
        }
        try console.flush()
    }

    /// Reports a recording that has ended.
    func report(_ record: RunRecord, _ console: inout Console) throws(Failure) {
        recording?.noteReported()
        Progress.clearLine()
        if record.report.figures.frames > 0 || record.failure == nil {
            if console.writesJSON {
                try console.print(.object([("event", "recording")] + record.report.members))
            } else {
                try console.print(record.report.words)
            }
        }
        if let failure = record.failure {
            Console.noteKept(record.report.figures.frames, in: record.report.path)
            console.report(failure, isHinting: reported.insert(failure.hint).inserted)
            firstFailure = firstFailure ?? failure
        }
        try console.flush()
    }

    /// Reports what became of a movie.
    func report(_ news: MovieNews, _ console: inout Console) throws(Failure) {
        movies?.note(news)
        Progress.clearLine()
        var failure: Failure?
        switch news {
        case .begun(let movie):
            movie.replies?.send(movie)
            if console.writesJSON {
                try console.print(.object([("event", "movie-begun")] + movie.begunMembers))
            } else {
                Console.note(movie.begunWords)
            }
        case .ended(let movie, let result):
            failure = result.failure?.failure
            movie.replies?.send(movie, result)
            if let failure { movie.replies?.refuse(failure) }
            if console.writesJSON {
                try console.print(.object([("event", "movie")] + movie.members(result)))
            } else {
                try console.print(movie.words(result))
            }
        case .failed(_, let error, let replies):
            failure = error
            replies?.refuse(error)
            window?.say(error.message)
        }
        switch news {
        case .ended, .failed: film(triggers?.movieEnded())
        case .begun: break
        }
        if let failure {
            console.report(failure, isHinting: reported.insert(failure.hint).inserted)
            firstFailure = firstFailure ?? failure
        }
        try console.flush()
    }
}
