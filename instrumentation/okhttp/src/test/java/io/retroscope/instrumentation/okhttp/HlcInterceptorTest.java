// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.okhttp;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.contract.HttpClientContract;
import java.io.IOException;
import java.net.URI;
import okhttp3.OkHttp;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HlcInterceptorTest extends HttpClientContract {
  private final OkHttpClient plain = new OkHttpClient();
  private final OkHttpClient instrumented =
      plain.newBuilder().addNetworkInterceptor(new HlcInterceptor(sender)).build();

  /** Read at run time: javac copies the constant of the version that it compiles against. */
  @Test
  void version_isThatOfThisRun() throws ReflectiveOperationException {
    assertThat(OkHttp.class.getField("VERSION").get(null))
        .asString()
        .startsWith(System.getProperty("expected.okhttp") + ".");
  }

  @AfterEach
  void stop() {
    plain.connectionPool().evictAll();
    plain.dispatcher().executorService().shutdown();
  }

  @Override
  protected int get(boolean traced, URI uri, @Nullable String stamp) throws IOException {
    Request.Builder request = new Request.Builder().url(uri.toString());
    if (stamp != null) {
      request.header("x-hlc", stamp);
    }
    OkHttpClient client = traced ? instrumented : plain;
    try (Response response = client.newCall(request.build()).execute()) {
      return response.code();
    }
  }
}
