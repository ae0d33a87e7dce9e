// SPDX-License-Identifier: MIT
// Records readiness over time: which waits were estimated, and when they ended.

import LiveCapture
import LivecapFrames
import LivecapThreads
import Synchronization

/// Follows a session's readiness, like a shutter button does.
final class ReadinessLog: Sendable {
    /// An estimate made at a moment when a tap would have had to wait.
    struct Forecast: Sendable {
        let made: Timestamp
        let wait: Duration?
    }

    private struct State: Sendable {
        var ready: [Timestamp] = []
        var forecasts: [Forecast] = []
    }

    private let coordinator: ReadinessCoordinator
    private let state = Mutex(State())
    private let bell = Doorbell(spinNanoseconds: 0)
    private let observation = Mutex<ReadinessObservation?>(nil)

    init(_ coordinator: ReadinessCoordinator) { self.coordinator = coordinator }

    /// Starts following; `close` ends it.
    func open() {
        let observation = try! coordinator.onChange { [self] readiness in
            let now = Timestamp.now
            if readiness.state == .ready { state.withLock { $0.ready.append(now) } }
            bell.ring()
        }
        self.observation.withLock { $0 = observation }
    }

    func close() { observation.withLock { $0.take() }?.cancel() }

    /// Waits until a tap would be served at once.
    func waitUntilReady() { bell.wait { coordinator.current.state == .ready } }

    /// The same, but also records the estimated wait every few milliseconds.
    func forecastUntilReady() {
        while true {
            let readiness = coordinator.current
            guard readiness.state != .ready else { return }
            let forecast = Forecast(made: .now, wait: readiness.estimatedWait)
            state.withLock { $0.forecasts.append(forecast) }
            sleep(until: .now + .milliseconds(5))
        }
    }

    /// The error of each estimate together with the actual wait; and the number of moments without an estimate.
    var errors: (known: [(error: Duration, wait: Duration)], unknown: Int) {
        let (ready, forecasts) = state.withLock { ($0.ready, $0.forecasts) }
        var known: [(error: Duration, wait: Duration)] = []
        var next = 0
        for forecast in forecasts {
            while next < ready.count, ready[next] < forecast.made { next += 1 }
            guard next < ready.count else { break }
            let wait = ready[next] - forecast.made
            if let foretold = forecast.wait { known.append(((foretold - wait).magnitude, wait)) }
        }
        return (known, forecasts.count { $0.wait == nil })
    }
}
