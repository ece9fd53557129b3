// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialsTest {
  @TempDir Path folder;

  @Test
  void headers_token_isTheNearestOne() throws IOException {
    Path named = Files.writeString(folder.resolve("named"), "of-the-file\n");
    Path own = folder.resolve("home/.config/retroscope");
    Files.createDirectories(own);
    Files.writeString(own.resolve("token"), "of-the-home\n");
    String home = folder.resolve("home").toString();

    assertThat(header(Map.of("HOME", home))).isEqualTo("Bearer of-the-home");
    assertThat(header(Map.of("XDG_CONFIG_HOME", home + "/.config")))
        .isEqualTo("Bearer of-the-home");
    assertThat(header(Map.of("HOME", home, "RETROSCOPE_TOKEN_FILE", named.toString())))
        .isEqualTo("Bearer of-the-file");
    assertThat(
            header(Map.of("RETROSCOPE_TOKEN", "itself", "RETROSCOPE_TOKEN_FILE", named.toString())))
        .isEqualTo("Bearer itself");
    assertThat(Credentials.of(Map.of("HOME", folder.toString())).headers()).isEmpty();
    assertThat(Credentials.of(Map.of()).headers()).isEmpty();
  }

  private static String header(Map<String, String> environment) throws IOException {
    return String.valueOf(Credentials.of(environment).headers().get("Authorization"));
  }

  /** Also in a session that is open for days. */
  @Test
  void headers_changedFile_isReadAgain() throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "the-first");
    Credentials credentials = Credentials.of(Map.of("RETROSCOPE_TOKEN_FILE", file.toString()));
    assertThat(credentials.headers()).containsEntry("Authorization", "Bearer the-first");

    Files.writeString(file, "the-second-one");

    assertThat(credentials.headers()).containsEntry("Authorization", "Bearer the-second-one");
  }

  @Test
  void of_wrongToken_isRefusedWithoutShowingIt() {
    assertThatThrownBy(() -> Credentials.of(Map.of("RETROSCOPE_TOKEN", "a secret\twith spaces")))
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.toString()).doesNotContain("secret\t"));
  }

  @Test
  void of_certificateWithoutItsKey_isRefused() {
    assertThatThrownBy(() -> Credentials.of(Map.of("RETROSCOPE_CERT", "own.pem")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("RETROSCOPE_CERT and RETROSCOPE_KEY");
  }

  @Test
  void of_filesThatAreNoCertificates_areNamed() throws IOException {
    Path text = Files.writeString(folder.resolve("text"), "hello\n");
    Path cut = Files.writeString(folder.resolve("cut"), "-----BEGIN CERTIFICATE-----\nMIIB\n");

    for (Path file : new Path[] {text, cut, folder.resolve("none")}) {
      assertThatThrownBy(() -> Credentials.of(Map.of("RETROSCOPE_CA", file.toString())))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(file.toString());
    }
  }

  @Test
  void sslContext_nothingNamed_isTheJvms() {
    assertThat(Credentials.of(Map.of()).sslContext()).isEmpty();
  }
}
