// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

/** Stretches for tests of other packages. */
public final class Stretches {
  private Stretches() {}

  /** A stretch of a number of places. */
  public static Stretch of(int places) {
    Stretch stretch = new Stretch();
    stretch.begin(places);
    return stretch;
  }
}
