package io.retroscope.rql.cut;

import io.retroscope.rql.cut.ClockOffsets.Offset;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What is known of one node's clock: the content of a row of SHOW ALIGNMENT.
 *
 * @param offset from the reference node; empty where nothing is known
 * @param driftPpm how fast the offset grows, in parts per million; empty where unknown
 * @param evidenceCount events of the node that bound its offset, since the start
 * @param evidenceAgeMicros how old the newest of them is; empty where there is none
 * @param lastStep the last time its clock was found to have jumped
 * @param driverSinceHlc packed; since when it is the driver node; empty for all others
 */
public record NodeAlignment(
    String node,
    Optional<Offset> offset,
    OptionalDouble driftPpm,
    long evidenceCount,
    OptionalLong evidenceAgeMicros,
    Optional<Step> lastStep,
    OptionalLong driverSinceHlc) {
  /**
   * A clock jumped.
   *
   * @param hlc packed; when it was found
   * @param sizeMicros the jump was at least this large, more than 0; its direction is not known
   */
  public record Step(long hlc, long sizeMicros) {}
}
