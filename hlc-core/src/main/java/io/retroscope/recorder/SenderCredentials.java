// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.sink.HttpSinkBuilder;
import io.retroscope.sink.PemTls;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The settings by which a log server knows a recorder, and a recorder its log server. */
record SenderCredentials(Settings settings, boolean strict, List<String> problems) {
  /**
   * Applies the configured credentials.
   *
   * @throws IllegalArgumentException if something cannot be used, in strict mode only
   */
  void addTo(HttpSinkBuilder http) {
    attempt("token", "events are sent without a token", () -> setToken(http));
    attempt("ca", "the JVM's trust is used", () -> setTls(http));
  }

  private void attempt(String name, String consequence, Runnable setting) {
    try {
      setting.run();
    } catch (IllegalArgumentException e) {
      if (strict) {
        throw e;
      }
      problems.add(Settings.names(name) + ": " + e.getMessage() + "; " + consequence);
    }
  }

  /** The token is not parsed as other settings are, because messages must not hold it. */
  private void setToken(HttpSinkBuilder http) {
    settings.text("token").ifPresent(http::token);
    file("token.file").ifPresent(http::tokenFile);
  }

  private void setTls(HttpSinkBuilder http) {
    Optional<Path> authorities = file("ca");
    Optional<Path> certificate = file("cert");
    Optional<Path> key = file("key");
    if (certificate.isPresent() != key.isPresent()) {
      throw new IllegalArgumentException("a certificate and its key are needed together");
    }
    if (authorities.isPresent() || certificate.isPresent()) {
      http.sslContext(
          PemTls.context(authorities.orElse(null), certificate.orElse(null), key.orElse(null)));
    }
  }

  private Optional<Path> file(String name) {
    return settings.parsed(name, "a file's path", Path::of);
  }
}
