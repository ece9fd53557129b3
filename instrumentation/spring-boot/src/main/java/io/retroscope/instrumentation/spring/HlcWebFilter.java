// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.spring;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Ingress;
import io.retroscope.recorder.Recorder;
import java.util.OptionalLong;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * A filter of a WebFlux server: every request that carries a stamp is a receive event before the
 * service sees it, and every response carries a stamp, that of its send event, which is taken when
 * the response is committed. The response to a caller that sent no stamp is no send event, because
 * its receipt would never be recorded. Thread-safe; no thread waits.
 */
final class HlcWebFilter implements WebFilter {
  private final Recorder recorder;
  private final Ingress ingress;

  HlcWebFilter(Recorder recorder) {
    this.recorder = recorder;
    this.ingress = recorder.ingress();
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    OptionalLong remote =
        HlcContext.extract(exchange.getRequest().getHeaders(), HttpHeaders::getFirst);
    remote.ifPresent(ingress::receive);
    ServerHttpResponse response = exchange.getResponse();
    response.beforeCommit(
        () -> {
          long hlc = remote.isPresent() ? recorder.send("") : recorder.tick();
          HlcContext.inject(hlc, response.getHeaders(), HttpHeaders::set);
          return Mono.empty();
        });
    return chain.filter(exchange);
  }
}
