// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import io.retroscope.sink.Transport.Delivery;
import java.util.regex.Pattern;

/** The meaning of a log server's answer to a batch, over POST and over a socket. */
final class ServerAnswer {
  private static final Pattern ACCEPTED =
      Pattern.compile("\\s*\\{\\s*\"accepted\"\\s*:\\s*\\d+\\s*[,}].*", Pattern.DOTALL);

  private static final Pattern UNPRINTABLE = Pattern.compile("[\\s\\p{Cntrl}]+");
  private static final int MAX_EXCERPT_LENGTH = 300;

  private ServerAnswer() {}

  /**
   * The outcome of a batch. A success response that was not written by a log server, such as that
   * of a login page, is not a success.
   */
  static Delivery delivery(int status, String body) {
    String reason = "status " + status + excerpt(body);
    if (status >= 200 && status < 300) {
      return ACCEPTED.matcher(body).matches()
          ? Delivery.DELIVERED
          : Delivery.retry("not a log server's answer: " + reason);
    }
    return switch (status) {
      case 409 -> Delivery.conflict(reason);
      case 400, 413, 422 -> Delivery.refused(reason);
      default -> Delivery.retry(reason);
    };
  }

  /**
   * The outcome of a redirect, which is not followed because a batch is sent only to the configured
   * address.
   */
  static Delivery redirect(int status, String location) {
    return Delivery.retry(
        "status %d: it redirects to %s; set the address of the log server itself"
            .formatted(status, line(location)));
  }

  private static String excerpt(String body) {
    String line = line(body);
    return line.isEmpty() ? "" : ": " + line;
  }

  /** The beginning of an arbitrary text, made safe for a message. */
  static String line(String text) {
    String line = UNPRINTABLE.matcher(text).replaceAll(" ").strip();
    return line.length() <= MAX_EXCERPT_LENGTH
        ? line
        : line.substring(0, MAX_EXCERPT_LENGTH) + "...";
  }
}
