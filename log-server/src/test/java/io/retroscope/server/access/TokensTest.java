// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokensTest {
  private static final String SECRET = "c2VjcmV0LXNlY3JldC1zZWNyZXQ=";
  private static final String OTHER = "another-token-of-enough-length";

  @TempDir Path folder;

  private static Tokens tokens(String text) {
    return Tokens.of(text, "RETROSCOPE_TOKENS", () -> 0);
  }

  private static Caller caller(Tokens tokens, String authorization) {
    return tokens.caller(Optional.of(authorization));
  }

  @Test
  void caller_noTokensAtAll_mayDoEverythingAndIsNotIdentified() {
    Caller caller = caller(Tokens.none(), "Bearer " + SECRET);

    assertThat(caller.has(Role.ADMIN)).isTrue();
    assertThat(caller.identified()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "read,       true,  false, false",
    "write,      false, true,  false",
    "admin,      true,  false, true", // includes read, which administration requires
    "'write,read', true,  true,  false",
  })
  void caller_roles_areThoseOfTheToken(
      String roles, boolean reads, boolean writes, boolean administers) {
    Caller caller = caller(tokens("web " + roles + " " + SECRET), "Bearer " + SECRET);

    assertThat(caller.name()).isEqualTo("web");
    assertThat(caller.identified()).isTrue();
    assertThat(caller.has(Role.READ)).isEqualTo(reads);
    assertThat(caller.has(Role.WRITE)).isEqualTo(writes);
    assertThat(caller.has(Role.ADMIN)).isEqualTo(administers);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Bearer",
        "Bearer ",
        "Bearer c2VjcmV0LXNlY3JldC1zZWNyZXQ", // too short by one character
        "Bearer " + SECRET + "=",
        "Bearer x " + SECRET,
        "Basic " + SECRET,
        SECRET
      })
  void caller_otherHeader_isAStranger(String header) {
    Caller caller = caller(tokens("web read,write,admin " + SECRET), header);

    assertThat(caller.identified()).isFalse();
    assertThat(caller.roles()).isEmpty();
    assertThat(caller.has(Role.READ)).isFalse();
  }

  @Test
  void caller_severalTokensOfAName_areAllValid() {
    Tokens tokens = tokens("# both, for a day\nweb write " + SECRET + ";web write " + OTHER);

    assertThat(caller(tokens, "bearer " + SECRET).identified()).isTrue();
    assertThat(caller(tokens, "Bearer  " + OTHER).identified()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "web write | line 1: expected a name, roles and a token",
        "web write short | line 1: a token has at least 16",
        "web owner SECRET | line 1: the second word must name roles",
        "we/b read SECRET | line 1: a name has",
        "web read SECRET events/s=0 | line 1: events/s must be a positive number",
        "web read SECRET SECRET2= | line 1: unknown limit",
        "web read SECRET quick | line 1: a limit is written like",
        "# none | contains no token"
      })
  void parse_wrongLine_saysWhichAndWhyWithoutTheToken(String line, String reason) {
    String text = line.replace("SECRET", SECRET);

    assertThatThrownBy(() -> tokens(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("RETROSCOPE_TOKENS")
        .hasMessageContaining(reason)
        .satisfies(e -> assertThat(e.toString()).doesNotContain(SECRET.substring(0, 12)));
  }

  @Test
  void refresh_changedFile_replacesTheTokens() throws IOException {
    Path file = write("web write " + SECRET);
    Tokens tokens = Tokens.in(file, () -> 0);
    write("web write " + OTHER);

    tokens.refresh();

    assertThat(caller(tokens, "Bearer " + SECRET).identified()).isFalse();
    assertThat(caller(tokens, "Bearer " + OTHER).identified()).isTrue();
  }

  /** An error in the file must neither reject nor admit every caller. */
  @Test
  void refresh_unusableFile_changesNothing() throws IOException {
    Path file = write("web write " + SECRET);
    Tokens tokens = Tokens.in(file, () -> 0);
    write("web");
    tokens.refresh();
    assertThat(caller(tokens, "Bearer " + SECRET).identified()).isTrue();
    Files.delete(file);

    tokens.refresh();

    assertThat(caller(tokens, "Bearer " + SECRET).identified()).isTrue();
    assertThat(caller(tokens, "Bearer " + OTHER).identified()).isFalse();
  }

  @Test
  void in_fileThatOthersRead_isRefused() throws IOException {
    Path file = write("web write " + SECRET);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

    assertThatThrownBy(() -> Tokens.in(file, () -> 0)).hasMessageContaining("chmod 600 " + file);

    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r-----"));
    assertThat(caller(Tokens.in(file, () -> 0), "Bearer " + SECRET).identified()).isTrue();
  }

  @Test
  void in_noFile_saysSo() {
    assertThatThrownBy(() -> Tokens.in(folder.resolve("none"), () -> 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(folder.resolve("none").toString());
  }

  private Path write(String text) throws IOException {
    Path file = folder.resolve("tokens");
    Files.writeString(file, text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }
}
