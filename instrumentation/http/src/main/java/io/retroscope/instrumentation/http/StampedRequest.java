// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.context.HlcContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A request with a stamp in its headers. A copy by {@code HttpRequest.newBuilder} would sort all
 * headers three times. Immutable.
 */
final class StampedRequest extends HttpRequest {
  private final HttpRequest request;
  private final HttpHeaders headers;

  StampedRequest(HttpRequest request, long hlc) {
    this.request = request;
    this.headers = stamped(request.headers(), HlcTimestamp.text(hlc));
  }

  private static HttpHeaders stamped(HttpHeaders headers, String stamp) {
    Map<String, List<String>> all = new HashMap<>(headers.map());
    if (!headers.allValues(HlcContext.HEADER).isEmpty()) {
      all.keySet().removeIf(HlcContext.HEADER::equalsIgnoreCase);
    }
    all.put(HlcContext.HEADER, List.of(stamp));
    return HttpHeaders.of(all, (name, value) -> true);
  }

  @Override
  public HttpHeaders headers() {
    return headers;
  }

  @Override
  public Optional<BodyPublisher> bodyPublisher() {
    return request.bodyPublisher();
  }

  @Override
  public String method() {
    return request.method();
  }

  @Override
  public Optional<Duration> timeout() {
    return request.timeout();
  }

  @Override
  public boolean expectContinue() {
    return request.expectContinue();
  }

  @Override
  public URI uri() {
    return request.uri();
  }

  @Override
  public Optional<HttpClient.Version> version() {
    return request.version();
  }

  @Override
  public String toString() {
    return request.toString();
  }
}
