package io.retroscope.rql.json;

import java.io.Writer;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * A buffer in which JSON texts are written one after another, with one generator for all of them:
 * making a generator costs as much as writing a row. Its memory is that of the longest text so far,
 * up to a limit. Used by one thread.
 */
public final class JsonBuffer {
  private static final int MAX_KEPT_CHARS = 1 << 16;

  private StringBuilder text = new StringBuilder();
  private JsonGenerator generator = generator();

  /**
   * Returns the text of one JSON value.
   *
   * @param value writes the value
   */
  public String text(Consumer<JsonGenerator> value) {
    boolean complete = false;
    try {
      value.accept(generator);
      generator.flush();
      complete = true;
      return text.toString();
    } finally {
      if (!complete) {
        generator = generator(); // The other one still is within the value that failed.
      }
      if (text.capacity() > MAX_KEPT_CHARS) {
        text = new StringBuilder();
      } else {
        text.setLength(0);
      }
    }
  }

  private JsonGenerator generator() {
    return JsonValues.JSON.createGenerator(ObjectWriteContext.empty(), new Text());
  }

  private final class Text extends Writer {
    @Override
    public void write(char[] characters, int from, int length) {
      text.append(characters, from, length);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
