// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import java.io.IOException;
import java.io.Reader;
import java.util.Locale;
import java.util.Map;

/** A reader of keys, each followed by Enter, which every terminal and pipe has. */
public final class KeyReader {
  /** A longer line is no key; the rest of it is skipped. */
  static final int MAX_LINE_CHARS = 16;

  private final Reader in;
  private final Map<String, Runnable> actions;
  private final Runnable other;

  /**
   * A reader that has not begun.
   *
   * @param actions by their keys
   * @param other the action of any other key
   */
  public KeyReader(Reader in, Map<String, Runnable> actions, Runnable other) {
    this.in = in;
    this.actions = Map.copyOf(actions);
    this.other = other;
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
    String key = line.strip().toLowerCase(Locale.ROOT);
    if (!key.isEmpty()) {
      actions.getOrDefault(key, other).run();
    }
  }
}
