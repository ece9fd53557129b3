// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.rql.json.JsonText;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import tools.jackson.core.JsonGenerator;

/** The JSON for the pages. */
final class PageJson {
  private PageJson() {}

  /**
   * Returns the text of an object that could be inside of a script element: no text in it ends the
   * element.
   *
   * @param members writes the names and values
   */
  static String object(Consumer<JsonGenerator> members) {
    return JsonText.object(members).replace("<", "\\u003c");
  }

  /** Writes an array of texts. */
  static void texts(JsonGenerator out, String name, Stream<String> texts) {
    out.writeArrayPropertyStart(name);
    texts.forEach(out::writeString);
    out.writeEndArray();
  }

  /** Writes a number, or null if there is none. */
  static void number(JsonGenerator out, OptionalLong number) {
    if (number.isPresent()) {
      out.writeNumber(number.getAsLong());
    } else {
      out.writeNull();
    }
  }
}
