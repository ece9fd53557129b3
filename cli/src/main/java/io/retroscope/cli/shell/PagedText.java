// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A result that is kept in a temporary file, with access for its user only, until it is complete.
 * Used by one thread.
 */
final class PagedText implements AutoCloseable {
  /** The maximum number of characters of a result. */
  static final long MAX_CHARACTERS = 1L << 28;

  private final Path file;
  private final PrintWriter writer;
  private final long maxCharacters;
  private long characters;
  private long lines;

  PagedText() throws IOException {
    this(MAX_CHARACTERS);
  }

  PagedText(long maxCharacters) throws IOException {
    this.maxCharacters = maxCharacters;
    file = Files.createTempFile("retroscope-answer", ".txt");
    writer = new PrintWriter(new Counter(Files.newBufferedWriter(file, StandardCharsets.UTF_8)));
  }

  PrintWriter writer() {
    return writer;
  }

  /** Whether no more rows should be added. */
  boolean full() {
    return characters >= maxCharacters;
  }

  /**
   * Shows the text: at once if it fits the screen, otherwise with the pager.
   *
   * @throws IOException if the text cannot be kept, or the pager cannot be started
   */
  void show(PrintWriter out, Pager pager) throws IOException {
    writer.flush();
    if (writer.checkError()) {
      throw new IOException("the answer does not fit the temporary folder: \\pager off");
    }
    if (lines > pager.height()) {
      pager.show(file);
      return;
    }
    out.print(Files.readString(file));
    out.flush();
  }

  @Override
  public void close() {
    writer.close();
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      file.toFile().deleteOnExit();
    }
  }

  /** Counts the written text. */
  private final class Counter extends FilterWriter {
    Counter(Writer writer) {
      super(writer);
    }

    @Override
    public void write(int c) throws IOException {
      count(c);
      out.write(c);
    }

    @Override
    public void write(char[] text, int from, int length) throws IOException {
      for (int i = from; i < from + length; i++) {
        count(text[i]);
      }
      out.write(text, from, length);
    }

    @Override
    public void write(String text, int from, int length) throws IOException {
      for (int i = from; i < from + length; i++) {
        count(text.charAt(i));
      }
      out.write(text, from, length);
    }

    private void count(int c) {
      characters++;
      lines += c == '\n' ? 1 : 0;
    }
  }
}
