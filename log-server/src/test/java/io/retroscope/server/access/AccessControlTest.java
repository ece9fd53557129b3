// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessControlTest {
  private static final AccessControl ACCESS =
      new AccessControl(
          options(Optional.empty(), Optional.empty(), "https://logs.example.com/retroscope"),
          "127.0.0.1",
          () -> 0);

  private static AccessOptions options(
      Optional<Path> file, Optional<String> tokens, String publicUrl) {
    return new AccessOptions(
        file,
        tokens,
        Optional.of(URI.create(publicUrl)),
        List.of(),
        false,
        Optional.empty(),
        Optional.empty());
  }

  @ParameterizedTest
  @CsvSource({
    // The server's own pages, including through a proxy that terminates TLS.
    "http, localhost:7340, http://localhost:7340, false",
    "http, Localhost:7340, HTTP://LOCALHOST:7340, false",
    "http, logs.lan, https://logs.lan, false",
    "http, 10.0.0.7:7340, https://logs.example.com, false",
    // Other pages on the same machine, the same name without TLS, no name.
    "http, localhost:7340, http://localhost:3000, true",
    "http, localhost:7340, http://127.0.0.1:7340, true",
    "https, logs.lan, http://logs.lan, true",
    "http, localhost:7340, https://evil.example, true",
    "http, localhost:7340, null, true",
    "http, localhost:7340, '', true",
  })
  void isForeign_origin_isComparedWithTheServersOwn(
      String scheme, String authority, String origin, boolean foreign) {
    assertThat(ACCESS.isForeign(scheme, authority, Optional.of(origin), Optional.empty()))
        .isEqualTo(foreign);
  }

  @ParameterizedTest
  @CsvSource({"cross-site, true", "Cross-Site, true", "same-origin, false", "none, false"})
  void isForeign_fetchSite_isBelieved(String site, boolean foreign) {
    assertThat(ACCESS.isForeign("http", "localhost", Optional.empty(), Optional.of(site)))
        .isEqualTo(foreign);
  }

  @Test
  void options_tokensTwice_areRefused() {
    assertThatThrownBy(
            () -> options(Optional.of(Path.of("x")), Optional.of("y"), "http://localhost"))
        .hasMessageContaining("not from both");
  }

  @Test
  void options_publicUrlWithoutHost_isRefused() {
    assertThatThrownBy(() -> options(Optional.empty(), Optional.empty(), "logs.example.com"))
        .hasMessageContaining("https://logs.example.com");
  }
}
