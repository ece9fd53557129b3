// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.logback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.LoggerContext;
import io.retroscope.event.Value;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.sink.HttpSink;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/**
 * An end-to-end test of log lines: written with SLF4J in services, sent to a server, and queried
 * together with the state of replicas, past and live.
 */
class TimeoutsWhileStaleTest {
  private static final String QUESTION =
      " step FROM app WHEN EXISTS m IN message : (m CONTAINS 'timeout') AND SPREAD(r1) >= 2";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int STEPS = 300;

  @TempDir Path folder;

  private final List<Recorder> recorders = new ArrayList<>();
  private final LoggerContext context = new LoggerContext();
  private LogServer server;

  @BeforeEach
  void start() {
    server = LogServer.start(ServerConfig.in(folder).port(0).build());
  }

  @AfterEach
  void stop() {
    context.stop();
    recorders.forEach(Recorder::close);
    server.close();
  }

  @Test
  void query_timeoutsWhileReplicasAreStale_findsExactlyThose() throws IOException {
    long seed = System.nanoTime();
    List<Recorder> replicas = List.of(recorder("zk1"), recorder("zk2"), recorder("zk3"));
    replicas.forEach(replica -> replica.log("app").set("r1", 0));
    Recorder web = recorder("web1");
    flush();
    Answer live = new Answer();
    Thread reader = new Thread(() -> live.ask("SELECT STREAM" + QUESTION), "live");
    reader.setDaemon(true);
    reader.start();
    await().atMost(PATIENCE).until(() -> live.reached > Long.MIN_VALUE);

    long[] last = new long[1];
    List<Long> expected = runServices(replicas, web, new Random(seed), last);

    await().atMost(PATIENCE).until(() -> live.reached >= last[0]);
    Answer past = new Answer();
    past.ask("SELECT" + QUESTION);
    assertThat(past.steps).as("past, seed %d", seed).containsExactlyElementsOf(expected);
    // Nothing had been logged yet when the query began.
    assertThat(live.warnings)
        .containsExactlyInAnyOrder(
            "no variable step in app so far", "no variable message in app so far");
    assertThat(live.steps).as("live, seed %d", seed).containsExactlyElementsOf(expected);
    live.enough = true;
  }

  @Test
  void query_pairsOfEveryKind_keepTypesAndNames() throws IOException {
    Logger logger = logger(recorder("web1"));
    logger
        .atWarn()
        .addKeyValue("http.status", 504)
        .addKeyValue("retry", true)
        .addKeyValue("ratio", 0.5)
        .addKeyValue("ids", new int[] {3, 1})
        .addKeyValue("request", Map.of("path", "/x", "user", Map.of("id", 7)))
        .addKeyValue("message", "a pair, not the text")
        .addKeyValue("api-key", "hunter2")
        .log("timeout {}", "x".repeat(100_000));
    flush();

    Answer answer = new Answer();
    answer.ask(
        "SELECT `http.status`, retry, ratio, ids, request.user.id AS u, fields.message AS m,"
            + " Length(message@web1) AS n, COUNT n IN fields : (String(n) CONTAINS 'hunter2')"
            + " AS leaked FROM app WHEN EXISTS m IN message : (m LIKE 'timeout x%')");
    assertThat(answer.row)
        .containsExactly(
            atWeb1(Value.of(504)),
            atWeb1(Value.of(true)),
            atWeb1(Value.of(0.5)),
            atWeb1(Value.setOf(Value.of(1), Value.of(3))),
            atWeb1(Value.of(7)),
            atWeb1(Value.of("a pair, not the text")),
            Value.of(8192),
            Value.of(0));
  }

  private static Value atWeb1(Value value) {
    return new Value.StructValue(Map.of("web1", value));
  }

  private void flush() {
    recorders.forEach(recorder -> assertThat(recorder.flush(PATIENCE)).isTrue());
  }

  /** Writes, replicates and logs in a known order; returns the timeouts at stale cuts. */
  private List<Long> runServices(
      List<Recorder> replicas, Recorder web, Random random, long[] last) {
    Logger logger = logger(web);
    long[] versions = new long[replicas.size()];
    List<Long> expected = new ArrayList<>();
    long hlc = replicas.stream().mapToLong(Recorder::tick).max().orElseThrow();
    for (int step = 0; step < STEPS; step++) {
      int choice = random.nextInt(8);
      Recorder actor = choice < versions.length ? replicas.get(choice) : web;
      actor.observe(hlc);
      if (choice == 0) {
        actor.log("app").set("r1", ++versions[0]);
      } else if (choice < versions.length) {
        versions[choice] = Math.min(versions[0], versions[choice] + 2);
        actor.log("app").set("r1", versions[choice]);
      } else if (choice < 6) {
        logger.atWarn().addKeyValue("step", step).log("timeout after {} tries", 3);
        long behind = versions[0] - LongStream.of(versions).min().orElseThrow();
        if (behind >= 2) {
          expected.add((long) step);
        }
      } else {
        logger.atInfo().addKeyValue("step", step).log("in time");
      }
      hlc = actor.tick();
    }
    last[0] = hlc;
    assertThat(expected).hasSizeBetween(1, STEPS / 2);
    flush();
    return expected;
  }

  private Recorder recorder(String node) {
    Recorder recorder =
        Recorder.builder().node(node).sink(HttpSink.builder().server(server.uri()).build()).build();
    recorders.add(recorder);
    return recorder;
  }

  private Logger logger(Recorder recorder) {
    HlcAppender appender = new HlcAppender();
    appender.setContext(context);
    appender.setRecorder(recorder);
    appender.start();
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
    return context.getLogger("shop.Checkout");
  }

  /** The rows of one query. */
  private final class Answer implements RowSink {
    private final List<Long> steps = new CopyOnWriteArrayList<>();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private List<Value> row = List.of();
    private List<Column> columns = List.of();
    private volatile long reached = Long.MIN_VALUE;
    private volatile boolean enough;

    void ask(String query) {
      try (RqlClient client = new RqlClient(server.uri())) {
        client.run(query, this);
      } catch (IOException e) {
        throw new AssertionError(query, e);
      }
    }

    @Override
    public void columns(List<Column> columns) {
      this.columns = columns;
    }

    @Override
    public boolean row(Row found) {
      row =
          IntStream.range(0, columns.size())
              .filter(i -> !columns.get(i).automatic())
              .mapToObj(found.values()::get)
              .toList();
      if (row.get(0) instanceof Value.StructValue step
          && step.fields().get("web1") instanceof Value.LongValue number) {
        steps.add(number.value());
      }
      return true;
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }

    @Override
    public void progress(long cuts, long hlc) {
      reached = hlc;
    }

    @Override
    public boolean cancelled() {
      return enough;
    }
  }
}
