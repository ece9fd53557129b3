package io.retroscope.server.api;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Handler;
import io.javalin.websocket.WsConfig;
import java.util.List;
import java.util.function.Consumer;

/** One entry of the API. Immutable. */
sealed interface Route {
  /** The path, which begins with a slash. */
  String path();

  /** The permission that the route requires. */
  Access access();

  /** Registers the handler with the web server, guarded by the gate. */
  void register(JavalinConfig config, Gate gate);

  /** A request without a body. */
  record Get(String path, Access access, Handler handler) implements Route {
    @Override
    public void register(JavalinConfig config, Gate gate) {
      config.routes.get(path, gate.guard(this, handler));
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
    public void register(JavalinConfig config, Gate gate) {
      config.routes.post(path, gate.guard(this, handler));
    }
  }

  /** A WebSocket. */
  record Socket(String path, Access access, Consumer<WsConfig> handler) implements Route {
    @Override
    public void register(JavalinConfig config, Gate gate) {
      config.routes.wsBeforeUpgrade(
          path,
          context -> {
            gate.enter(context);
            gate.admit(this, context);
          });
      config.routes.ws(path, handler);
    }
  }
}
