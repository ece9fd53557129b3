// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.contract.HttpClientContract;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.http.RequestEntity;
import org.springframework.web.client.RestTemplate;

/** Tests of a {@code RestTemplate} bean. */
class HlcInterceptorTest extends HttpClientContract {
  private final RestTemplate plain = new RestTemplate();
  private final RestTemplate instrumented = instrumented(new RestTemplate());

  private RestTemplate instrumented(RestTemplate bean) {
    var clients = new StampedRestClients(new HlcRequestInterceptor(sender));
    assertThat(clients.postProcessAfterInitialization(bean, "bean")).isSameAs(bean);
    return bean;
  }

  @Override
  protected int get(boolean traced, URI uri, @Nullable String stamp) {
    RequestEntity.HeadersBuilder<?> request = RequestEntity.get(uri);
    if (stamp != null) {
      request.header("x-hlc", stamp);
    }
    RestTemplate client = traced ? instrumented : plain;
    return client.exchange(request.build(), String.class).getStatusCode().value();
  }

  /** A service that is not traced must keep its traffic. */
  @Test
  void health_ofAClosedRecorder_isUnknownNotDown() {
    Recorder recorder = Recorder.builder().node("orders").sink(new MemorySink()).build();
    assertThat(RecorderDetails.of(recorder).status()).isEqualTo("UP");
    recorder.close();
    assertThat(RecorderDetails.of(recorder).status()).isEqualTo("UNKNOWN");
    assertThat(RecorderDetails.of(recorder).details())
        .containsEntry("node", "orders")
        .containsEntry("recorder", "not recording: the recorder is closed");
  }
}
