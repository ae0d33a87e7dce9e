// SPDX-License-Identifier: MIT
// A thread of our own for Swift's tasks.

/// Runs the tasks started with it as their `executorPreference`, one job at a time.
///
/// Swift's own pool creates a thread when a task needs one, and retries for ever if the system has none left. This
/// thread exists from `init` on and ends with the process. Its tasks must not block on each other.
package final class TaskThread: TaskExecutor {
    private let jobs = Guarded<[UnownedJob]>([])
    private let bell = Doorbell(spinNanoseconds: 0)

    /// Starts the thread.
    package init(name: String) throws(SystemShortage) {
        try SystemThread(name: name) { self.run() }.detach()
    }

    /// Adds a task's next job. Any thread may call it.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        bell.ring()
    }

    private func run() {
        while true {
            var next: [UnownedJob] = []
            bell.wait {
                next = jobs.withLock { jobs in
                    defer { jobs = [] }
                    return jobs
                }
                return !next.isEmpty
            }
            for job in next { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
