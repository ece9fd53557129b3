// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import java.io.IOException;
import java.util.Optional;

/**
 * A reader of a stream of server-sent events, as the HTML standard defines them. Used by one
 * thread.
 */
final class ServerSentEvents {
  private final LineInput lines;

  ServerSentEvents(LineInput lines) {
    this.lines = lines;
  }

  /**
   * One event.
   *
   * @param type {@code message} if the stream does not name a type
   * @param id empty if the event has none
   * @param data its lines joined by LF
   */
  record ServerSentEvent(String type, Optional<String> id, String data) {}

  /**
   * Reads the next event that has data; empty at the end of the stream. An incomplete event at the
   * end is dropped.
   *
   * @throws IOException if the stream fails
   */
  Optional<ServerSentEvent> next() throws IOException {
    String type = "message";
    Optional<String> id = Optional.empty();
    StringBuilder data = new StringBuilder();
    boolean hasData = false;
    for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
      String text = line.get();
      if (text.isEmpty()) {
        if (hasData) {
          return Optional.of(new ServerSentEvent(type, id, data.toString()));
        }
        type = "message";
        continue;
      }
      int colon = text.indexOf(':');
      String name = colon < 0 ? text : text.substring(0, colon);
      switch (name) {
        case "event" -> type = value(text, colon);
        case "id" -> id = Optional.of(value(text, colon));
        case "data" -> {
          checkLength(data, text);
          data.append(hasData ? "\n" : "").append(value(text, colon));
          hasData = true;
        }
        default -> {} // A comment, which keeps the connection alive, or a field of a later
          // standard.
      }
    }
    return Optional.empty();
  }

  private static String value(String line, int colon) {
    String value = colon < 0 ? "" : line.substring(colon + 1);
    return value.startsWith(" ") ? value.substring(1) : value;
  }

  private static void checkLength(StringBuilder data, String line) throws IOException {
    if (data.length() + line.length() > LineInput.MAX_LINE_BYTES) {
      throw new IOException(
          "an event of the stream is longer than " + LineInput.MAX_LINE_BYTES + " characters");
    }
  }
}
