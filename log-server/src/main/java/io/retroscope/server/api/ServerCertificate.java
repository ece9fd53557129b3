package io.retroscope.server.api;

import io.retroscope.server.access.TlsFiles;
import io.retroscope.sink.PemTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's certificate and key, from files that may change. Thread-safe. */
final class ServerCertificate {
  private static final Logger logger = LoggerFactory.getLogger(ServerCertificate.class);

  private final TlsFiles files;
  private final SslContextFactory.Server factory = new SslContextFactory.Server();

  /** A hash of the files' contents when they were last read. */
  private int read;

  /** The last problem with the files, so that it is logged once. */
  private String trouble = "";

  /**
   * The certificate in the files.
   *
   * @throws IllegalArgumentException if they cannot be used; the message names one and the remedy
   */
  ServerCertificate(TlsFiles files) {
    this.files = files;
    read = content();
    use(factory);
    factory.setNeedClientAuth(files.clientAuthorities().isPresent());
  }

  SslContextFactory.Server factory() {
    return factory;
  }

  private void use(SslContextFactory target) {
    target.setSslContext(
        PemTls.context(files.clientAuthorities().orElse(null), files.certificate(), files.key()));
  }

  /**
   * Uses the files' certificate for new connections if it has changed. If the files cannot be used,
   * for example while only one of them has been replaced, the old certificate is kept and the
   * problem is logged once.
   */
  synchronized void refresh() {
    try {
      int now = content();
      if (now != read) {
        factory.reload(this::use);
        read = now;
        logger.info("the certificate was read again from {}", files.certificate());
      }
      trouble = "";
    } catch (Exception e) {
      String reason = String.valueOf(e.getMessage());
      if (!reason.equals(trouble)) {
        logger.error("the certificate stays as it was: {}", reason);
      }
      trouble = reason;
    }
  }

  private int content() {
    return Stream.of(
            Optional.of(files.certificate()), Optional.of(files.key()), files.clientAuthorities())
        .flatMap(Optional::stream)
        .mapToInt(ServerCertificate::hash)
        .reduce(1, (all, one) -> 31 * all + one);
  }

  private static int hash(Path file) {
    try {
      return Arrays.hashCode(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }
}
