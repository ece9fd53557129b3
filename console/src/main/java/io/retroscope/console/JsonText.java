// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.event.Value;
import io.retroscope.rql.json.JsonValues;

/** A builder of JSON that may be inside of a script element. Used by one thread. */
final class JsonText implements CharSequence {
  private final StringBuilder text = new StringBuilder();

  /** Adds text that is JSON already. */
  JsonText raw(String json) {
    text.append(json);
    return this;
  }

  /** Adds a string; a character that could end the element is escaped. */
  JsonText string(String value) {
    text.append(
        JsonValues.text(Value.of(value))
            .replace("<", "\\u003c")
            .replace("\u2028", "\\u2028")
            .replace("\u2029", "\\u2029"));
    return this;
  }

  /** Adds a name and a colon, after a comma unless it is the first of its object. */
  JsonText name(String name) {
    return comma().string(name).raw(":");
  }

  /** Adds a number, after a comma unless it is the first of its array. */
  JsonText number(long number) {
    comma().text.append(number);
    return this;
  }

  /** Adds a comma, unless an object or an array has just begun. */
  JsonText comma() {
    int last = text.length() - 1;
    if (last >= 0 && "[{:".indexOf(text.charAt(last)) < 0) {
      text.append(',');
    }
    return this;
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public char charAt(int index) {
    return text.charAt(index);
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.subSequence(start, end);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
