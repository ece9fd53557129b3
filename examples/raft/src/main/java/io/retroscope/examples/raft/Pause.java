// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import io.retroscope.examples.raft.GroupClient.Role;

/**
 * A time in which a leader was stopped, by the machine's clock and by what the servers answered to
 * a client. Immutable; all times are microseconds since 1970.
 *
 * @param node the leader that was stopped
 * @param beganMicros before SIGSTOP
 * @param elected the first answer of another that it leads
 * @param resumingMicros before SIGCONT
 * @param resumedMicros after it
 * @param followed the first answer of the stopped one, after SIGCONT, that it follows
 */
record Pause(
    String node,
    long beganMicros,
    Role elected,
    long resumingMicros,
    long resumedMicros,
    Role followed) {}
