// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.examples.simulate.paxos.WideNetwork;
import java.util.List;

/** The regions, the round trips between them as published, and the objects. */
final class Regions {
  static final List<String> NAMES = WideNetwork.REGIONS;
  static final int OBJECTS = 20;

  /** The number of objects beyond which a region with a filter takes no more: a quarter. */
  static final int LARGEST_SHARE = OBJECTS / 4;

  private Regions() {}

  /** The name of an object in the records. */
  static String object(int number) {
    return "obj_%02d".formatted(number);
  }

  /** The delay in one direction. */
  static long delayMillis(int from, int to) {
    return Math.round(WideNetwork.roundTrip(from, to) / 2);
  }
}
