// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.RowJsonWriter;
import io.retroscope.server.health.FatalErrors;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queries that a server runs after its start over a {@link WarmUpHistory}, in a thread of its
 * own: afterwards Java has compiled the code of walks, which otherwise happens during a user's
 * first forty queries. After the first turn, a live query follows the history once.
 *
 * <p>While a user's query runs, the warm-up waits. A failure is logged and has no other effect.
 */
final class WarmUp implements AutoCloseable {
  private static final long PAUSE_MILLIS = 50;

  /** The pauses, for the queries of users, after which the code is warm from these. */
  private static final int MAX_PAUSES = 2_400;

  /** The looks at the compilers in the usual time. */
  private static final int LOOKS = 5;

  /** The part of a processor that Java's compilers use when little is left for them. */
  private static final double AT_REST = 0.1;

  /**
   * The questions about each log: each kind of walk that many queries share, and many rows, because
   * Java compiles what it has called some thousand times.
   */
  private static final List<String> QUESTIONS =
      List.of(
          "EXISTS a, b IN version : (a - b > 12)",
          "SPREAD(version) > 12 EMIT INTERVALS",
          "version@n1 - version@n0 > 12",
          "COUNT n IN NODES : (version@n % 50 = 0) >= 2",
          "version@n0 % 200 = 0 AND MAX(version) > 0",
          "version@n0 % 20 = 0",
          "SPREAD(version) > 60");

  private static final Logger logger = LoggerFactory.getLogger(WarmUp.class);

  private final Path folder;
  private final BooleanSupplier isBusy;
  private final Optional<URI> server;
  private final Extent extent;
  private final DoubleSupplier compilerUse;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ThreadMXBean processor = ManagementFactory.getThreadMXBean();
  private final Thread thread = new Thread(this::run, "warm-up");

  /* Owned by its thread: the number of live queries that came to their end, and the next look. */
  private int liveQueries;
  private long nextLookNanos;

  /**
   * How much is done.
   *
   * @param events of each log of the history
   * @param stores of the history: one, or several as the partitions of a cluster
   * @param cpuTime the processor time of its thread until the end
   * @param mostCpuTime the same on a slow or a busy machine, where it ends after the live query and
   *     when the compilers have come to rest
   */
  record Extent(int events, int stores, Duration cpuTime, Duration mostCpuTime) {
    /**
     * After this, little gets faster any more. The logs take turns often, so that Java sees all of
     * them before it compiles.
     */
    static final Extent DEFAULT =
        new Extent(48_000, 1, Duration.ofSeconds(5), Duration.ofSeconds(20));

    /** The same for a server of a cluster. */
    static final Extent CLUSTER =
        new Extent(48_000, 3, Duration.ofSeconds(5), Duration.ofSeconds(20));
  }

  /**
   * A warm-up that has not begun.
   *
   * @param folder for the history; nothing else uses it
   * @param isBusy whether a query of a user runs
   * @param server the address at which it answers requests without a token; empty if there is none
   * @param compilerUse as {@link CompilerUse}
   */
  WarmUp(
      Path folder,
      BooleanSupplier isBusy,
      Optional<URI> server,
      Extent extent,
      DoubleSupplier compilerUse) {
    this.folder = folder;
    this.isBusy = isBusy;
    this.server = server;
    this.extent = extent;
    this.compilerUse = compilerUse;
    thread.setDaemon(true);
  }

  void begin() {
    thread.start();
  }

  /** Ends the warm-up soon, and does not wait for its end. */
  @Override
  public void close() {
    ended.countDown();
  }

  private void run() {
    try (WarmUpHistory history = new WarmUpHistory(folder, extent.stores)) {
      sendRequests();
      history.write(extent.events);
      QueryEngine engine =
          new QueryEngine(history.source(), QueryLimits.DEFAULT.withWalkThreads(1));
      int queries = run(engine, new WarmUpStream(engine, history));
      logger.info(
          "warmed up with {} queries, {} of them live, in {} s of processor time",
          queries,
          liveQueries,
          String.format(Locale.ROOT, "%.1f", processor.getCurrentThreadCpuTime() / 1e9));
    } catch (InterruptedException | IOException | RuntimeException | Error e) {
      FatalErrors.check(e);
      if (ended.getCount() > 0) {
        logger.warn("the first queries will be slow, because the warm-up failed", e);
      } else {
        logger.info("the warm-up ended with the server");
      }
    }
  }

