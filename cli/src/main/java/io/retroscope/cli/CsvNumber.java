package io.retroscope.cli;

import java.util.Locale;

/** How the simulations' tables write numbers. */
final class CsvNumber {
  private CsvNumber() {}

  /** Six digits that count; empty for what is no number, {@code inf} for what is without end. */
  static String measured(double value) {
    if (Double.isNaN(value)) {
      return "";
    }
    return Double.isInfinite(value) ? "inf" : String.format(Locale.ROOT, "%.6g", value);
  }

  /** A setting, as short as it can be: {@code 20}, {@code 0.05}. */
  static String setting(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e9
        ? Long.toString((long) value)
        : Double.toString(value);
  }
}
