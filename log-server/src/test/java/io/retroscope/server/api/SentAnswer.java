// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.server.access.AccessControl;
import io.retroscope.server.access.AccessOptions;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What an admitted client received, which reads everything at once. */
final class SentAnswer extends ServletOutputStream {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** The request of the client. */
  Context request() {
    return request(Map.of());
  }

  /** The request of the client with parameters. */
  Context request(Map<String, List<String>> parameters) {
    AccessControl access = new AccessControl(AccessOptions.DEFAULT, "127.0.0.1", () -> 0);
    Route route = new Route.Get("/v1/query", Access.READ, context -> {});
    Admission admission =
        new Admission(access, Optional.empty(), route, access.caller(Optional.empty()));
    return proxy(
        Context.class,
        Map.of(
            "queryParamMap", parameters,
            "req", proxy(HttpServletRequest.class, Map.of("getAttribute", admission)),
            "res", proxy(HttpServletResponse.class, Map.of("getOutputStream", this))));
  }

  private static <T> T proxy(Class<T> type, Map<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.get(method.getName())));
  }

  byte[] bytes() {
    return bytes.toByteArray();
  }

  @Override
  public void write(int value) {
    bytes.write(value);
  }

  @Override
  public void write(byte[] from, int at, int count) {
    bytes.write(from, at, count);
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void setWriteListener(WriteListener listener) {}
}
