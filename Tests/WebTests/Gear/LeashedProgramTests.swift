// SPDX-License-Identifier: MIT
// What a program leaves behind when it is ended.

import Foundation
import Glibc
import LivecapPatience
import LivecapWebGear
import Testing

@Suite struct LeashedProgramTests {
    @Test func childrenThatHaveLeftItsGroupEndWithIt() throws {
        let program = try LeashedProgram("/bin/bash", ["-c", "setsid bash -c 'echo $$; exec sleep 1000' & wait"])
        let child = try #require(program.line().flatMap { pid_t($0) })
        #expect(kill(child, 0) == 0)
        program.quit()
        // Whoever adopts it may not ask what has become of it, which keeps its number.
        try eventually("the end of the child") { kill(child, 0) != 0 || isZombie(child) }
    }

    private func isZombie(_ id: pid_t) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        return status?.split(separator: ")").last?.hasPrefix(" Z") == true
    }
}
