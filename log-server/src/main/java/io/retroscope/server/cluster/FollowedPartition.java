// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.cluster.NewsAnswer.News;
import io.retroscope.server.cluster.NewsAnswer.RunState;
import io.retroscope.server.cluster.NewsRequest.Known;
import io.retroscope.server.kafka.ReadProgress;
import io.retroscope.server.live.Inflow;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.run.Incarnation;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is known here of a partition that is followed wherever it is. While it is not read to its
 * end, the watermark waits: nodes that are not known yet may write to it. It also waits while no
 * server has all that another one has reported: that cannot be read.
 *
 * <p>Any server that has the partition may be followed: it decides what is known by the offset that
 * it has reached, and the end of the partition is that of the topic. So an owner that was replaced,
 * or a copy that lags, can only delay the watermark. Thread-safe.
 */
final class FollowedPartition implements Inflow {
  /** The age of the last known end from which on the watermark waits. */
  static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The time for which a copy is followed: it lags about a second. */
  static final long RETURN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final int partition;
  private final MonotonicClock clock;
  private final Map<Incarnation.Name, RunState> runs = new HashMap<>();
  private final List<RunState> arriving = new ArrayList<>();
  private final ReadProgress progress = new ReadProgress(0, NEVER);
  private long feed;
  private long number;
  private boolean isKnown;

  /** Whether the server that is followed has answered and has all that is known. */
  private boolean isReadable;

  private List<URI> servers = List.of();
  private int attempt;
  private long chosenNanos;

  /** When the server was chosen, or anything came from it. */
  private long movedNanos;

  // Read by the watermark's tracker, which must not wait for the lock of this object.
  private volatile long completeNanos = NEVER;
  private volatile @Nullable URI server;
  private volatile String failure = "";

  /** Why the server that has answered reads no further; empty if it does. */
  private volatile String standstill = "";

  private volatile String endFailure = "";

  FollowedPartition(int partition, MonotonicClock clock) {
    this.partition = partition;
    this.clock = clock;
    this.movedNanos = clock.nanos();
  }

  /**
   * Chooses the server to follow: the first one, unless it fails or lags; then it is tried again
   * after a while.
   *
   * @param having the servers that have the partition, the owner first
   */
  synchronized void choose(List<URI> having) {
    if (!having.equals(servers)) {
      servers = List.copyOf(having);
      select(0);
    } else if (isLate() && clock.nanos() - movedNanos > LATE_NANOS) {
      select(attempt + 1);
    } else if (attempt > 0 && clock.nanos() - chosenNanos > RETURN_NANOS) {
      select(0);
    }
  }

  private void select(int next) {
    attempt = next;
    chosenNanos = clock.nanos();
    movedNanos = chosenNanos;
    server = servers.isEmpty() ? null : servers.get(attempt % servers.size());
  }

  /** The server that is followed. */
  Optional<URI> server() {
    return Optional.ofNullable(server);
  }

  /** Notes that a server does not answer. */
  synchronized void failed(URI which, String reason) {
    if (which.equals(server)) {
      failure = reason;
      standstill = "";
      isReadable = false;
      select(attempt + 1);
    }
  }

  /**
   * Notes that a server does not have the partition, or not all that is known of it.
   *
   * @param trouble why the partition is not read further there; may be empty
   */
  synchronized void absent(URI which, String trouble) {
    String other = cause().isEmpty() ? which + " does not have it yet" : cause();
    failed(which, trouble.isEmpty() ? other : which + ": " + trouble);
  }

  /**
   * Notes that a server has answered, and has all that is known.
   *
   * @param trouble why the partition is not read further there; may be empty
   */
  synchronized void present(URI which, String trouble) {
    if (which.equals(server)) {
      isReadable = true;
      standstill = trouble.isEmpty() ? "" : which + ": " + trouble;
    }
  }

  synchronized Known known() {
    return new Known(partition, feed, number, progress.next());
  }

  /** The offset before which all records are known. */
  synchronized long offset() {
    return progress.next();
  }

  /** What news change. */
  record Change(News news, List<Incarnation> runs, boolean isFirst) {}

  /**
   * Takes news.
   *
   * @param before the known state when they were requested
   * @return what has changed; empty if other news came meanwhile, or more must come first
   * @throws IOException if they are of another version
   */
  synchronized Optional<Change> take(News news, Known before) throws IOException {
    if (!before.equals(known())) {
      return Optional.empty();
    }
    if (news.feed() != feed) {
      feed = news.feed();
      arriving.clear();
    }
    number = news.number();
    movedNanos = clock.nanos();
    arriving.addAll(news.runs());
    if (!news.isLast()) {
      return Optional.empty();
    }
    List<Incarnation> changed = changed();
    arriving.clear();
    boolean isFirst = !isKnown;
    isKnown = true;
    progress.stored(news.offset());
    failure = "";
    return Optional.of(new Change(news, changed, isFirst));
  }

  /** Notes the runs that have come, all or none of them, and returns those that have changed. */
  private List<Incarnation> changed() throws IOException {
    List<Incarnation> read = new ArrayList<>();
    for (RunState state : arriving) {
      read.add(state.run());
    }
    List<Incarnation> changed = new ArrayList<>();
    for (int i = 0; i < read.size(); i++) {
      Incarnation run = read.get(i);
      RunState state = arriving.get(i);
      RunState old = runs.put(run.name(), state);
      if (old == null || !Arrays.equals(old.state(), state.state())) {
        changed.add(run);
      }
      if (run.isForgotten()) {
        runs.remove(run.name());
      }
    }
    return changed;
  }

  /** Notes that everything taken was published, so that the watermark may pass it. */
  synchronized void published() {
    completeNanos = progress.completeNanos();
  }

  /** Notes the end of the partition in the topic, which was queried after an instant. */
  synchronized void ends(long end, long queriedNanos) {
    endFailure = "";
    if (isKnown && isReadable) {
      progress.ends(end, queriedNanos);
      completeNanos = progress.completeNanos();
    }
  }

  /** Notes why the end of the partition is not known. */
  void endUnknown(String reason) {
    endFailure = reason;
  }

  @Override
  public long completeAsOfNanos() {
    return completeNanos;
  }

  /** Whether its end is not known, or has not been reached recently. */
  boolean isLate() {
    long complete = completeNanos;
    return complete == NEVER || clock.nanos() - complete > LATE_NANOS;
  }

  @Override
  public long bound() {
    return isLate() ? HlcTimestamp.MIN_PACKED : HlcTimestamp.MAX_PACKED;
  }

  @Override
  public Optional<String> holding() {
    return isLate()
        ? Optional.of("partition %d is not read to its end: %s".formatted(partition, reason()))
        : Optional.empty();
  }

  private String cause() {
    return standstill.isEmpty() ? failure : standstill;
  }

  private String reason() {
    URI followed = server;
    if (!endFailure.isEmpty()) {
      return endFailure;
    }
    if (followed == null) {
      return "no server has it";
    }
    String known = cause();
    return known.isEmpty() ? "it is being read at " + followed : known;
  }
}
