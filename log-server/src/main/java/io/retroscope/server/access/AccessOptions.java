package io.retroscope.server.access;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The settings of access to a server. Immutable.
 *
 * @param tokenFile the file of tokens, read again when it changes
 * @param tokens tokens as text, where there is no file
 * @param publicUrl the address under which clients and browsers know the server
 * @param allowedHosts further names by which requests may call it
 * @param openMetrics whether metrics are given without a token
 * @param tls the certificate, for https; empty for http
 * @param backupFolder where backups asked for over HTTP are written; empty if none may be
 */
public record AccessOptions(
    Optional<Path> tokenFile,
    Optional<String> tokens,
    Optional<URI> publicUrl,
    List<String> allowedHosts,
    boolean openMetrics,
    Optional<TlsFiles> tls,
    Optional<Path> backupFolder) {
  /** The variable of the environment that tokens may be in. */
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
   * Checks that they agree.
   *
   * @throws IllegalArgumentException if they do not
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

  /** The same with a file of tokens. */
  public AccessOptions withTokenFile(Path file) {
    return new AccessOptions(
        Optional.of(file), tokens, publicUrl, allowedHosts, openMetrics, tls, backupFolder);
  }

  /** The same with TLS. */
  public AccessOptions withTls(TlsFiles files) {
    return new AccessOptions(
        tokenFile, tokens, publicUrl, allowedHosts, openMetrics, Optional.of(files), backupFolder);
  }

  /** The same with a folder for backups. */
  public AccessOptions withBackupFolder(Path folder) {
    return new AccessOptions(
        tokenFile, tokens, publicUrl, allowedHosts, openMetrics, tls, Optional.of(folder));
  }

  /** Whether a stranger is kept out, by tokens or by certificates. */
  public boolean isGuarded() {
    return tokenFile.isPresent()
        || tokens.isPresent()
        || tls.flatMap(TlsFiles::clientAuthorities).isPresent();
  }
}
