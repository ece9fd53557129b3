// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The settings of access to a server. Immutable.
 *
 * @param tokenFile the file of tokens, read again when it changes
 * @param tokens tokens as text, if there is no file
 * @param publicUrl the URL under which clients and browsers reach the server
 * @param allowedHosts further names by which requests may address it
 * @param openMetrics whether metrics are served without a token
 * @param tls the certificate, for https; empty for http
 * @param backupFolder the folder for backups that are requested over HTTP; empty if none are
 *     allowed
 */
public record AccessOptions(
    Optional<Path> tokenFile,
    Optional<String> tokens,
    Optional<URI> publicUrl,
    List<String> allowedHosts,
    boolean openMetrics,
    Optional<TlsFiles> tls,
    Optional<Path> backupFolder) {
  /** The environment variable that may contain tokens. */
  public static final String TOKENS_VARIABLE = "RETROSCOPE_TOKENS";

  /** No tokens, plain http. */
  public static final AccessOptions DEFAULT =
      new AccessOptions(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          List.of(),
          false,
          Optional.empty(),
          Optional.empty());

  /**
   * Checks that the settings are consistent.
   *
   * @throws IllegalArgumentException if they are not
   */
  public AccessOptions {
    allowedHosts = List.copyOf(allowedHosts);
    if (tokenFile.isPresent() && tokens.isPresent()) {
      throw new IllegalArgumentException(
          "tokens come from a file or from " + TOKENS_VARIABLE + ", not from both");
    }
    if (publicUrl.isPresent() && publicUrl.get().getHost() == null) {
      throw new IllegalArgumentException(
          "the public URL must be like https://logs.example.com: " + publicUrl.get());
    }
  }

  /** A copy with a file of tokens. */
  public AccessOptions withTokenFile(Path file) {
    return new AccessOptions(
        Optional.of(file), tokens, publicUrl, allowedHosts, openMetrics, tls, backupFolder);
  }

  /** A copy with a further name by which requests may address the server. */
  public AccessOptions withAllowedHost(String name) {
    List<String> names = new ArrayList<>(allowedHosts);
    names.add(name);
    return new AccessOptions(tokenFile, tokens, publicUrl, names, openMetrics, tls, backupFolder);
  }

  /** Whether tokens or client certificates are required. */
  public boolean isGuarded() {
    return tokenFile.isPresent()
        || tokens.isPresent()
        || tls.flatMap(TlsFiles::clientAuthorities).isPresent();
  }
}
