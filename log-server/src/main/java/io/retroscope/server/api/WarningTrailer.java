// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Map;

/**
 * The field that follows the body of an answer whose text has no place for warnings. Its value is a
 * JSON array of sentences in ASCII; an answer without warnings has the value {@code []}, so that a
 * client can tell it from one whose trailer was removed on the way.
 */
final class WarningTrailer {
  static final String NAME = "X-Retroscope-Warnings";

  /** The longest value; headers of more than 8 KiB are refused by many clients. */
  private static final int MAX_CHARACTERS = 4_000;

  private WarningTrailer() {}

  /** Announces the trailer; nothing of the answer may be sent yet. */
  static void announce(HttpServletResponse response, AnswerForm form) {
    response.setHeader("Trailer", NAME);
    response.setTrailerFields(() -> Map.of(NAME, value(form.unwritten())));
  }

  static String value(List<String> sentences) {
    StringBuilder value = new StringBuilder("[");
    int written = 0;
    for (String sentence : sentences) {
      String text = (written == 0 ? "" : ",") + quoted(sentence);
      if (value.length() + text.length() > MAX_CHARACTERS) {
        int more = sentences.size() - written;
        value.append(written == 0 ? "" : ",").append("\"and ").append(more).append(" more\"");
        break;
      }
      value.append(text);
      written++;
    }
    return value.append(']').toString();
  }

  private static String quoted(String sentence) {
    StringBuilder text = new StringBuilder("\"");
    for (int i = 0; i < sentence.length(); i++) {
      char c = sentence.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ' || c > '~') {
        text.append(String.format("\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    return text.append('"').toString();
  }
}
