// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostNamesTest {
  private static final HostNames NAMES =
      new HostNames(
          "retro.internal",
          Optional.of(URI.create("https://Logs.example.com/retroscope")),
          List.of("retroscope.default.svc"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "10.2.3.4", // a probe uses the address of a pod
        "[::1]",
        "::1",
        "[fe80::1%eth0]",
        "[::ffff:10.0.0.1]",
        "localhost",
        "LOCALHOST.", // the dot of the root domain is not part of a name
        "app.localhost",
        "retro.internal",
        "logs.example.com",
        "retroscope.default.svc"
      })
  void allows_addressOrOwnName_isTrue(String host) {
    assertThat(NAMES.allows(host)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "127.evil.example", // begins like an address
        "x.logs.example.com",
        "retroscope",
        "[evil::example]",
        "evil.example:80"
      })
  void allows_anotherName_isFalse(String host) {
    assertThat(NAMES.allows(host)).isFalse();
  }

  @Test
  void isLoopback_decidesByAddress() {
    assertThat(HostNames.isLoopback("127.0.0.1")).isTrue();
    assertThat(HostNames.isLoopback("127.8.8.8")).isTrue();
    assertThat(HostNames.isLoopback("::1")).isTrue();
    assertThat(HostNames.isLoopback("0:0:0:0:0:0:0:1")).isTrue();
    assertThat(HostNames.isLoopback("localhost")).isTrue();
    assertThat(HostNames.isLoopback("0.0.0.0")).isFalse();
    assertThat(HostNames.isLoopback("::")).isFalse();
    assertThat(HostNames.isLoopback("192.0.2.1")).isFalse();
  }

  /** A name that begins like a loopback address is a name. */
  @Test
  void isLoopback_nameWithoutAddress_throws() {
    assertThatThrownBy(() -> HostNames.isLoopback("127.no-such-host.invalid"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("127.no-such-host.invalid has no address");
  }
}
