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

  /** What a request must be allowed to do. */
  Access access();

  /** Has the web server answer it, for those whom the gate lets pass. */
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
   * @param mediaTypes of the body; none of them is one that a web page may send unasked
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
