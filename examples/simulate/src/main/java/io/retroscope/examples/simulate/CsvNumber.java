// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import java.util.Locale;

/** The number format of the simulations' tables. */
final class CsvNumber {
  private CsvNumber() {}

  /** Six significant digits; empty for not-a-number, {@code inf} for infinity. */
  static String measured(double value) {
    if (Double.isNaN(value)) {
      return "";
    }
    return Double.isInfinite(value) ? "inf" : String.format(Locale.ROOT, "%.6g", value);
  }

  /** A setting in its shortest form: {@code 20}, {@code 0.05}. */
  static String setting(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e9
        ? Long.toString((long) value)
        : Double.toString(value);
  }
}
