// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class LoginTest {
  @Test
  void passfile_quoteAndBackslashInItsPath_areEscaped() {
    Login login = new Login("secret", Path.of("/home/o'neil/a\\b/pgpass"));
    assertThat(login.passfile()).isEqualTo("passfile='/home/o\\'neil/a\\\\b/pgpass'");
  }
}
