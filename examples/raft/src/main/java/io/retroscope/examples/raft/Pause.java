package io.retroscope.examples.raft;

/**
 * A time in which a leader was stopped, by the machine's clock and by what the servers answered to
 * a client. Immutable; all times are microseconds since 1970.
 *
 * @param node the leader that was stopped
 * @param beganMicros before SIGSTOP
 * @param withoutMicros when none of the others said for the last time that it leads
 * @param electedMicros when one of them said so
 * @param electionWaitedMicros how long the threads of one of the others waited for a processor,
 *     from {@code withoutMicros} until after the election
 * @param resumingMicros before SIGCONT
 * @param resumedMicros after it
 * @param waitedMicros how long, after it, the threads of the leader waited for a processor, until
 *     the leader answered that it follows
 */
record Pause(
    String node,
    long beganMicros,
    long withoutMicros,
    long electedMicros,
    long electionWaitedMicros,
    long resumingMicros,
    long resumedMicros,
    long waitedMicros) {}
