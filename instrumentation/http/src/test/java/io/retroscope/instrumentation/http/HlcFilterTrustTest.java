// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBody;
import io.retroscope.instrumentation.http.ServletContainer.Mapped;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import jakarta.servlet.DispatcherType;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests at the edge: an anonymous request cannot move the clock, one through the internal entry
 * point can.
 */
class HlcFilterTrustTest {
  @TempDir Path folder;

  private final MemorySink sink = new MemorySink();
  private final Recorder edge =
      Recorder.builder().node("edge").sink(sink).trustRemote(false).build();
  private final HttpClient anonymous = HttpClient.newHttpClient();
  private long ahead;

  @BeforeEach
  void set() {
    ahead = HlcTimestamp.pack(HlcTimestamp.micros(edge.tick()) + 59_900_000);
  }

  @AfterEach
  void close() {
    edge.close();
  }

  @Test
  void request_atTheEdge_isServedAndDoesNotMoveTheClock() throws Exception {
    HttpResponse<String> response = serve(new HlcFilter(edge));

    assertThat(response.body()).isEqualTo("counted");
    assertThat(response.headers().allValues("x-hlc")).hasSize(1);
    assertThat(edge.tick()).isLessThan(ahead);
    assertThat(edge.statistics().untrusted()).isEqualTo(1);
    assertThat(receives()).isZero();
  }

  @Test
  void request_throughATrustedFilter_movesTheClock() throws Exception {
    serve(new HlcFilter(edge, true));

    assertThat(edge.tick()).isGreaterThan(ahead);
    assertThat(edge.statistics().untrusted()).isZero();
  }

  @Test
  void request_throughTheOuterAndTheInnerFilter_isReceivedOnce() throws Exception {
    serve(new HlcFilter(edge, false), new HlcFilter(edge, true), new HlcFilter(edge, true));

    assertThat(edge.tick()).isGreaterThan(ahead);
    assertThat(receives()).isEqualTo(1);
  }

  private HttpResponse<String> serve(HlcFilter... filters) throws Exception {
    List<Mapped> mapped = new ArrayList<>();
    for (HlcFilter filter : filters) {
      String name = "hlc" + mapped.size();
      mapped.add(new Mapped(name, filter, EnumSet.allOf(DispatcherType.class)));
    }
    ServletContainer container =
        ServletContainer.tomcat(folder, new AnsweringServlet(edge.log("counter")), mapped);
    try {
      URI address = URI.create("http://127.0.0.1:" + container.port() + "/forward");
      HttpRequest request =
          HttpRequest.newBuilder(address)
              .header("x-hlc", HlcTimestamp.text(ahead))
              .timeout(Duration.ofSeconds(20))
              .build();
      return anonymous.send(request, BodyHandlers.ofString());
    } finally {
      container.stop();
    }
  }

  private long receives() {
    assertThat(edge.flush(Duration.ofSeconds(10))).isTrue();
    return sink.events().stream()
        .filter(event -> event.body() instanceof EventBody.Receive)
        .count();
  }
}
