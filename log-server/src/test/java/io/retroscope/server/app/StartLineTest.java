// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.access.TlsFiles;
import io.retroscope.server.health.Release;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StartLineTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final TlsFiles TLS =
      new TlsFiles(Path.of("own.pem"), Path.of("key.pem"), Optional.empty());

  private static String line(AccessOptions access) {
    return StartLine.of(ServerConfig.in(Path.of("data")).access(access).build(), true);
  }

  @Test
  void of_noAccessOptions_saysThatNothingIsGuarded() {
    assertThat(line(AccessOptions.DEFAULT))
        .startsWith("version=" + Release.VERSION + ", data=")
        .contains("tokens=none, tls=off, open metrics=false,")
        .contains("host=127.0.0.1", "retention=on");
  }

  @Test
  void of_tokenFileAndTls_namesTheFile() {
    AccessOptions access =
        new AccessOptions(
            Optional.of(Path.of("/etc/own/tokens")),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            false,
            Optional.of(TLS),
            Optional.empty());
    assertThat(line(access))
        .contains("tokens=from /etc/own/tokens, tls=on, open metrics=false,")
        .doesNotContain("key.pem");
  }

  @Test
  void of_tokensOfTheEnvironment_holdsNone() {
    AccessOptions access =
        new AccessOptions(
            Optional.empty(),
            Optional.of("operator admin " + SECRET),
            Optional.empty(),
            List.of(),
            true,
            Optional.of(new TlsFiles(TLS.certificate(), TLS.key(), Optional.of(Path.of("ca")))),
            Optional.empty());
    assertThat(line(access))
        .contains(
            "tokens=from the environment, tls=on, with clients' certificates, open metrics=true,")
        .doesNotContain(SECRET);
  }
}
