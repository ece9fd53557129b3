// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import java.net.URI;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A log server on a free port, which is started before each test and closed after it. */
final class ServerExtension implements BeforeEachCallback, AfterEachCallback {
  private final Supplier<ServerConfig.Builder> settings;
  private @Nullable LogServer server;

  /**
   * A server for each test.
   *
   * @param settings evaluated at each start, when JUnit has set the temporary directory of the test
   */
  ServerExtension(Supplier<ServerConfig.Builder> settings) {
    this.settings = settings;
  }

  @Override
  public void beforeEach(ExtensionContext test) {
    start(settings.get());
  }

  @Override
  public void afterEach(ExtensionContext test) {
    if (server != null) {
      server.close();
    }
  }

  private void start(ServerConfig.Builder config) {
    server = LogServer.start(config.port(0).build());
  }

  /** Closes the server and starts another one with the same settings, usually on another port. */
  void restart() {
    restart(settings.get());
  }

  /** Closes the server and starts another one. */
  void restart(ServerConfig.Builder config) {
    close();
    start(config);
  }

  /** Closes the server before the end of the test. */
  void close() {
    server().close();
  }

  int port() {
    return server().port();
  }

  URI uri() {
    return server().uri();
  }

  private LogServer server() {
    return Objects.requireNonNull(server);
  }
}
