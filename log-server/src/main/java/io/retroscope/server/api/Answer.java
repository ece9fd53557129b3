// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.json.JsonBuffer;
import io.retroscope.rql.json.ProblemJson;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The body of an answer while it is written. Its beginning is buffered, so that a query which fails
 * early can still set the status. Used by one thread.
 */
final class Answer implements JsonBuffer.Out {
  private static final int HELD_BYTES = 64 * 1024;

  private final HttpServletResponse response;
  private final Admission admission;
  private final String contentType;
  private final Runnable beforeSending;
  private final byte[] buffer = new byte[HELD_BYTES];
  private int length;
  private boolean begun;
  private boolean broken;
  private boolean revoked;

  /** An answer to a request of which nothing is sent yet. */
  Answer(Context context, String contentType) {
    this(context, contentType, () -> {});
  }

  /**
   * An answer of which nothing is sent yet.
   *
   * @param beforeSending runs each time before bytes are sent, which may wait for the receiver
   */
  Answer(Context context, String contentType, Runnable beforeSending) {
    this.response = context.res();
    this.admission = Admission.of(context);
    this.contentType = contentType;
    this.beforeSending = beforeSending;
  }

  /** Whether the client gets no more: it is gone, or its token is no longer valid. */
  boolean isBroken() {
    return broken || revoked;
  }

  /** Looks whether the token was taken away, and returns whether the receiver gets no more. */
  boolean isRevoked() {
    revoked |= !admission.isValid();
    return revoked;
  }

  /** Whether a part has been sent, so that the status can no longer change. */
  boolean isBegun() {
    return begun;
  }

  /** Appends a text; returns whether the client gets more. */
  @Override
  public boolean write(String text) {
    return write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Appends a text; returns whether the client gets more. */
  @Override
  public boolean write(char[] text, int count) {
    if (count > buffer.length) {
      return write(new String(text, 0, count));
    }
    if (length + count > buffer.length) {
      send();
    }
    if (!copyAscii(text, count, buffer, length)) {
      return write(new String(text, 0, count));
    }
    length += count;
    return !isBroken();
  }

  /** Copies characters as bytes; returns false, and the bytes are useless, if one is not ASCII. */
  private static boolean copyAscii(char[] text, int count, byte[] to, int at) {
    int all = 0;
    for (int i = 0; i < count; i++) {
      all |= text[i];
      to[at + i] = (byte) text[i];
    }
    return all < 0x80;
  }

  private boolean write(byte[] bytes) {
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

  /** Sends the buffered text. */
  void send() {
    boolean unused = isRevoked();
    int held = length;
    length = 0;
    send(buffer, held);
  }

  /** Appends a problem, as the last line. */
  void problem(String json) {
    write(ProblemJson.line(json));
  }

  /** Sends the buffered text, with a problem at its end if the token is no longer valid. */
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
