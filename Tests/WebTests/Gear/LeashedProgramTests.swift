// SPDX-License-Identifier: MIT
// What a program leaves behind when it is ended.

import Glibc
import LivecapWebGear
import Testing

@Suite struct LeashedProgramTests {
    @Test func childrenThatHaveLeftItsGroupEndWithIt() throws {
        let program = try LeashedProgram("/bin/bash", ["-c", "setsid bash -c 'echo $$; exec sleep 1000' & wait"])
        let child = try #require(program.line().flatMap { pid_t($0) })
        #expect(kill(child, 0) == 0)
        program.quit()
        try eventually("the end of the child") { kill(child, 0) != 0 }
    }
}
