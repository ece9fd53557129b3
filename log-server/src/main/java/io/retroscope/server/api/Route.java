// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Handler;
import java.util.List;
import org.eclipse.jetty.ee10.websocket.server.JettyWebSocketCreator;

/** One entry of the API. Immutable. */
sealed interface Route {
  /**
   * The path, which begins with a slash; a segment in braces is any text, and a last segment in
   * angle brackets any text with or without slashes.
   */
  String path();

  /** The method of its requests. */
  default String method() {
    return "GET";
  }

  /** Its method and path, which no other route has. */
  default String name() {
    return method() + " " + path();
  }

  /** Whether the path has segments in brackets. */
  default boolean isTemplate() {
    return path().indexOf('{') >= 0 || path().endsWith(">");
  }

  /** Whether a request with this method and path is for this route. */
  default boolean matches(String wantedMethod, String wantedPath) {
    String[] own = path().split("/", -1);
    String[] wanted = wantedPath.split("/", -1);
    boolean isOpen = path().endsWith(">");
    boolean fits = isOpen ? own.length <= wanted.length : own.length == wanted.length;
    boolean matches = method().equals(wantedMethod) && fits;
    for (int i = 0; matches && i < own.length; i++) {
      boolean isAny = own[i].startsWith("{") || own[i].startsWith("<");
      matches = isAny ? !wanted[i].isEmpty() : own[i].equals(wanted[i]);
    }
    return matches;
  }

  /** The permission that the route requires. */
  Access access();

  /**
   * Whether a refused request is a line of the audit log. Refused events are not: there may be very
   * many.
   */
  default boolean isAudited() {
    return access() == Access.ADMIN || access() == Access.ALERTS;
  }

  /** Registers the handler with the web server. */
  void register(JavalinConfig config);

  /** A request without a body. */
  record Get(String path, Access access, Handler handler) implements Route {
    @Override
    public void register(JavalinConfig config) {
      config.routes.get(path, Gate.guard(this, handler));
    }
  }

  /**
   * A request with a body.
   *
   * @param mediaTypes of the body; web pages cannot send any of them without a preflight request
   */
  record Post(String path, Access access, List<String> mediaTypes, Handler handler)
      implements Route {
    /** Copies the media types. */
    public Post {
      mediaTypes = List.copyOf(mediaTypes);
    }

    @Override
    public String method() {
      return "POST";
    }

    @Override
    public void register(JavalinConfig config) {
      config.routes.post(path, Gate.guard(this, handler));
    }
  }

  /**
   * A WebSocket.
   *
   * @param endpoint makes the endpoint of each connection
   */
  record Socket(String path, Access access, JettyWebSocketCreator endpoint) implements Route {
    @Override
    public void register(JavalinConfig config) {
      // An endpoint of the web server's own: Javalin's would gather messages of any length.
      config.jetty.modifyWebSocketServletFactory(factory -> factory.addMapping(path, endpoint));
      config.routes.ws(path, socket -> {});
    }
  }
}
