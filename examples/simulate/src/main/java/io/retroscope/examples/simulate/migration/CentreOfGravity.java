// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.migration;

import io.retroscope.examples.simulate.paxos.WideNetwork;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** The mean round trip from the accesses of an object to a place for it. */
public final class CentreOfGravity {
  private CentreOfGravity() {}

  /**
   * The mean round trip in milliseconds, weighted by accesses; 0 without any.
   *
   * @param place the region of the object
   * @param accesses the number of accesses of a region
   */
  public static double millis(int place, IntUnaryOperator accesses) {
    int count = IntStream.range(0, Policy.REGIONS).map(accesses).sum();
    double sum =
        IntStream.range(0, Policy.REGIONS)
            .mapToDouble(
                region -> accesses.applyAsInt(region) * WideNetwork.roundTrip(region, place))
            .sum();
    return count == 0 ? 0 : sum / count;
  }
}
