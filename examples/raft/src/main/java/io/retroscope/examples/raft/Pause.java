// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

/**
 * A time in which a leader was stopped, by the machine's clock and by what the servers answered to
 * a client and noted. Immutable; all times are microseconds since 1970.
 *
 * @param node the leader that was stopped
 * @param beganMicros before SIGSTOP
 * @param elected how another became the leader
 * @param resumingMicros before SIGCONT
 * @param followed how the stopped one became a follower after SIGCONT
 */
record Pause(String node, long beganMicros, Change elected, long resumingMicros, Change followed) {
  /**
   * A change of a server's role.
   *
   * @param sinceMicros no later than the server took the role, by its answer to the client
   * @param note the server's note that it has recorded the role
   */
  record Change(long sinceMicros, RoleNote note) {
    /** Whether it can have been recorded at this time, as the role is taken before. */
    boolean isRecordedAt(long micros) {
      return sinceMicros - RoleNote.CLOCK_READING_MICROS <= micros && note.contains(micros);
    }
  }
}
