// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * The tokens of a server, and their holders. Immutable.
 *
 * <p>Each line contains a name for display, roles, the token, and optional limits.
 *
 * <pre>
 *   # name    roles       token
 *   web       write       6vVQ0c...  events/s=10000 bytes/s=5000000
 *   grafana   read        bC3k1x...  queries=2 streams=4
 *   operator  write,admin 9fJm2s...
 * </pre>
 *
 * Several lines may have one name: while a token is replaced, the old and the new one are valid.
 */
final class TokenList {
  /** Shorter tokens can be guessed. */
  static final int MIN_TOKEN_LENGTH = 16;

  private static final String ROLES = "write, read and admin";
  private static final Pattern NAME = Pattern.compile("[\\w.@-]{1,64}");
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]{1,8192}");

  private final List<Entry> entries;

  /**
   * A token's digest, so that the duration of a comparison reveals neither its text nor its length.
   */
  private static final class Entry {
    final byte[] digest;
    final Caller caller;

    Entry(byte[] digest, Caller caller) {
      this.digest = digest;
      this.caller = caller;
    }
  }

  private TokenList(List<Entry> entries) {
    this.entries = List.copyOf(entries);
  }

  /**
   * Parses a list.
   *
   * @param origin the file or variable that contains the text
   * @throws IllegalArgumentException if a line is invalid; the message contains its number and no
   *     token
   */
  static TokenList parse(String text, String origin, LongSupplier nanos) {
    List<Entry> entries = new ArrayList<>();
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        try {
          entries.add(entry(line.split("\\s+"), nanos));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException(
              "%s, line %d: %s".formatted(origin, i + 1, e.getMessage()));
        }
      }
    }
    if (entries.isEmpty()) {
      throw new IllegalArgumentException(
          origin + " contains no token: write a line such as \"operator admin TOKEN\"");
    }
    return new TokenList(entries);
  }

  private static Entry entry(String[] words, LongSupplier nanos) {
    if (words.length < 3) {
      throw new IllegalArgumentException(
          "expected a name, roles and a token, with spaces between them");
    }
    if (!NAME.matcher(words[0]).matches()) {
      throw new IllegalArgumentException(
          "a name has up to 64 letters, digits, and . _ @ - and this one is not such a name");
    }
    String token = words[2];
    if (token.length() < MIN_TOKEN_LENGTH || !TOKEN.matcher(token).matches()) {
      throw new IllegalArgumentException(
          "a token has at least %d visible ASCII characters: make one with openssl rand -hex 32"
              .formatted(MIN_TOKEN_LENGTH));
    }
    Map<String, String> limits = new HashMap<>();
    for (int i = 3; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("a limit is written like events/s=1000");
      }
      limits.put(words[i].substring(0, equals), words[i].substring(equals + 1));
    }
    Quota quota = new Quota(QuotaLimits.of(limits), nanos);
    return new Entry(digest(token), new Caller(words[0], roles(words[1]), true, quota));
  }

  private static Set<Role> roles(String words) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    for (String word : words.split(",", -1)) {
      switch (word.toLowerCase(Locale.ROOT)) {
        case "write" -> roles.add(Role.WRITE);
        case "read" -> roles.add(Role.READ);
        case "admin" -> roles.add(Role.ADMIN);
        default ->
            throw new IllegalArgumentException(
                "the second word must name roles, with commas between them; the roles are "
                    + ROLES);
      }
    }
    return roles;
  }

  /**
   * The holder of a token. The duration depends only on the length of the token, not on whether it
   * is known.
   */
  Optional<Caller> holder(String token) {
    byte[] digest = digest(token);
    Optional<Caller> found = Optional.empty();
    for (Entry entry : entries) {
      if (MessageDigest.isEqual(entry.digest, digest)) {
        found = Optional.of(entry.caller);
      }
    }
    return found;
  }

  int size() {
    return entries.size();
  }

  private static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
