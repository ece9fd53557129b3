// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.log4j2;

/** The reconstruction of a value's type from its text. */
final class TextTypes {
  private static final int MAX_NUMBER_LENGTH = 25;

  private TextTypes() {}

  /** A Boolean, Long or Double if Java prints one as exactly this text, else the text. */
  static Object guess(String text) {
    if (text.equals("true") || text.equals("false")) {
      return Boolean.valueOf(text);
    }
    if (text.isEmpty() || text.length() > MAX_NUMBER_LENGTH || !startsLikeNumber(text.charAt(0))) {
      return text;
    }
    try {
      if (text.indexOf('.') < 0) {
        Long number = Long.valueOf(text);
        return number.toString().equals(text) ? number : text;
      }
      Double number = Double.valueOf(text);
      return number.toString().equals(text) ? number : text;
    } catch (NumberFormatException e) {
      return text;
    }
  }

  private static boolean startsLikeNumber(char first) {
    return first == '-' || (first >= '0' && first <= '9');
  }
}
