// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import io.retroscope.cli.process.StandardStreams;
import io.retroscope.examples.simulate.clocks.Progress;
import java.io.PrintWriter;

/**
 * A line on a terminal with the progress of an experiment; silent if standard error is not a
 * terminal. Not thread-safe.
 */
final class PercentLine implements Progress, AutoCloseable {
  private static final String CLEAR = "\r\u001B[K";

  private final PrintWriter err;
  private final String name;
  private final boolean isShown;
  private long shownPercent = -1;

  PercentLine(PrintWriter err, String name) {
    this(err, name, StandardStreams.system().errIsTerminal());
  }

  PercentLine(PrintWriter err, String name, boolean isShown) {
    this.err = err;
    this.name = name;
    this.isShown = isShown;
  }

  @Override
  public void done(long runs, long totalRuns) {
    long percent = 100 * runs / totalRuns;
    if (isShown && percent != shownPercent) {
      shownPercent = percent;
      err.printf("%s%s: %d%%, %,d of %,d runs", CLEAR, name, percent, runs, totalRuns);
      err.flush();
    }
  }

  /** Removes the line. */
  @Override
  public void close() {
    if (shownPercent >= 0) {
      err.print(CLEAR);
      err.flush();
    }
  }
}
