// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class WarmUpTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final WarmUp.Extent SMALL =
      new WarmUp.Extent(1_000, 1, Duration.ofMillis(500), Duration.ofSeconds(2));
  private static final WarmUp.Extent ENDLESS =
      new WarmUp.Extent(3_000, 1, Duration.ofDays(1), Duration.ofDays(2));

  /** Its queries take longer than the time between two looks at those of users. */
  private static final WarmUp.Extent LONG =
      new WarmUp.Extent(60_000, 1, Duration.ofDays(1), Duration.ofDays(2));

  private final Logger logger = (Logger) LoggerFactory.getLogger(WarmUp.class);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void listen() {
    logged.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(logged);
  }

  /** A warm-up deletes its history after its last message; both may not delete it. */
  @AfterEach
  void stopListening() {
    for (String own : List.of("warm-up", "data/warm-up")) {
      await().atMost(Duration.ofSeconds(60)).until(() -> !Files.exists(folder.resolve(own)));
    }
    logger.detachAppender(logged);
    logger.setLevel(null);
  }

  private ILoggingEvent end() {
    await().atMost(Duration.ofSeconds(60)).until(() -> !logged.list.isEmpty());
    return List.copyOf(logged.list).get(0);
  }

  @Test
  void begin_idleServer_runsQueriesOnceAndLeavesNothing() throws Exception {
    Path own = Files.createDirectories(folder.resolve("warm-up"));
    Files.writeString(own.resolve("left"), "by a process that was killed");
    new WarmUp(own, () -> false, Optional.empty(), SMALL, () -> 0).begin();

    assertThat(end().getFormattedMessage())
        .matches("warmed up with [1-9]\\d* queries, 1 of them live, in .* s of.*");
    await().atMost(PATIENCE).until(() -> !Files.exists(own));
  }

  @Test
  void begin_serverThatDoesNotAnswer_runsQueriesAllTheSame() throws Exception {
    URI nobody = URI.create("http://127.0.0.1:1");
    new WarmUp(folder.resolve("warm-up"), () -> false, Optional.of(nobody), SMALL, () -> 0).begin();

    assertThat(end().getFormattedMessage()).startsWith("the warm-up sends no more requests");
    await().atMost(Duration.ofSeconds(60)).until(() -> logged.list.size() > 1);
    assertThat(List.copyOf(logged.list).get(1).getFormattedMessage())
        .matches("warmed up with [1-9]\\d* queries, 1 of them live, in .* s of.*");
  }

  @Test
  void begin_whileUsersAsk_runsNoQueryAndEndsAtOnce() {
    AtomicInteger looks = new AtomicInteger();
    WarmUp warmUp =
        new WarmUp(
            folder.resolve("warm-up"),
            () -> looks.incrementAndGet() > 0,
            Optional.empty(),
            ENDLESS,
            () -> 0);
    warmUp.begin();
    await().atMost(Duration.ofSeconds(60)).until(() -> looks.get() > 2);
    assertThat(logged.list).isEmpty();

    warmUp.close();

    assertThat(end().getFormattedMessage()).startsWith("warmed up with 0 queries");
  }

  @Test
  void begin_compilersAreBusy_endsWhenTheyAreAtRest() {
    AtomicInteger looks = new AtomicInteger();
    WarmUp.Extent extent = new WarmUp.Extent(1_000, 1, Duration.ofMillis(1), Duration.ofDays(1));
    new WarmUp(
            folder.resolve("warm-up"),
            () -> false,
            Optional.empty(),
            extent,
            () -> looks.incrementAndGet() < 40 ? 0.5 : 0.05)
        .begin();

    assertThat(end().getFormattedMessage()).matches("warmed up with .* queries, 1 of them live.*");
    assertThat(looks).hasValueGreaterThanOrEqualTo(40);
  }

  @Test
  void begin_compilersAreAlwaysBusy_endsAtTheLatestTime() {
    WarmUp.Extent extent =
        new WarmUp.Extent(1_000, 1, Duration.ofMillis(1), Duration.ofMillis(300));
    new WarmUp(folder.resolve("warm-up"), () -> false, Optional.empty(), extent, () -> 1).begin();

    assertThat(end().getFormattedMessage()).startsWith("warmed up with ");
  }

  @Test
  void begin_queryArrives_ownOneStops() {
    AtomicInteger looks = new AtomicInteger();
    WarmUp warmUp =
        new WarmUp(
            folder.resolve("warm-up"),
            () -> looks.incrementAndGet() > 1,
            Optional.empty(),
            LONG,
            () -> 0);
    warmUp.begin();
    await().atMost(Duration.ofSeconds(60)).until(() -> looks.get() > 4);
    warmUp.close();

    assertThat(end().getFormattedMessage()).startsWith("warmed up with 0 queries");
  }

  @Test
  void begin_folderThatCannotBe_isLoggedOnly() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "no folder");
    new WarmUp(file.resolve("warm-up"), () -> false, Optional.empty(), SMALL, () -> 0).begin();

    ILoggingEvent warning = end();
    assertThat(warning.getLevel()).isEqualTo(Level.WARN);
    assertThat(warning.getFormattedMessage()).startsWith("the first queries will be slow");
  }

  @Test
  void server_thatWarmsUp_answersAndEndsMeanwhile() throws Exception {
    Path data = folder.resolve("data");
    try (LogServer server = LogServer.start(ServerConfig.in(data).port(0).warmUp(true).build())) {
      RawHttp http = new RawHttp(server.port());
      assertThat(http.send("GET", "/health/ready", "").status()).isEqualTo(200);
    }
    // At the latest now, whatever it was doing.
    assertThat(end().getFormattedMessage())
        .matches("warmed up with .*|the warm-up ended with the server");
  }
}
