// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import io.retroscope.event.Value;

/**
 * The severity of a line that another line contains, such as one of a container. Used by one
 * thread.
 */
final class WrappedLevel {
  private final LineFormat.LineReader text = new HeaderFormat().reader(DateOrder.YEAR_FIRST);
  private final LineFormat.LineReader json = JsonFormat.OF_SERVICES.reader(DateOrder.YEAR_FIRST);
  private final Entry inner = new Entry();

  /** Adds the severity of an entry's message to its fields, if it has one. */
  void find(Entry entry) {
    if (entry.hasLevel()) {
      return;
    }
    String message = entry.message();
    LineFormat.LineReader reader = message.startsWith("{") ? json : text;
    if (reader.read(message, inner)
        && inner.fields().get(Entry.LEVEL) instanceof Value.StringValue level) {
      entry.level(level.value());
    }
  }
}
