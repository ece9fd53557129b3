// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.access.TlsFiles;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options for the permissions of clients and for the addresses of a log server. */
public final class AccessOption {
  @Option(
      names = "--tokens",
      paramLabel = "FILE",
      description = {
        "The accepted tokens, one per line: NAME ROLES TOKEN;",
        "roles are write, read and admin",
        "(default: the lines in $RETROSCOPE_TOKENS, or else no token is required)."
      })
  private Optional<Path> tokens = Optional.empty();

  @Option(
      names = "--public-url",
      paramLabel = "URL",
      description = "The URL of the server for browsers, if it runs behind a proxy.")
  private Optional<URI> publicUrl = Optional.empty();

  @Option(
      names = "--allow-host",
      paramLabel = "NAME",
      description = "A further host name in requests that the server accepts; may be repeated.")
  private List<String> allowedHosts = List.of();

  @Option(names = "--open-metrics", description = "Serve /metrics without a token.")
  private boolean openMetrics;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE.pem",
      description = "The certificate for https, followed by those of intermediate authorities.")
  private Optional<Path> certificate = Optional.empty();

  @Option(
      names = "--tls-key",
      paramLabel = "FILE.pem",
      description = "The certificate's private key.")
  private Optional<Path> key = Optional.empty();

  @Option(
      names = "--tls-client-ca",
      paramLabel = "FILE.pem",
      description = "Accept only clients with a certificate of these authorities.")
  private Optional<Path> clientAuthorities = Optional.empty();

  @Option(
      names = "--backup-dir",
      paramLabel = "FOLDER",
      description = "Allow backups over HTTP, each into a subfolder of this one.")
  private Optional<Path> backups = Optional.empty();

  /**
   * The options.
   *
   * @throws IllegalArgumentException if they contradict each other
   */
  public AccessOptions options() {
    Optional<String> environment =
        Optional.ofNullable(System.getenv(AccessOptions.TOKENS_VARIABLE))
            .filter(text -> !text.isBlank());
    return new AccessOptions(
        tokens, environment, publicUrl, allowedHosts, openMetrics, tls(), backups);
  }

  private Optional<TlsFiles> tls() {
    if (certificate.isPresent() && key.isPresent()) {
      return Optional.of(new TlsFiles(certificate.get(), key.get(), clientAuthorities));
    }
    if (certificate.isPresent() || key.isPresent() || clientAuthorities.isPresent()) {
      throw new IllegalArgumentException("TLS requires both --tls-cert and --tls-key");
    }
    return Optional.empty();
  }
}
