// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import java.util.List;

/** A form of the lines of text logs. Immutable. */
public interface LineFormat {
  /** A short name for options and lists. */
  String name();

  /** What has this form, in a few words. */
  String title();

  /** Example lines. */
  List<String> samples();

  /** How it is read: by a reader by hand, or by the expressions of a definition. */
  String kind();

  /** Whether files with this name can have it. */
  default boolean fits(String path) {
    return true;
  }

  /** What its messages say about the state of their nodes. */
  default MessageRules rules() {
    return MessageRules.NONE;
  }

  /** A reader of the lines of one file. */
  LineReader reader(DateOrder order);

  /** A reader of lines; used by one thread. */
  interface LineReader {
    /**
     * Reads a line.
     *
     * @param into takes its time and its parts; undefined after false
     * @return false if the line has another form
     */
    boolean read(String line, Entry into);

    /** Completes an entry after its last line. */
    default void finish(Entry entry) {}
  }
}
