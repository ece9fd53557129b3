// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import java.io.ByteArrayOutputStream;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.databind.json.JsonMapper;

/**
 * The texts of single JSON values. All JSON that is not a row goes through here; rows, which are
 * many, share one generator in a {@link JsonBuffer}.
 */
public final class JsonText {
  private JsonText() {}

  /**
   * Returns the text of one value.
   *
   * @param value writes the value
   */
  public static String of(Consumer<JsonGenerator> value) {
    StringWriter text = new StringWriter(128);
    try (JsonGenerator out = JsonValues.JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      value.accept(out);
    }
    return text.toString();
  }

  /**
   * Returns the text of one object.
   *
   * @param fields writes the names and values
   */
  public static String object(Consumer<JsonGenerator> fields) {
    return of(out -> writeObject(out, fields));
  }

  /**
   * Returns the text of an object with more members.
   *
   * @param fields writes the names and values that come first, at least one
   * @param object the text of an object with a member
   */
  public static String before(String object, Consumer<JsonGenerator> fields) {
    String first = object(fields);
    return first.substring(0, first.length() - 1) + "," + object.substring(1);
  }

  /**
   * Returns the text of one object in UTF-8.
   *
   * @param fields writes the names and values
   */
  public static byte[] utf8Object(Consumer<JsonGenerator> fields) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = JsonValues.JSON.createGenerator(ObjectWriteContext.empty(), bytes)) {
      writeObject(out, fields);
    }
    return bytes.toByteArray();
  }

  /**
   * Writes an array with one element per line, for readers and for comparisons by line.
   *
   * @param elements JSON values
   */
  public static void lines(String name, Stream<String> elements, JsonGenerator out) {
    List<String> all = elements.toList();
    out.writeArrayPropertyStart(name);
    all.forEach(element -> out.writeRawValue("\n" + element));
    out.writeRaw(all.isEmpty() ? "" : "\n");
    out.writeEndArray();
  }

  /** Returns the text of an object of maps, lists, texts, numbers and booleans. */
  public static String tree(Map<String, Object> object) {
    return JsonMapper.shared().writeValueAsString(object);
  }

  private static void writeObject(JsonGenerator out, Consumer<JsonGenerator> fields) {
    out.writeStartObject();
    fields.accept(out);
    out.writeEndObject();
  }
}
