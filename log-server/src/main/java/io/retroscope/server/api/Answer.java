package io.retroscope.server.api;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The body of an answer while it is written. Its beginning is buffered, so that a query which fails
 * early can still set the status. Used by one thread.
 */
final class Answer {
  private static final int HELD_BYTES = 64 * 1024;

  private final HttpServletResponse response;
  private final String contentType;
  private final Runnable beforeSending;
  private final byte[] buffer = new byte[HELD_BYTES];
  private int length;
  private boolean begun;
  private boolean broken;

  Answer(HttpServletResponse response, String contentType) {
    this(response, contentType, () -> {});
  }

  /**
   * An answer of which nothing is sent yet.
   *
   * @param beforeSending runs each time before bytes are sent, which may wait for the receiver
   */
  Answer(HttpServletResponse response, String contentType, Runnable beforeSending) {
    this.response = response;
    this.contentType = contentType;
    this.beforeSending = beforeSending;
  }

  /** Whether the client is gone. */
  boolean isBroken() {
    return broken;
  }

  /** Whether a part has been sent, so that the status can no longer change. */
  boolean isBegun() {
    return begun;
  }

  /** Appends a text; returns whether the client is still connected. */
  boolean write(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (length + bytes.length > buffer.length) {
      send();
      if (bytes.length > buffer.length) {
        send(bytes, bytes.length);
        return !broken;
      }
    }
    System.arraycopy(bytes, 0, buffer, length, bytes.length);
    length += bytes.length;
    return !broken;
  }

  /** Sends the buffered text. */
  boolean send() {
    int held = length;
    length = 0;
    send(buffer, held);
    return !broken;
  }

  /** Sends the buffered text, and completes the answer. */
  void end() {
    send();
    try {
      response.getOutputStream().close();
    } catch (IOException e) {
      broken = true;
    }
  }

  private void send(byte[] bytes, int count) {
    if (broken) {
      return;
    }
    beforeSending.run();
    try {
      if (!begun) {
        begun = true;
        response.setStatus(HttpServletResponse.SC_OK);
        response.setContentType(contentType);
      }
      OutputStream out = response.getOutputStream();
      out.write(bytes, 0, count);
      out.flush();
    } catch (IOException e) {
      broken = true;
    }
  }
}
