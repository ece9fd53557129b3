// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The token and the certificates of a program at the command line: by them a log server knows the
 * program, and the program knows the server. No message contains the token. Thread-safe.
 */
public final class Credentials {
  /** The variable with the token itself. */
  public static final String TOKEN = "RETROSCOPE_TOKEN";

  /** The variable with the name of the file that holds the token. */
  public static final String TOKEN_FILE = "RETROSCOPE_TOKEN_FILE";

  /** The variable with the file of certificate authorities. */
  public static final String AUTHORITIES = "RETROSCOPE_CA";

  /** The variable with the file of the own certificate. */
  public static final String CERTIFICATE = "RETROSCOPE_CERT";

  /** The variable with the file of the own certificate's private key. */
  public static final String KEY = "RETROSCOPE_KEY";

  /** No token; https servers must be known to the JVM. */
  public static final Credentials NONE = new Credentials(null, null);

  private final @Nullable BearerToken token;
  private final @Nullable SSLContext tls;

  private Credentials(@Nullable BearerToken token, @Nullable SSLContext tls) {
    this.token = token;
    this.tls = tls;
  }

  /**
   * The credentials that an environment names. Where it names no token, {@code
   * ~/.config/retroscope/token} may hold one.
   *
   * @throws IllegalArgumentException if a variable or a file cannot be used; the message names it
   */
  public static Credentials of(Map<String, String> environment) {
    return new Credentials(token(environment), tls(environment));
  }

  private static @Nullable BearerToken token(Map<String, String> environment) {
    String text = environment.getOrDefault(TOKEN, "").strip();
    if (!text.isEmpty()) {
      return BearerToken.of(text);
    }
    Optional<Path> named = file(environment, TOKEN_FILE);
    if (named.isPresent()) {
      return BearerToken.in(named.get());
    }
    String home = environment.getOrDefault("HOME", "");
    String config =
        environment.getOrDefault("XDG_CONFIG_HOME", home.isEmpty() ? "" : home + "/.config");
    Path own = Path.of(config, "retroscope", "token");
    return !config.isEmpty() && Files.isRegularFile(own) ? BearerToken.in(own) : null;
  }

  private static @Nullable SSLContext tls(Map<String, String> environment) {
    Optional<Path> authorities = file(environment, AUTHORITIES);
    Optional<Path> certificate = file(environment, CERTIFICATE);
    Optional<Path> key = file(environment, KEY);
    if (certificate.isPresent() != key.isPresent()) {
      throw new IllegalArgumentException(
          "a certificate and its key are needed together: set " + CERTIFICATE + " and " + KEY);
    }
    if (authorities.isEmpty() && certificate.isEmpty()) {
      return null;
    }
    return PemTls.context(authorities.orElse(null), certificate.orElse(null), key.orElse(null));
  }

  private static Optional<Path> file(Map<String, String> environment, String variable) {
    return Optional.ofNullable(environment.get(variable))
        .filter(name -> !name.isBlank())
        .map(Path::of);
  }

  /** The servers to trust and the certificate to show; empty for what the JVM has. */
  public Optional<SSLContext> sslContext() {
    return Optional.ofNullable(tls);
  }

  /**
   * The headers that every request needs; read anew for each, because the token may change.
   *
   * @throws IOException if the token's file cannot be read; the message names it
   */
  public Map<String, String> headers() throws IOException {
    if (token == null) {
      return Map.of();
    }
    synchronized (token) {
      return Map.of("Authorization", "Bearer " + token.value());
    }
  }
}
