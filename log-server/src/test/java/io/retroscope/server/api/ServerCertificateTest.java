// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.access.TlsFiles;
import io.retroscope.server.app.TestCertificate;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerCertificateTest {
  @TempDir Path folder;

  @Test
  void refresh_expiredCertificate_replacesNoValidOne() throws Exception {
    TestCertificate own = TestCertificate.make(folder, "own");
    TestCertificate expired = TestCertificate.expired(folder, "expired");
    ServerCertificate server = server(own);
    expired.replace(own);
    server.refresh();
    assertThat(server.subject()).isEqualTo("CN=own");

    TestCertificate later = TestCertificate.make(folder, "later");
    later.replace(own);
    server.refresh();
    assertThat(server.subject()).isEqualTo("CN=later");
  }

  @Test
  void refresh_ofAnExpiredCertificate_usesTheNewOne() throws Exception {
    TestCertificate own = TestCertificate.expired(folder, "own");
    ServerCertificate server = server(own);
    TestCertificate.expired(folder, "later").replace(own);
    server.refresh();
    assertThat(server.subject()).isEqualTo("CN=later");
  }

  private static ServerCertificate server(TestCertificate files) {
    TlsFiles tls = new TlsFiles(files.certificate(), files.key(), Optional.empty());
    return new ServerCertificate(tls, PhysicalClock.system());
  }
}
