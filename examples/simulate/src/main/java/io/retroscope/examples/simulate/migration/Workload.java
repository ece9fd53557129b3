// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.migration;

import java.util.Random;

/**
 * Accesses to objects whose users move from region to region. Immutable.
 *
 * @param objects their number
 * @param accesses to each object
 * @param stays the accesses after which the users of an object are in another region
 * @param locality the share of the accesses from the region of the users; others are even
 * @param favoured the share of the objects whose users are always in the first region
 */
public record Workload(int objects, int accesses, int stays, double locality, double favoured) {
  /** Users that move, evenly over the regions. */
  public static Workload moving(int objects) {
    return new Workload(objects, 600, 150, 0.7, 0);
  }

  /** Half of the objects are used in one region. */
  public static Workload skewed(int objects) {
    return new Workload(objects, 600, 150, 0.7, 0.5);
  }

  /** The region of the users of an object at an access. */
  int home(int object, int access) {
    if (object < favoured * objects) {
      return 0;
    }
    // Two on, so that the numbers of the regions in between are no neighbours by accident.
    return Math.floorMod(object + 2 * (access / stays), Policy.REGIONS);
  }

  int region(int object, int access, Random random) {
    return random.nextDouble() < locality ? home(object, access) : random.nextInt(Policy.REGIONS);
  }
}
