// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import jakarta.servlet.http.HttpServletResponse;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class StampedResponseTest {
  @Test
  void write_responseThatRefusesHeaders_writesAllTheSame() throws Exception {
    StringWriter body = new StringWriter();
    PrintWriter writer = new PrintWriter(body);
    HttpServletResponse refusing =
        (HttpServletResponse)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HttpServletResponse.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("getWriter")) {
                    return writer;
                  }
                  throw new IllegalStateException("recycled");
                });
    try (Recorder recorder = Recorder.builder().node("a").sink(new MemorySink()).build()) {
      new StampedResponse(refusing, recorder, true).getWriter().print("counted");
    }

    assertThat(body).hasToString("counted");
  }
}
