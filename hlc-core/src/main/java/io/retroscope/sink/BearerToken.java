// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * The secret that authenticates a sender to a log server, fixed or in a file that may change. No
 * message contains it. Used by one thread.
 */
final class BearerToken {
  private static final int MAX_LENGTH = 8_192;

  private final @Nullable Path file;
  private String value;

  /** The file's modification time when it was last read. */
  private @Nullable FileTime modified;

  private long size;
  private @Nullable Object key;

  private BearerToken(@Nullable Path file, String value) {
    this.file = file;
    this.value = value;
  }

  /**
   * A fixed token.
   *
   * @throws IllegalArgumentException if a header cannot carry it
   */
  static BearerToken of(String token) {
    if (!isToken(token)) {
      throw new IllegalArgumentException(
          "a token must have 1 to "
              + MAX_LENGTH
              + " visible ASCII characters: this one has "
              + token.length()
              + " characters");
    }
    return new BearerToken(null, token);
  }

  /**
   * The token in the file, without surrounding white space; the file is read again when it changes.
   */
  static BearerToken in(Path file) {
    return new BearerToken(file, "");
  }

  private static boolean isToken(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_LENGTH
        && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
  }

  /**
   * The current token.
   *
   * @throws IOException if the file contains no token; the message names the file
   */
  String value() throws IOException {
    if (file != null) {
      readIfChanged(file);
    }
    return value;
  }

  private void readIfChanged(Path from) throws IOException {
    BasicFileAttributes now;
    try {
      now = Files.readAttributes(from, BasicFileAttributes.class);
    } catch (IOException e) {
      modified = null;
      throw new IOException("cannot read the token file " + from + ": " + reason(e), e);
    }
    if (now.lastModifiedTime().equals(modified)
        && now.size() == size
        && String.valueOf(now.fileKey()).equals(String.valueOf(key))) {
      return;
    }
    String text = read(from);
    if (!isToken(text)) {
      throw new IOException(
          "the token file "
              + from
              + " must hold visible ASCII characters only, up to "
              + MAX_LENGTH);
    }
    value = text;
    modified = now.lastModifiedTime();
    size = now.size();
    key = now.fileKey();
  }

  private static String read(Path from) throws IOException {
    try (InputStream in = new FileInputStream(from.toFile())) {
      return new String(in.readNBytes(2 * MAX_LENGTH), StandardCharsets.UTF_8).strip();
    }
  }

  private static String reason(IOException e) {
    return e.getClass().getSimpleName();
  }

  @Override
  public String toString() {
    return file == null ? "a token" : "the token in " + file;
  }
}
