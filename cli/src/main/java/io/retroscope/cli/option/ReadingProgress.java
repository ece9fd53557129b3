// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.recordings.file.EventFileSet;
import java.io.PrintWriter;
import java.util.Locale;

/** A line on a terminal with the progress of reading files. Used by one thread. */
final class ReadingProgress implements EventFileSet.Listener {
  private static final long INTERVAL_NANOS = 250_000_000L;
  private static final String CLEAR = "\r\u001B[K";

  private final PrintWriter err;
  private final boolean isTerminal;
  private final long startNanos = System.nanoTime();
  private long lastNanos = startNanos;
  private boolean isShown;

  ReadingProgress(PrintWriter err, boolean isTerminal) {
    this.err = err;
    this.isTerminal = isTerminal;
  }

  @Override
  public void progress(String name, long readBytes, long totalBytes, long events) {
    long now = System.nanoTime();
    if (!isTerminal || now - lastNanos < INTERVAL_NANOS) {
      return;
    }
    lastNanos = now;
    isShown = true;
    err.print(CLEAR + text(name, readBytes, totalBytes, events, (now - startNanos) / 1e9));
    err.flush();
  }

  static String text(
      String name, long readBytes, long totalBytes, long events, double elapsedSeconds) {
    String shortName = name.length() <= 24 ? name : name.substring(0, 21) + "...";
    String text = String.format(Locale.ROOT, "reading %s: %,d events", shortName, events);
    if (totalBytes <= 0 || readBytes <= 0) {
      return text;
    }
    double share = Math.min(1, (double) readBytes / totalBytes);
    double left = elapsedSeconds / share - elapsedSeconds;
    return text + String.format(Locale.ROOT, ", %.0f%%, %.0f s left", 100 * share, left);
  }

  @Override
  public void note(String sentence) {
    end();
    err.println("note: " + sentence);
    err.flush();
  }

  @Override
  public void end() {
    if (isShown) {
      err.print(CLEAR);
      err.flush();
      isShown = false;
    }
  }
}
