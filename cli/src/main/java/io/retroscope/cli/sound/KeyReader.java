// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import java.io.IOException;
import java.io.Reader;
import java.util.Locale;

/**
 * A reader of keys, each followed by Enter, which every terminal and pipe has. The key {@code a}
 * acknowledges alarms.
 */
public final class KeyReader {
  /** A longer line is no key; the rest of it is skipped. */
  static final int MAX_LINE_CHARS = 16;

  private static final String ACKNOWLEDGE = "a";

  private final Reader in;
  private final Runnable acknowledge;

  /** A reader that has not begun. */
  public KeyReader(Reader in, Runnable acknowledge) {
    this.in = in;
    this.acknowledge = acknowledge;
  }

  /** Reads on a thread of its own, until the input ends. */
  public void start() {
    Thread reader = new Thread(this::run, "retroscope-keys");
    reader.setDaemon(true);
    reader.start();
  }

  /** Reads until the input ends. */
  void run() {
    StringBuilder line = new StringBuilder();
    try {
      for (int next = in.read(); next >= 0; next = in.read()) {
        if (next == '\n') {
          take(line.toString());
          line.setLength(0);
        } else if (line.length() <= MAX_LINE_CHARS) {
          line.append((char) next);
        }
      }
      take(line.toString());
    } catch (IOException e) {
      // No more keys: the sound continues.
    }
  }

  private void take(String line) {
    if (line.strip().toLowerCase(Locale.ROOT).equals(ACKNOWLEDGE)) {
      acknowledge.run();
    }
  }
}
