// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.apache5;

import io.retroscope.contract.HttpClientContract;
import java.io.IOException;
import java.net.URI;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

class HlcInterceptorTest extends HttpClientContract {
  private final CloseableHttpClient plain = HttpClients.createDefault();
  private final HlcInterceptor hlc = new HlcInterceptor(sender);
  private final CloseableHttpClient instrumented =
      HttpClients.custom().addRequestInterceptorLast(hlc).addResponseInterceptorFirst(hlc).build();

  @AfterEach
  void stop() throws IOException {
    plain.close();
    instrumented.close();
  }

  @Override
  protected int get(boolean traced, URI uri, @Nullable String stamp) throws IOException {
    ClassicRequestBuilder request = ClassicRequestBuilder.get(uri);
    if (stamp != null) {
      request.setHeader("x-hlc", stamp);
    }
    CloseableHttpClient client = traced ? instrumented : plain;
    return client.execute(request.build(), ClassicHttpResponse::getCode);
  }
}
