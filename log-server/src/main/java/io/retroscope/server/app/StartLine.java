// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.access.TlsFiles;
import io.retroscope.server.health.Release;
import java.util.concurrent.TimeUnit;

/** A summary of a server's settings in one line of the log. */
final class StartLine {
  private StartLine() {}

  /**
   * Lists settings explicitly, so that no secret can appear.
   *
   * @param removes whether old events are removed
   */
  static String of(ServerConfig config, boolean removes) {
    Runtime runtime = Runtime.getRuntime();
    return "version=%s, data=%s, host=%s, port=%d, idle timeout=%s, restart grace=%s, late bound=%d s, retention=%s, slow query=%s, kafka=%s, tokens=%s, tls=%s, open metrics=%s, recover=%s, heap=%d MiB, processors=%d, java=%s"
        .formatted(
            Release.VERSION,
            config.dataDirectory().toAbsolutePath(),
            config.host(),
            config.port(),
            config.idleTimeout(),
            config.restartGrace(),
            TimeUnit.MICROSECONDS.toSeconds(config.queryLimits().late().boundMicros()),
            removes ? "on" : "none",
            config.slowQuery(),
            config.kafka().map(kafka -> kafka.brokers() + "/" + kafka.topic()).orElse("none"),
            tokens(config.access()),
            config.access().tls().map(StartLine::tls).orElse("off"),
            config.access().openMetrics(),
            config.store().recover(),
            runtime.maxMemory() >> 20,
            runtime.availableProcessors(),
            System.getProperty("java.version"));
  }

  private static String tokens(AccessOptions access) {
    return access
        .tokenFile()
        .map(file -> "from " + file.toAbsolutePath())
        .orElse(access.tokens().isPresent() ? "from the environment" : "none");
  }

  private static String tls(TlsFiles files) {
    return files.clientAuthorities().isPresent() ? "on, with clients' certificates" : "on";
  }
}
