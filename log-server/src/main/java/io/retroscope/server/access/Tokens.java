// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The current tokens, from a file that may change or from the environment. If there are none, every
 * caller has all permissions. Thread-safe.
 */
public final class Tokens {
  private static final Logger logger = LoggerFactory.getLogger(Tokens.class);
  private static final Pattern BEARER =
      Pattern.compile("bearer +(\\S+) *", Pattern.CASE_INSENSITIVE);
  private static final int MAX_FILE_BYTES = 1 << 20;

  private final Optional<Path> file;
  private final LongSupplier nanos;
  private volatile Optional<TokenList> list;
  private String text = "";

  /** The last problem with the file, so that it is logged once. */
  private String trouble = "";

  private Tokens(Optional<Path> file, Optional<TokenList> list, LongSupplier nanos) {
    this.file = file;
    this.list = list;
    this.nanos = nanos;
  }

  /** No tokens: every caller that reaches the server has all permissions. */
  public static Tokens none() {
    return new Tokens(Optional.empty(), Optional.empty(), () -> 0);
  }

  /**
   * Fixed tokens.
   *
   * @param text the lines of a list; a semicolon may end a line as well
   * @param origin the source of the text, for messages
   * @throws IllegalArgumentException if a line is invalid; the message contains no token
   */
  public static Tokens of(String text, String origin, LongSupplier nanos) {
    TokenList list = TokenList.parse(text.replace(';', '\n'), origin, nanos);
    return new Tokens(Optional.empty(), Optional.of(list), nanos);
  }

  /**
   * The tokens of a file.
   *
   * @throws IllegalArgumentException if it cannot be used; the message contains its name and the
   *     remedy
   */
  public static Tokens in(Path file, LongSupplier nanos) {
    Tokens tokens = new Tokens(Optional.of(file), Optional.empty(), nanos);
    tokens.read(file);
    return tokens;
  }

  /**
   * The caller of a request.
   *
   * @param authorization the header, if there is one
   */
  public Caller caller(Optional<String> authorization) {
    Optional<TokenList> known = list;
    if (known.isEmpty()) {
      return Caller.ANYBODY;
    }
    return authorization
        .map(BEARER::matcher)
        .filter(Matcher::matches)
        .flatMap(header -> known.get().holder(header.group(1)))
        .orElse(Caller.STRANGER);
  }

  /**
   * Reads the file again. If it cannot be used, the old tokens remain valid and the problem is
   * logged once.
   */
  public synchronized void refresh() {
    if (file.isEmpty()) {
      return;
    }
    try {
      if (read(file.get())) {
        logger.info("{} tokens read from {}", list.map(TokenList::size).orElse(0), file.get());
      }
      trouble = "";
    } catch (IllegalArgumentException e) {
      String now = String.valueOf(e.getMessage());
      if (!now.equals(trouble)) {
        logger.error("the tokens stay as they were: {}", now);
      }
      trouble = now;
    }
  }

  /** Whether the file has changed. */
  private synchronized boolean read(Path from) {
    String now;
    try (InputStream in = new FileInputStream(from.toFile())) {
      checkMode(from);
      now = new String(in.readNBytes(MAX_FILE_BYTES), StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException("there is no file " + from, e);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read the tokens: " + e.getMessage(), e);
    }
    if (now.equals(text)) {
      return false;
    }
    list = Optional.of(TokenList.parse(now, from.toString(), nanos));
    text = now;
    return true;
  }

  /**
   * Refuses a file that all users of the machine can read.
   *
   * @throws IllegalArgumentException if they can read or change it; the message has the remedy
   * @throws IOException if there is no such file
   */
  public static void checkMode(Path file) throws IOException {
    Set<PosixFilePermission> mode;
    try {
      mode = Files.getPosixFilePermissions(file);
    } catch (UnsupportedOperationException e) {
      return; // Not a POSIX system.
    }
    if (mode.contains(PosixFilePermission.OTHERS_READ)
        || mode.contains(PosixFilePermission.OTHERS_WRITE)
        || mode.contains(PosixFilePermission.GROUP_WRITE)) {
      throw new IllegalArgumentException(
          "other users can read or change " + file + ": chmod 600 " + file);
    }
  }
}
