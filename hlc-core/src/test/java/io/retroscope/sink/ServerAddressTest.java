// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerAddressTest {
  @Test
  void parse_schemeLeftOut_isHttpWithOurPort() {
    Map.of(
            "127.0.0.1:7340", "http://127.0.0.1:7340",
            "localhost:8080", "http://localhost:8080",
            "host", "http://host:7340",
            "[::1]", "http://[::1]:7340",
            "[::1]:8080", "http://[::1]:8080",
            "host/logs", "http://host:7340/logs")
        .forEach((text, uri) -> assertThat(ServerAddress.parse(text)).isEqualTo(URI.create(uri)));
  }

  @Test
  void parse_withAScheme_isTakenAsItIs() {
    for (String text :
        List.of(
            "http://host", "https://host", "HTTP://host:1", "kafka://b1:9092,b2:9092/retroscope")) {
      assertThat(ServerAddress.parse(text)).isEqualTo(URI.create(text));
    }
  }

  @Test
  void parse_noAddress_saysWhatIsExpectedAndWhatWasGiven() {
    for (String text : List.of("http://", "http:///path", "host:many", "my host", "http://a_b")) {
      assertThatThrownBy(() -> ServerAddress.parse(text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("http://host:7340", "\"" + text + "\"");
    }
  }
}
