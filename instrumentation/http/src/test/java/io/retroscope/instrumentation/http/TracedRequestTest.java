// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class TracedRequestTest {
  /** A state that containers may report, and that the specification allows. */
  @Test
  void isAsynchronous_dispatchedBeforeTheFirstDispatchEnds_staysTrueUntilTheNext() {
    AsyncContext context = fake(AsyncContext.class, (proxy, method, arguments) -> null);
    HttpServletRequest request =
        fake(
            HttpServletRequest.class,
            (proxy, method, arguments) ->
                method.getName().equals("isAsyncStarted") ? (Object) false : context);
    HttpServletResponse response =
        fake(HttpServletResponse.class, (proxy, method, arguments) -> null);
    try (Recorder recorder = Recorder.builder().node("a").sink(new MemorySink()).build()) {
      TracedRequest traced =
          new TracedRequest(request, new StampedResponse(response, recorder, true));
      assertThat(traced.isAsynchronous()).isFalse();

      traced.startAsync().dispatch();

      assertThat(traced.isAsynchronous()).isTrue();
      traced.dispatched();
      assertThat(traced.isAsynchronous()).isFalse();
    }
  }

  private static <T> T fake(Class<T> type, InvocationHandler calls) {
    return type.cast(
        Proxy.newProxyInstance(
            TracedRequestTest.class.getClassLoader(), new Class<?>[] {type}, calls));
  }
}
