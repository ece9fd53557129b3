// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.spring;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * An interceptor for {@code RestClient} and {@code RestTemplate}: every request carries the stamp
 * of its send event, and every response that carries one is a receive event before the caller sees
 * it. Thread-safe.
 *
 * <p>Each exchange costs two stamps and two events and waits for nothing. A stamp that cannot be
 * read is treated as absent.
 */
public final class HlcRequestInterceptor implements ClientHttpRequestInterceptor {
  private final Supplier<Recorder> recorder;

  /** An interceptor with the given recorder. */
  public HlcRequestInterceptor(Recorder recorder) {
    this(() -> recorder);
  }

  HlcRequestInterceptor(Supplier<Recorder> recorder) {
    this.recorder = recorder;
  }

  @Override
  public ClientHttpResponse intercept(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
    Recorder node = recorder.get();
    HlcContext.inject(node.send(""), request.getHeaders(), HttpHeaders::set);
    ClientHttpResponse response = execution.execute(request, body);
    HlcContext.extract(response.getHeaders(), HttpHeaders::getFirst)
        .ifPresent(remote -> node.receive("", remote));
    return response;
  }
}
