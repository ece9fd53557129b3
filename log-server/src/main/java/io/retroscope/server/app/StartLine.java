package io.retroscope.server.app;

import io.retroscope.server.store.Retention;

/** A summary of a server's settings in one line of the log. */
final class StartLine {
  private StartLine() {}

  /** Lists settings explicitly, so that no secret can appear. */
  static String of(ServerConfig config) {
    Runtime runtime = Runtime.getRuntime();
    return "data=%s, host=%s, port=%d, idle timeout=%s, retention=%s, slow query=%s, kafka=%s, recover=%s, heap=%d MiB, processors=%d, java=%s"
        .formatted(
            config.dataDirectory().toAbsolutePath(),
            config.host(),
            config.port(),
            config.idleTimeout(),
            config.retention() == Retention.KEEP_ALL ? "none" : "on",
            config.slowQuery(),
            config.kafka().map(kafka -> kafka.brokers() + "/" + kafka.topic()).orElse("none"),
            config.store().recover(),
            runtime.maxMemory() >> 20,
            runtime.availableProcessors(),
            System.getProperty("java.version"));
  }
}
