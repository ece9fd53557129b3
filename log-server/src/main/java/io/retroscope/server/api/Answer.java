package io.retroscope.server.api;

import io.javalin.http.Context;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The body of an answer while it grows. Its beginning is held back, so that a query which fails
 * early is answered with a status that says so. Used by one thread.
 */
final class Answer {
  private static final int HELD_BYTES = 64 * 1024;

  private final HttpServletResponse response;
  private final Admission admission;
  private final String contentType;
  private final byte[] buffer = new byte[HELD_BYTES];
  private int length;
  private boolean begun;
  private boolean broken;
  private boolean revoked;

  /** An answer to a request. */
  Answer(Context context, String contentType) {
    this(context.res(), Admission.of(context), contentType);
  }

  Answer(HttpServletResponse response, Admission admission, String contentType) {
    this.response = response;
    this.admission = admission;
    this.contentType = contentType;
  }

  /** Whether the receiver gets no more: it has gone, or its token is not valid any more. */
  boolean isBroken() {
    return broken || revoked;
  }

  /** Looks whether the token was taken away, and returns whether the receiver gets no more. */
  boolean isRevoked() {
    revoked |= !admission.isValid();
    return revoked;
  }

  /** Whether a part of it is on its way, so that its status cannot change any more. */
  boolean isBegun() {
    return begun;
  }

  /** Adds a text; returns whether the receiver gets more. */
  boolean write(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (length + bytes.length > buffer.length) {
      send();
      if (bytes.length > buffer.length) {
        send(bytes, bytes.length);
        return !isBroken();
      }
    }
    System.arraycopy(bytes, 0, buffer, length, bytes.length);
    length += bytes.length;
    return !isBroken();
  }

  /** Sends what was held back. */
  void send() {
    boolean unused = isRevoked();
    int held = length;
    length = 0;
    send(buffer, held);
  }

  /** Adds a problem as the last line. */
  void problem(String json) {
    write("{\"problem\":" + json + "}\n");
  }

  /** Sends what was held back, after the reason if this is not all because of the token. */
  void end() {
    if (revoked) {
      problem(Admission.ended().json());
    }
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
