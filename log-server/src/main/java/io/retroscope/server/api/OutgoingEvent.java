// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A server-sent event, in UTF-8. Immutable.
 *
 * @param head the lines before its data
 * @param data the line with its data, and the empty one after it; clients may share it
 */
record OutgoingEvent(byte[] head, byte[] data) {
  /** An event without an id. */
  static OutgoingEvent of(String type, String data) {
    return of(type, "", data(data));
  }

  /**
   * An event.
   *
   * @param id none if empty
   * @param data as returned by {@link #data}
   */
  static OutgoingEvent of(String type, String id, byte[] data) {
    String head = id.isEmpty() ? "event: " + type + "\n" : "event: " + type + "\nid: " + id + "\n";
    return new OutgoingEvent(head.getBytes(StandardCharsets.UTF_8), data);
  }

  /** The line with some data. */
  static byte[] data(String data) {
    return ("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
  }

  /** The bytes of several events. */
  static ByteBuffer join(List<OutgoingEvent> events) {
    ByteBuffer bytes = ByteBuffer.allocate(events.stream().mapToInt(OutgoingEvent::length).sum());
    events.forEach(event -> bytes.put(event.head).put(event.data));
    return bytes.flip();
  }

  /** The number of its bytes. */
  int length() {
    return head.length + data.length;
  }
}
