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
        "The tokens that are let in, a line for each: NAME ROLES TOKEN;",
        "roles are write, read and admin",
        "(default: the lines in $RETROSCOPE_TOKENS, or else everybody may do everything)."
      })
  private Optional<Path> tokens = Optional.empty();

  @Option(
      names = "--public-url",
      paramLabel = "URL",
      description = "The address by which browsers know the server, behind a proxy.")
  private Optional<URI> publicUrl = Optional.empty();

  @Option(
      names = "--allow-host",
      paramLabel = "NAME",
      description = "A further name by which clients may call the server; may repeat.")
  private List<String> allowedHosts = List.of();

  @Option(names = "--open-metrics", description = "Give metrics without a token.")
  private boolean openMetrics;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE.pem",
      description = "The certificate for https, with those of intermediate authorities.")
  private Optional<Path> certificate = Optional.empty();

  @Option(
      names = "--tls-key",
      paramLabel = "FILE.pem",
      description = "The certificate's private key.")
  private Optional<Path> key = Optional.empty();

  @Option(
      names = "--tls-client-ca",
      paramLabel = "FILE.pem",
      description = "Let only clients in that have a certificate of these authorities.")
  private Optional<Path> clientAuthorities = Optional.empty();

  @Option(
      names = "--backup-dir",
      paramLabel = "FOLDER",
      description = "Allow backups over HTTP, each into a folder below this one.")
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
      throw new IllegalArgumentException("TLS needs both --tls-cert and --tls-key");
    }
    return Optional.empty();
  }
}
