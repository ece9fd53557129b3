// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.okhttp;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * An interceptor for OkHttp: every request carries the stamp of its send event, and every response
 * that carries one is a receive event before the caller sees it. Thread-safe.
 *
 * <p>Add it as a network interceptor: retries and redirects are then messages of their own, and a
 * response from the cache, whose stamp is old, is none.
 *
 * <p>Each exchange costs two stamps and two events and waits for nothing. A stamp that cannot be
 * read is treated as absent.
 */
public final class HlcInterceptor implements Interceptor {
  private final Recorder recorder;

  /** An interceptor with the given recorder. */
  public HlcInterceptor(Recorder recorder) {
    this.recorder = recorder;
  }

  @Override
  public Response intercept(Chain chain) throws IOException {
    String stamp = HlcTimestamp.text(recorder.send(""));
    Request request = chain.request().newBuilder().header(HlcContext.HEADER, stamp).build();
    Response response = chain.proceed(request);
    HlcContext.parse(response.header(HlcContext.HEADER))
        .ifPresent(remote -> recorder.receive("", remote));
    return response;
  }
}
