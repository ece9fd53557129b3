// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.retroscope.rql.json.JsonValues;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonReadFeature;

/**
 * A reader of JSON that visits large lists element by element, and holds one element at a time.
 * Used by one thread.
 */
final class JsonCursor {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(Item.MAX_DEPTH + 16)
                  .maxStringLength((int) Item.MAX_BYTES)
                  .maxNumberLength(1_000)
                  .build())
          .build();

  private static final char MARK = '\uFEFF';

  private final JsonParser in;
  private long itemBytes;

  /** A step at a value; what it does not read is skipped. */
  interface Step {
    void at();
  }

  /** A step at the value of a field. */
  interface FieldStep {
    void at(String name);
  }

  /** The rest of a stream, in UTF-8 with or without a mark. */
  JsonCursor(InputStream in) {
    this.in = JSON.createParser(ObjectReadContext.empty(), characters(in));
  }

  /** The characters after the mark; other encodings are not guessed. */
  private static Reader characters(InputStream in) {
    Reader reader = new BufferedReader(new InputStreamReader(in, UTF_8.newDecoder()));
    try {
      reader.mark(1);
      if (reader.read() != MARK) {
        reader.reset();
      }
      return reader;
    } catch (CharacterCodingException e) {
      throw DocumentException.at(1, "not valid UTF-8");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Visits each value of the text. */
  void roots(Step step) {
    for (JsonToken token = next(); token != null; token = next()) {
      visit(step);
    }
  }

  boolean isObject() {
    return in.currentToken() == JsonToken.START_OBJECT;
  }

  boolean isArray() {
    return in.currentToken() == JsonToken.START_ARRAY;
  }

  /** Visits the fields of an object; a null has none. */
  void fields(FieldStep step) {
    if (!isObject()) {
      refuseUnlessNull("an object");
      return;
    }
    for (JsonToken token = required(); token != JsonToken.END_OBJECT; token = required()) {
      String name = in.currentName();
      required();
      visit(() -> step.at(name));
    }
  }

  /** Visits the elements of an array; a null has none. */
  void elements(Step step) {
    if (!isArray()) {
      refuseUnlessNull("an array");
      return;
    }
    for (JsonToken token = required(); token != JsonToken.END_ARRAY; token = required()) {
      visit(step);
    }
  }

  private void refuseUnlessNull(String wanted) {
    if (in.currentToken() != JsonToken.VALUE_NULL) {
      throw DocumentException.at(line(), "expected " + wanted);
    }
  }

  private void visit(Step step) {
    JsonToken first = in.currentToken();
    step.at();
    if (in.currentToken() == first && (isObject() || isArray())) {
      skip();
    }
  }

  /** Skips the value. */
  void skip() {
    int depth = 0;
    do {
      depth += isObject() || isArray() ? 1 : 0;
      JsonToken token = in.currentToken();
      depth -= token == JsonToken.END_OBJECT || token == JsonToken.END_ARRAY ? 1 : 0;
      if (depth > 0) {
        required();
      }
    } while (depth > 0);
  }

  /** The line of the parser's position, from 1. */
  long line() {
    return in.currentTokenLocation().getLineNr();
  }

  /** Reads the whole value. */
  Item item() {
    itemBytes = 0;
    return item(0);
  }

  private Item item(int depth) {
    charge(0);
    JsonToken token = in.currentToken();
    if (depth > Item.MAX_DEPTH) {
      throw DocumentException.at(line(), "nested deeper than " + Item.MAX_DEPTH + " levels");
    }
    return switch (token) {
      case VALUE_TRUE -> Item.of(true);
      case VALUE_FALSE -> Item.of(false);
      case VALUE_STRING -> text();
      case VALUE_NUMBER_INT -> integer();
      case VALUE_NUMBER_FLOAT -> new Item(guarded(in::getDoubleValue));
      case START_ARRAY -> {
        List<Item> elements = new ArrayList<>();
        for (JsonToken t = required(); t != JsonToken.END_ARRAY; t = required()) {
          elements.add(item(depth + 1));
        }
        yield Item.of(elements);
      }
      case START_OBJECT -> {
        Map<String, Item> fields = Item.newFields();
        for (JsonToken t = required(); t != JsonToken.END_OBJECT; t = required()) {
          String name = in.currentName();
          charge(name.length());
          required();
          fields.put(JsonValues.wellFormed(name), item(depth + 1));
        }
        yield Item.of(fields);
      }
      default -> Item.NOTHING;
    };
  }

  private Item text() {
    String text = guarded(in::getString);
    charge(text.length());
    return Item.of(text);
  }

  private Item integer() {
    return guarded(
        () ->
            in.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                ? Item.of(in.getString())
                : new Item(in.getLongValue()));
  }

  private void charge(int characters) {
    itemBytes += Item.BYTES + 2L * characters;
    if (itemBytes > Item.MAX_BYTES) {
      throw DocumentException.at(
          line(), "one element takes more than %d MiB".formatted(Item.MAX_BYTES >> 20));
    }
  }

  private JsonToken required() {
    JsonToken token = next();
    if (token == null) {
      throw DocumentException.cutOff(line());
    }
    return token;
  }

  private @Nullable JsonToken next() {
    return guarded(in::nextToken);
  }

  /** Calls the parser, which reads on within a value when its content is needed. */
  private static <T extends @Nullable Object> T guarded(Supplier<T> call) {
    try {
      return call.get();
    } catch (UnexpectedEndOfInputException e) {
      throw DocumentException.cutOff(lineOf(e));
    } catch (JacksonIOException e) {
      if (e.getCause() instanceof CharacterCodingException) {
        throw DocumentException.at(lineOf(e), "not valid UTF-8");
      }
      throw new UncheckedIOException(e.getCause());
    } catch (JacksonException e) {
      throw DocumentException.at(lineOf(e), "not valid JSON at column " + columnOf(e));
    }
  }

  private static long lineOf(JacksonException e) {
    return e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getLineNr());
  }

  private static int columnOf(JacksonException e) {
    return e.getLocation() == null ? 0 : e.getLocation().getColumnNr();
  }
}
