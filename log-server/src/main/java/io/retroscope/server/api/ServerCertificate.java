// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.access.TlsFiles;
import io.retroscope.sink.PemTls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Date;
import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's certificate and key, from files that may change. Thread-safe. */
final class ServerCertificate {
  /** The time before its end from which on a certificate is logged. */
  private static final Duration EARLY = Duration.ofDays(14);

  private static final Logger logger = LoggerFactory.getLogger(ServerCertificate.class);

  private final TlsFiles files;
  private final PhysicalClock clock;
  private final SslContextFactory.Server factory = new SslContextFactory.Server();

  /** A hash of the files' contents when they were last read. */
  private int read;

  /** The last problem with the files, so that it is logged once. */
  private String trouble = "";

  /** The certificate that is shown, without its chain. */
  private X509Certificate shown;

  /** The last sentence about its end, so that it is logged once. */
  private String ending = "";

  /**
   * The certificate in the files.
   *
   * @throws IllegalArgumentException if they cannot be used; the message names one and the remedy
   */
  ServerCertificate(TlsFiles files, PhysicalClock clock) {
    this.files = files;
    this.clock = clock;
    read = content();
    shown = first(files.certificate());
    use(factory);
    warn();
    factory.setNeedClientAuth(files.clientAuthorities().isPresent());
  }

  SslContextFactory.Server factory() {
    return factory;
  }

  /** The name in the certificate that is shown. */
  synchronized String subject() {
    return shown.getSubjectX500Principal().getName();
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
        X509Certificate fresh = first(files.certificate());
        if (!isValid(fresh) && isValid(shown)) {
          throw new IllegalArgumentException(
              "%s holds a certificate that is valid from %s to %s only"
                  .formatted(
                      files.certificate(),
                      fresh.getNotBefore().toInstant(),
                      fresh.getNotAfter().toInstant()));
        }
        factory.reload(this::use);
        shown = fresh;
        read = now;
        logger.info("the certificate was read again from {}", files.certificate());
      }
      trouble = "";
      warn();
    } catch (Exception e) {
      String reason = String.valueOf(e.getMessage());
      if (!reason.equals(trouble)) {
        logger.error("the certificate stays as it was: {}", reason);
      }
      trouble = reason;
    }
  }

  private static X509Certificate first(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    } catch (IOException | CertificateException e) {
      throw new IllegalArgumentException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private Instant now() {
    return Instant.EPOCH.plus(clock.micros(), ChronoUnit.MICROS);
  }

  private boolean isValid(X509Certificate certificate) {
    try {
      certificate.checkValidity(Date.from(now()));
      return true;
    } catch (CertificateException e) {
      return false;
    }
  }

  /** Logs once that clients will refuse the certificate, or do so already. */
  private void warn() {
    Instant end = shown.getNotAfter().toInstant();
    boolean isValid = isValid(shown);
    boolean soon = now().plus(EARLY).isAfter(end);
    String sentence =
        isValid && !soon
            ? ""
            : "the certificate in %s is valid from %s to %s: clients %s"
                .formatted(
                    files.certificate(),
                    shown.getNotBefore().toInstant(),
                    end,
                    isValid ? "will refuse it then; replace it before" : "refuse it; replace it");
    if (!sentence.isEmpty() && !sentence.equals(ending)) {
      logger.warn(sentence);
    }
    ending = sentence;
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
