// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.recordings.textlog.LogTime.Missing;
import java.util.List;

/**
 * The lines of klog and glog, which begin with a letter and a date of four, six or eight digits.
 * Immutable.
 */
final class KlogFormat implements LineFormat {
  private static final String LETTERS = "IWEFDV";

  @Override
  public String name() {
    return "klog";
  }

  @Override
  public String title() {
    return "klog and glog: Kubernetes, CockroachDB";
  }

  @Override
  public List<String> samples() {
    return List.of("I1120 18:40:00.123456    4711 controller.go:42] started");
  }

  @Override
  public String kind() {
    return "by hand";
  }

  @Override
  public LineReader reader(DateOrder order) {
    return new Reader();
  }

  private static final class Reader implements LineReader {
    private final TimeScanner scanner = new TimeScanner();

    @Override
    public boolean read(String line, Entry into) {
      int digits = 0;
      while (1 + digits < line.length() && TimeScanner.isDigit(line.charAt(1 + digits))) {
        digits++;
      }
      boolean isDate = digits == 4 || digits == 6 || digits == 8;
      if (!isDate || LETTERS.indexOf(line.charAt(0)) < 0 || line.length() < digits + 10) {
        return false;
      }
      int end = digits == 4 ? shortDate(line) : scanner.scan(line, 1);
      if (end < 0 || end >= line.length() || line.charAt(end) != ' ') {
        return false;
      }
      into.clear();
      into.time = scanner.time();
      into.level(Levels.ofLetter(line.charAt(0)));
      int bracket = line.indexOf("] ", end);
      boolean hasPlace = bracket > 0 && bracket - end < 200;
      String place = hasPlace ? line.substring(end, bracket).strip() : "";
      int space = place.indexOf(' ');
      into.field("pid", space > 0 ? place.substring(0, space) : "");
      into.field("source", place.substring(space + 1).strip());
      into.message(line.substring(hasPlace ? bracket + 2 : end + 1).stripLeading());
      return true;
    }

    /** Scans the time of a date of four digits, which has no year. */
    private int shortDate(String line) {
      String plain = line.substring(1, 3) + "-" + line.substring(3);
      int end = scanner.scan(plain, 0);
      return end >= 0 && scanner.time().missing == Missing.YEAR ? end : -1;
    }
  }
}
