// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StampedRequestTest {
  private static final long HLC = HlcTimestamp.pack(1_700_000_000_000_000L, 3);

  private final HttpRequest request =
      HttpRequest.newBuilder(URI.create("http://127.0.0.1/orders"))
          .POST(HttpRequest.BodyPublishers.ofString("body"))
          .headers("Accept", "text/plain", "X-Hlc", "yesterday", "accept", "*/*")
          .timeout(Duration.ofSeconds(5))
          .expectContinue(true)
          .version(HttpClient.Version.HTTP_1_1)
          .build();

  @Test
  void headers_withAnEarlierStamp_haveOnlyTheNewOne() {
    assertThat(new StampedRequest(request, HLC).headers().map())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("Accept", List.of("text/plain", "*/*"), "x-hlc", List.of("1700000000000000.3")));
  }

  @Test
  void everythingElse_isThatOfTheRequest() {
    HttpRequest stamped = new StampedRequest(request, HLC);
    assertThat(stamped.uri()).isEqualTo(request.uri());
    assertThat(stamped.method()).isEqualTo("POST");
    assertThat(stamped.bodyPublisher()).isEqualTo(request.bodyPublisher());
    assertThat(stamped.timeout()).contains(Duration.ofSeconds(5));
    assertThat(stamped.expectContinue()).isTrue();
    assertThat(stamped.version()).contains(HttpClient.Version.HTTP_1_1);
    assertThat(stamped).hasToString(request.toString());
  }
}
