package io.retroscope.rql.cut;

import io.retroscope.rql.cut.ClockOffsets.Offset;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is known of one node's clock: the content of a row of SHOW ALIGNMENT.
 *
 * @param offset from the reference node; empty where nothing is known
 * @param drift how fast the offset grows; empty where the evidence does not tell it closely enough
 *     to mean something, and for the reference node itself
 * @param evidenceCount events of the node that bound its offset, since the start
 * @param evidenceAgeMicros how old the newest of them is; empty where there is none
 * @param lastStep the last time its clock was found to have jumped
 * @param driverSinceHlc packed; since when it is the driver node; empty for all others
 */
public record NodeAlignment(
    String node,
    Optional<Offset> offset,
    Optional<Drift> drift,
    long evidenceCount,
    OptionalLong evidenceAgeMicros,
    Optional<Step> lastStep,
    OptionalLong driverSinceHlc) {
  /**
   * How fast an offset grew, on average over a stretch of time that ends now. A node whose offset
   * grows has a clock that runs slower than the reference node's.
   *
   * @param ppm in parts per million, that is microseconds a second
   * @param uncertaintyPpm the true average is no further than this from {@code ppm}
   */
  public record Drift(double ppm, double uncertaintyPpm) {}

  /**
   * A clock jumped.
   *
   * @param hlc packed; when it was found
   * @param sizeMicros the jump was at least this large, more than 0; its direction is not known
   */
  public record Step(long hlc, long sizeMicros) {}
}
