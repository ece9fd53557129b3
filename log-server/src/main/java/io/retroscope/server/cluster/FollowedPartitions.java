// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.cluster.FollowedPartition.Change;
import io.retroscope.server.cluster.NewsAnswer.News;
import io.retroscope.server.cluster.NewsRequest.Known;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.kafka.KafkaIngestException;
import io.retroscope.server.lines.Arrivals;
import io.retroscope.server.lines.NoticedArrivals;
import io.retroscope.server.live.BlockNotice;
import io.retroscope.server.live.Inflow;
import io.retroscope.server.live.LateLog;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.WatermarkTracker;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All partitions as this server follows them for live queries: it learns from one server of each
 * how far its runs are known, and of late blocks. Thread-safe.
 */
final class FollowedPartitions implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(FollowedPartitions.class);

  /** The interval at which it is decided which servers are followed. */
  private static final long CHOICE_MILLIS = 100;

  /** The interval at which the ends of the partitions are queried. */
  private static final long ENDS_MILLIS = 250;

  /** The longest wait of a server that has no news. */
  private static final long WAIT_MILLIS = 500;

  /** The pause between two requests to a server while a live query runs here. */
  private static final long PAUSE_MILLIS = 5;

  /** The pause between two requests otherwise, or after one that has failed. */
  private static final long LONG_PAUSE_MILLIS = 100;

  private final Sources sources;
  private final WatermarkTracker watermarks;
  private final LateLog late;
  private final MonotonicClock clock;
  private final List<FollowedPartition> partitions = new ArrayList<>();
  private final Set<URI> followed = ConcurrentHashMap.newKeySet();
  private final Set<NoticedArrivals> arrivals = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService periodic = Executors.newScheduledThreadPool(2);
  private final ExecutorService following = Executors.newCachedThreadPool();
  private volatile boolean complete;
  private volatile Map<Integer, Long> ends = Map.of();

  /**
   * Where the partitions and their news are.
   *
   * @param servers for each partition those that have it, the owner first
   * @param listens whether anything is followed here
   */
  record Sources(
      EventTopic topic,
      Supplier<Map<Integer, List<URI>>> servers,
      NewsSource news,
      BooleanSupplier listens) {}

  /**
   * Nothing is followed before {@link #begin}.
   *
   * @param watermarks of all nodes of the topic, whose only inflows are the partitions
   * @param late begins when all partitions are known
   */
  FollowedPartitions(
      Sources sources, WatermarkTracker watermarks, LateLog late, MonotonicClock clock) {
    this.sources = sources;
    this.watermarks = watermarks;
    this.late = late;
    this.clock = clock;
    for (int i = 0; i < sources.topic().partitionCount(); i++) {
      FollowedPartition partition = new FollowedPartition(i, clock);
      partitions.add(partition);
      watermarks.addInflow(partition);
    }
  }

  void begin() {
    ScheduledFuture<?> unused =
        periodic.scheduleWithFixedDelay(this::choose, 0, CHOICE_MILLIS, TimeUnit.MILLISECONDS);
    ScheduledFuture<?> unusedToo =
        periodic.scheduleWithFixedDelay(this::queryEnds, 0, ENDS_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void choose() {
    try {
      Map<Integer, List<URI>> servers = sources.servers().get();
      for (int i = 0; i < partitions.size(); i++) {
        FollowedPartition partition = partitions.get(i);
        partition.choose(servers.getOrDefault(i, List.of()));
        partition.server().filter(followed::add).ifPresent(this::beginToFollow);
      }
    } catch (RuntimeException | Error e) {
      failed("the servers to follow could not be chosen", e);
    }
  }

  private void beginToFollow(URI server) {
    try {
      following.execute(() -> follow(server));
    } catch (RejectedExecutionException e) {
      followed.remove(server); // This server is shutting down.
    }
  }

  /** Follows a server for as long as it is chosen for any partition. */
  private void follow(URI server) {
    try {
      for (List<FollowedPartition> own = of(server); !own.isEmpty(); own = of(server)) {
        boolean isWell = ask(server, own);
        TimeUnit.MILLISECONDS.sleep(
            isWell && watermarks.isAwaited() ? PAUSE_MILLIS : LONG_PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      failed("following " + server + " begins again after a failure", e);
    } finally {
      followed.remove(server);
    }
  }

  private List<FollowedPartition> of(URI server) {
    return partitions.stream()
        .filter(partition -> partition.server().filter(server::equals).isPresent())
        .toList();
  }

  /**
   * Requests news of a server once; returns whether it has all partitions for which it is followed.
   */
  private boolean ask(URI server, List<FollowedPartition> own) throws InterruptedException {
    List<Known> known = own.stream().map(FollowedPartition::known).toList();
    NewsRequest request =
        new NewsRequest(
            sources.topic().id().toString(),
            known,
            complete ? WAIT_MILLIS : 0,
            sources.listens().getAsBoolean());
    try {
      NewsAnswer answer = sources.news().ask(server, request);
      for (News news : answer.news()) {
        for (Known before : known) {
          if (before.partition() == news.partition()) {
            take(news, before);
          }
        }
      }
      for (Known of : known) {
        String trouble = answer.troubles().getOrDefault(of.partition(), "");
        if (answer.absent().contains(of.partition())) {
          partitions.get(of.partition()).absent(server, trouble);
        } else {
          partitions.get(of.partition()).present(server, trouble);
        }
      }
      return answer.absent().isEmpty();
    } catch (IOException e) {
      String reason = server + " does not answer: " + e.getMessage();
      own.forEach(partition -> partition.failed(server, reason));
      return false;
    }
  }

  private synchronized void take(News news, Known before) throws IOException {
    FollowedPartition partition = partitions.get(news.partition());
    Optional<Change> taken = partition.take(news, before);
    if (taken.isEmpty()) {
      return;
    }
    Change change = taken.get();
    if (!change.isFirst()) {
      news.notices().forEach(this::noticed);
    }
    watermarks.heard(change.runs());
    late.heard(change.runs());
    watermarks.published();
    partition.published();
  }

  private void noticed(BlockNotice block) {
    watermarks.noticed(block);
    late.noticed(block);
    arrivals.forEach(reader -> reader.noticed(block));
  }

  /** The events that arrive from now on, which views of the present contain once noticed. */
  Arrivals arrivals(EventSource present) {
    return NoticedArrivals.among(arrivals, present, clock);
  }

  private void queryEnds() {
    try {
      long queried = clock.nanos();
      ends = sources.topic().ends();
      note(queried);
    } catch (KafkaIngestException e) {
      String reason = String.valueOf(e.getMessage());
      partitions.forEach(partition -> partition.endUnknown(reason));
    } catch (RuntimeException | Error e) {
      failed("the ends of the partitions could not be queried", e);
    }
  }

  /** The connections used here are closed while the threads end. */
  private void failed(String what, Throwable reason) {
    FatalErrors.check(reason);
    if (!periodic.isShutdown()) {
      logger.error(what, reason);
    }
  }

  private synchronized void note(long queriedNanos) {
    ends.forEach((number, end) -> partitions.get(number).ends(end, queriedNanos));
    if (!complete && partitions.stream().noneMatch(FollowedPartition::isLate)) {
      // Runs that are known from before count for as long as the idle timeout, and not as news.
      watermarks.awaitKnown(0);
      late.begin();
      complete = true;
      logger.info("all {} partitions are followed", partitions.size());
    }
  }

  /** The ends of the partitions in the topic, as of less than a second ago while it answers. */
  Map<Integer, Long> ends() {
    return ends;
  }

  /** Why no live query can begin yet, in one sentence; empty if one can. */
  Optional<String> incompleteness() {
    return complete
        ? Optional.empty()
        : watermarks.holdingInflows().stream()
            .findFirst()
            .or(() -> Optional.of("the partitions are not followed yet"));
  }

  /** The instant up to which everything has come that was in the topic. */
  long completeNanos() {
    return partitions.stream()
        .mapToLong(FollowedPartition::completeAsOfNanos)
        .min()
        .orElse(Inflow.NEVER);
  }

  /** The offset of each partition before which all records are known. */
  Map<Integer, Long> offsets() {
    Map<Integer, Long> offsets = new TreeMap<>();
    for (int i = 0; i < partitions.size(); i++) {
      offsets.put(i, partitions.get(i).offset());
    }
    return offsets;
  }

  @Override
  public void close() {
    periodic.shutdownNow();
    following.shutdownNow();
  }
}
