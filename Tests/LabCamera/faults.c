// SPDX-License-Identifier: MIT
// Which faults are on, from which frame, and how often still.

#include "camera.h"

#include <string.h>

static const char *const names[FAULTS] = {
    [FAULT_NO_TABLES] = "no-tables",
    [FAULT_TRUNCATED] = "truncated",
    [FAULT_CORRUPT] = "corrupt",
    [FAULT_EMPTY] = "empty",
    [FAULT_MARKED] = "marked",
    [FAULT_WRONG_SIZE] = "wrong-size",
    [FAULT_FROZEN_ID] = "frozen-id",
    [FAULT_STALL] = "stall",
    [FAULT_SKIP] = "skip",
    [FAULT_SLOW] = "slow",
    [FAULT_RESET_TIME] = "reset-time",
    [FAULT_RESTART] = "restart",
    [FAULT_OTHER_SIZE] = "other-size",
    [FAULT_OTHER_FORMAT] = "other-format",
    [FAULT_OTHER_GRANT] = "other-grant",
    [FAULT_REFUSE_COMMIT] = "refuse-commit",
    [FAULT_REFUSE_SETTING] = "refuse-setting",
    [FAULT_HANG_CONTROL] = "hang-control",
    [FAULT_REFUSE_CONTROL] = "refuse-control",
    [FAULT_SILENT] = "silent",
    [FAULT_DEAF] = "deaf",
};

enum fault fault_named(const char *name) {
    unsigned fault = 0;
    while (fault < FAULTS && strcmp(names[fault], name) != 0) fault++;
    return (enum fault)fault;
}

bool use_fault(struct camera *camera, enum fault fault) {
    struct fault_state *state = &camera->faults[fault];
    if (!state->is_on || camera->number < state->at || camera->number % state->every != 0) return false;
    if (!state->is_endless && --state->remaining == 0) state->is_on = false;
    return true;
}
