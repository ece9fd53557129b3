// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.spring;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * A filter for {@code WebClient}: every request carries the stamp of its send event, and every
 * response that carries one is a receive event before the subscriber sees it. A request that is
 * subscribed to again is sent again, with a stamp of its own. Thread-safe.
 *
 * <p>Each exchange costs two stamps and two events and waits for nothing. A stamp that cannot be
 * read is treated as absent.
 */
public final class HlcExchangeFilter implements ExchangeFilterFunction {
  private final Supplier<Recorder> recorder;

  /** A filter with the given recorder. */
  public HlcExchangeFilter(Recorder recorder) {
    this(() -> recorder);
  }

  HlcExchangeFilter(Supplier<Recorder> recorder) {
    this.recorder = recorder;
  }

  @Override
  public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
    return Mono.defer(
        () -> {
          Recorder node = recorder.get();
          return next.exchange(stamped(request, node.send("")))
              .doOnNext(response -> receive(response, node));
        });
  }

  private static ClientRequest stamped(ClientRequest request, long hlc) {
    return ClientRequest.from(request)
        .headers(headers -> HlcContext.inject(hlc, headers, HttpHeaders::set))
        .build();
  }

  private static void receive(ClientResponse response, Recorder node) {
    HlcContext.extract(response.headers().asHttpHeaders(), HttpHeaders::getFirst)
        .ifPresent(remote -> node.receive("", remote));
  }
}