  /** A server that is too busy to answer itself needs the queries all the same. */
  private void sendRequests() throws IOException {
    try {
      if (server.isPresent()) {
        WarmUpRequests.send(server.get());
      }
    } catch (IOException e) {
      if (ended.getCount() == 0) {
        throw e;
      }
      logger.info("the warm-up sends no more requests, because one failed: {}", e.toString());
    }
  }

  /** Returns the number of queries that ran to their end. */
  private int run(QueryEngine engine, WarmUpStream stream) throws InterruptedException {
    List<PreparedQuery> questions = questions(engine);
    int count = 0;
    int pauses = 0;
    while (ended.getCount() > 0 && pauses < MAX_PAUSES && !isEnough(count > questions.size())) {
      if (!isBusy.getAsBoolean()) {
        Discarded rows = receiver(count / questions.size());
        if (count == questions.size()) {
          stream.run(written -> {}, rows::cancelled);
          liveQueries += rows.isStopped ? 0 : 1;
        } else {
          engine.run(questions.get(count % questions.size()), rows);
        }
        count += rows.isStopped ? 0 : 1;
      } else if (ended.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
        break;
      } else {
        pauses++;
      }
    }
    return count;
  }

  /**
   * Whether to end. A query of a user would wait for the code that is still to be compiled, of
   * which there is much if other processes use the processors.
   */
  private boolean isEnough(boolean hadLiveQuery) {
    long used = processor.getCurrentThreadCpuTime();
    if (used > extent.mostCpuTime.toNanos()) {
      return true;
    }
    if (used < nextLookNanos) {
      return false;
    }
    nextLookNanos = used + extent.cpuTime.toNanos() / LOOKS;
    boolean isAtRest = compilerUse.getAsDouble() < AT_REST;
    return isAtRest && hadLiveQuery && used > extent.cpuTime.toNanos();
  }

  private static List<PreparedQuery> questions(QueryEngine engine) {
    return QUESTIONS.stream()
        .flatMap(
            question ->
                WarmUpHistory.logs().stream()
                    .map(log -> "SELECT version FROM " + log + " WHEN " + question + ";"))
        .map(engine::prepare)
        .toList();
  }

  /**
   * The next receiver of rows. There are three kinds, because Java compiles calls for the only
   * receivers that it has seen, up to two, and compiles them again for that of a user's query.
   */
  private Discarded receiver(int turn) {
    return switch (turn % 3) {
      case 0 -> new Discarded();
      case 1 -> new AsJson();
      default -> new AsObjects();
    };
  }

  /** Rows as the server writes them into lines of JSON. */
  private final class AsJson extends Discarded {
    private RowJsonWriter rows = new RowJsonWriter(List.of());

    @Override
    public void columns(List<Column> columns) {
      rows = new RowJsonWriter(columns);
    }

    @Override
    public boolean row(Row row) {
      return !rows.text(row).isEmpty();
    }

    @Override
    public boolean cells(RowCells cells) {
      return rows.line(cells, (text, length) -> length > 0);
    }
  }

  /** Rows as other forms of answers need them. */
  private final class AsObjects extends Discarded {
    @Override
    public boolean cells(RowCells cells) {
      return row(cells.row());
    }
  }

  /** Rows that are not needed. */
  private class Discarded implements RowSink {
    boolean isStopped;

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return true;
    }

    @Override
    public boolean cells(RowCells cells) {
      return true;
    }

    @Override
    public void warning(String message) {}

    @Override
    public boolean cancelled() {
      isStopped |= ended.getCount() == 0 || isBusy.getAsBoolean();
      return isStopped;
    }
  }
}
