// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** Server-sent events as a client receives them. */
final class WrittenEvents {
  private static final Pattern END = Pattern.compile("(?<=\n\n)");

  private WrittenEvents() {}

  /** Takes the events that wait, as if they were written. */
  static List<String> takenFrom(OutgoingEvents events) {
    StringBuilder all = new StringBuilder();
    for (ByteBuffer next = events.take(); next.hasRemaining(); next = events.take()) {
      all.append(text(next));
      events.written();
    }
    return all.isEmpty() ? List.of() : List.of(END.split(all));
  }

  /** The text of some bytes. */
  static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }
}
