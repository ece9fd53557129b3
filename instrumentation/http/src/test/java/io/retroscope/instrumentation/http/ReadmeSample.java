// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import com.sun.net.httpserver.HttpContext;
import io.retroscope.recorder.Recorder;
import jakarta.servlet.ServletContext;
import java.net.http.HttpClient;

/** The code of the module's README, which a test looks up here. */
final class ReadmeSample {
  private ReadmeSample() {}

  static HttpClient trace(ServletContext context, HttpContext httpContext, Recorder recorder) {
    context.addFilter("hlc", new HlcFilter(recorder));
    httpContext.getFilters().add(new HlcServerFilter(recorder));
    HttpClient client = HlcHttpClient.over(HttpClient.newHttpClient(), recorder);
    return client;
  }
}
