// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import java.io.Writer;
import java.util.Arrays;
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

  private char[] text = new char[256];
  private int length;
  private JsonGenerator generator = generator();

  /** A receiver of texts. */
  @FunctionalInterface
  public interface Out {
    /**
     * Takes a text, the first characters of an array that is used again afterwards.
     *
     * @return whether more is wanted
     */
    boolean write(char[] text, int length);

    /** Takes a text; returns whether more is wanted. */
    default boolean write(String text) {
      return write(text.toCharArray(), text.length());
    }
  }

  /**
   * Returns the text of one JSON value.
   *
   * @param value writes the value
   */
  public String text(Consumer<JsonGenerator> value) {
    try {
      write(value);
      return new String(text, 0, length);
    } finally {
      clear();
    }
  }

  /**
   * Writes one JSON value and a line end, all at once and only if the value is complete.
   *
   * @param value writes the value
   * @return whether more is wanted
   */
  public boolean line(Consumer<JsonGenerator> value, Out to) {
    try {
      write(value);
      append('\n');
      return to.write(text, length);
    } finally {
      clear();
    }
  }

  private void write(Consumer<JsonGenerator> value) {
    boolean complete = false;
    try {
      value.accept(generator);
      generator.flush();
      complete = true;
    } finally {
      if (!complete) {
        generator = generator(); // The other one still is within the value that failed.
      }
    }
  }

  private void append(char character) {
    ensure(1);
    text[length++] = character;
  }

  private void ensure(int count) {
    if (count > text.length - length) {
      text = Arrays.copyOf(text, Math.max(length + count, 2 * length));
    }
  }

  private void clear() {
    length = 0;
    if (text.length > MAX_KEPT_CHARS) {
      text = new char[256];
    }
  }

  private JsonGenerator generator() {
    return JsonValues.JSON.createGenerator(ObjectWriteContext.empty(), new Text());
  }

  private final class Text extends Writer {
    @Override
    public void write(char[] characters, int from, int count) {
      ensure(count);
      System.arraycopy(characters, from, text, length, count);
      length += count;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
