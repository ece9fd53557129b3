// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import io.retroscope.event.Value;
import io.retroscope.rql.json.JsonValues;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One value of JSON or EDN, whose lists keep their order. Immutable.
 *
 * @param content null, a boolean, a long, a double, a string, a list or a map
 */
record Item(@Nullable Object content) {
  /** The most levels of lists and maps within one value. */
  static final int MAX_DEPTH = 150;

  /** The most memory of one value. */
  static final long MAX_BYTES = 16L << 20;

  /** The approximate memory of an item without its characters. */
  static final int BYTES = 64;

  /** The absence of a value. */
  static final Item NOTHING = new Item(null);

  private static final Item TRUE = new Item(true);
  private static final Item FALSE = new Item(false);

  static Item of(boolean truth) {
    return truth ? TRUE : FALSE;
  }

  /** A text, in which half a character is replaced. */
  static Item of(String text) {
    return new Item(JsonValues.wellFormed(text));
  }

  /** Elements, which are not changed any more. */
  static Item of(List<Item> elements) {
    return new Item(elements);
  }

  /** Fields, which are not changed any more. */
  static Item of(Map<String, Item> fields) {
    return new Item(fields);
  }

  boolean isNothing() {
    return content == null;
  }

  boolean isMap() {
    return content instanceof Map;
  }

  boolean isList() {
    return content instanceof List;
  }

  boolean isNumber() {
    return content instanceof Long || content instanceof Double;
  }

  /** The value of a field; nothing if this is no map or does not have it. */
  Item get(String name) {
    return fields().getOrDefault(name, NOTHING);
  }

  /** The fields of a map; none if it is anything else. */
  @SuppressWarnings("unchecked")
  Map<String, Item> fields() {
    return content instanceof Map<?, ?> map ? (Map<String, Item>) map : Map.of();
  }

  /** The elements of a list; none if it is anything else. */
  @SuppressWarnings("unchecked")
  List<Item> elements() {
    return content instanceof List<?> list ? (List<Item>) list : List.of();
  }

  /** The text of a string, number or boolean; empty if it is anything else. */
  String text() {
    return content == null || isMap() || isList() ? "" : content.toString();
  }

  /** The integer that this is or whose digits it has. */
  Optional<Long> integer() {
    if (content instanceof Long number) {
      return Optional.of(number);
    }
    if (content instanceof Double number && number == Math.rint(number)) {
      return Math.abs(number) < 0x1p53 ? Optional.of(number.longValue()) : Optional.empty();
    }
    try {
      return content instanceof String digits
          ? Optional.of(
              digits.length() > 18 ? Long.parseUnsignedLong(digits) : Long.parseLong(digits))
          : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Whether this is true, also as a text. */
  boolean isTrue() {
    return text().equalsIgnoreCase("true");
  }

  /** The value of an event; a list becomes the text of its JSON, because a set has no order. */
  Value value() {
    if (content instanceof Boolean truth) {
      return Value.of(truth);
    }
    if (content instanceof Long number) {
      return Value.of(number);
    }
    if (content instanceof Double number) {
      return Value.of(number);
    }
    if (content instanceof String text) {
      return Value.of(text);
    }
    return content == null ? Value.NullValue.NULL : Value.of(json());
  }

  /** The JSON text. */
  String json() {
    StringBuilder out = new StringBuilder();
    write(out);
    return out.toString();
  }

  private void write(StringBuilder out) {
    if (isMap()) {
      List<String> parts = new ArrayList<>();
      fields()
          .forEach((name, item) -> parts.add(JsonValues.text(Value.of(name)) + ":" + item.json()));
      out.append('{').append(String.join(",", parts)).append('}');
    } else if (isList()) {
      List<String> parts = new ArrayList<>();
      elements().forEach(item -> parts.add(item.json()));
      out.append('[').append(String.join(",", parts)).append(']');
    } else {
      out.append(JsonValues.text(value()));
    }
  }

  /** A map under construction. */
  static Map<String, Item> newFields() {
    return new LinkedHashMap<>();
  }
}
