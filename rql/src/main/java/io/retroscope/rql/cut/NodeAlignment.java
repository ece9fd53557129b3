// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.rql.cut.ClockOffsets.Offset;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The alignment of one node's clock: the content of a row of SHOW ALIGNMENT.
 *
 * @param reference the node from whose clock the offset is
 * @param offset from the reference node; empty if unknown
 * @param drift the rate at which the offset grows; empty if the evidence does not determine it
 *     closely enough to be useful, and for the reference node itself
 * @param evidenceCount events of the node that bound its offset, since the start
 * @param evidenceAgeMicros the age of the newest of these events; empty if there is none
 * @param lastStep the last step of its clock that was found
 * @param driverSinceHlc packed; when it became the driver node; empty for all others
 */
public record NodeAlignment(
    String node,
    String reference,
    Optional<Offset> offset,
    Optional<Drift> drift,
    long evidenceCount,
    OptionalLong evidenceAgeMicros,
    Optional<Step> lastStep,
    OptionalLong driverSinceHlc) {
  /**
   * The average growth of an offset over a period that ends now. A node whose offset grows has a
   * clock that is slower than the reference node's.
   *
   * @param ppm in parts per million, that is microseconds per second
   * @param uncertaintyPpm the maximum difference between the true average and {@code ppm}
   */
  public record Drift(double ppm, double uncertaintyPpm) {}

  /**
   * A step of a clock.
   *
   * @param hlc packed; when the step was found
   * @param sizeMicros the minimum size of the step, more than 0; its direction is not known
   */
  public record Step(long hlc, long sizeMicros) {}
}
