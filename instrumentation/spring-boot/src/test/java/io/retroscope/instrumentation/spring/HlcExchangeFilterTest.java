// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.context.HlcContext;
import io.retroscope.contract.HttpClientContract;
import io.retroscope.event.EventBody;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** Tests of a {@code WebClient} bean. */
class HlcExchangeFilterTest extends HttpClientContract {
  private final WebClient plain =
      WebClient.builder().clientConnector(new JdkClientHttpConnector()).build();
  private final WebClient instrumented = instrumented(plain.mutate());

  private WebClient instrumented(WebClient.Builder bean) {
    var clients = new StampedWebClients(new HlcExchangeFilter(sender));
    assertThat(clients.postProcessAfterInitialization(bean, "bean")).isSameAs(bean);
    return bean.build();
  }

  @Override
  protected int get(boolean traced, URI uri, @Nullable String stamp) {
    WebClient.RequestHeadersSpec<?> request = (traced ? instrumented : plain).get().uri(uri);
    if (stamp != null) {
      request.header(HlcContext.HEADER, stamp);
    }
    ResponseEntity<Void> response = request.retrieve().toBodilessEntity().block();
    return response == null ? 0 : response.getStatusCode().value();
  }

  /** A filter around the stamping one subscribes to the same exchange again. */
  @Test
  void request_thatAFilterRetries_isSentAgainWithAStampOfItsOwn() {
    List<String> stamps = new ArrayList<>();
    WebClient client =
        instrumented(
            WebClient.builder()
                .exchangeFunction(
                    request -> {
                      stamps.addAll(request.headers().getOrEmpty(HlcContext.HEADER));
                      return Mono.error(new IllegalStateException("connection reset"));
                    })
                .filter((request, next) -> next.exchange(request).retry(2)));
    Mono<ResponseEntity<Void>> response =
        client.get().uri(URI.create("http://127.0.0.1/")).retrieve().toBodilessEntity();
    assertThat(response.map(entity -> "answered").onErrorReturn("failed").block())
        .isEqualTo("failed");
    assertThat(stamps).hasSize(3).doesNotHaveDuplicates();
    assertThat(sentEvents(EventBody.Send.class))
        .extracting(event -> ((EventBody.Send) event.body()).id())
        .containsExactlyElementsOf(stamps);
  }
}
