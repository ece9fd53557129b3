// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

/**
 * A piece of evidence: the offset of {@code head} exceeded the offset of {@code tail} by at most
 * {@code micros} at an instant. The bound loosens with the distance from that instant, in both
 * directions of time.
 *
 * @param tail index of a node
 * @param head index of another node
 * @param micros the bound, of either sign
 * @param timeMicros the instant of the evidence
 */
record Bound(int tail, int head, double micros, double timeMicros) {
  /**
   * The same bound at another instant.
   *
   * @param rho bound on the relative rate of two clocks, as a ratio
   */
  double at(double instantMicros, double rho) {
    return micros + rho * Math.abs(instantMicros - timeMicros);
  }
}
