// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.apache5;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.HttpRequestInterceptor;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.HttpResponseInterceptor;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * An interceptor for Apache HttpClient 5, classic and asynchronous: every request carries the stamp
 * of its send event, and every response that carries one is a receive event before the caller sees
 * it. Retries and redirects are messages of their own. Thread-safe.
 *
 * <pre>{@code
 * HlcInterceptor hlc = new HlcInterceptor(recorder);
 * HttpClients.custom().addRequestInterceptorLast(hlc).addResponseInterceptorFirst(hlc).build();
 * }</pre>
 *
 * <p>Each exchange costs two stamps and two events and waits for nothing. A stamp that cannot be
 * read is treated as absent.
 */
public final class HlcInterceptor implements HttpRequestInterceptor, HttpResponseInterceptor {
  private final Recorder recorder;

  /** An interceptor with the given recorder. */
  public HlcInterceptor(Recorder recorder) {
    this.recorder = recorder;
  }

  @Override
  public void process(HttpRequest request, @Nullable EntityDetails entity, HttpContext context) {
    HlcContext.inject(recorder.send(""), request, HttpRequest::setHeader);
  }

  @Override
  public void process(HttpResponse response, @Nullable EntityDetails entity, HttpContext context) {
    Header header = response.getFirstHeader(HlcContext.HEADER);
    HlcContext.parse(header == null ? null : header.getValue())
        .ifPresent(remote -> recorder.receive("", remote));
  }
}
