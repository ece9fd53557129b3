// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Slicing;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.kafka.KafkaIngestException;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.PartitionException;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of all partitions, wherever they are. A view contains at least everything that was
 * acknowledged before it was opened: of each partition, the records before the topic's end at that
 * time. Thread-safe.
 */
final class ClusterSource implements EventSource, AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(ClusterSource.class);
  private static final long PAUSE_MILLIS = 50;

  /** The largest number of servers that walk slices of one query. */
  private static final int MAX_HOSTS = 32;

  /** The time for one server to answer; then another one may have the partition, too. */
  private static final Duration OPEN_TIMEOUT = Duration.ofSeconds(2);

  private final EventTopic topic;
  private final Partitions partitions;
  private final Holders holders;
  private final String token;
  private final Duration deadline;
  private final MonotonicClock clock;
  private final ClusterClocks clocks;
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(OPEN_TIMEOUT)
          .build();
  private final PartThreads threads = new PartThreads();
  private final ScheduledExecutorService watch = Watch.newThread();
  private final CountDownLatch closing = new CountDownLatch(1);

  ClusterSource(
      ClusterOptions options,
      EventTopic topic,
      Partitions partitions,
      Holders holders,
      AlignmentSettings alignment,
      MonotonicClock clock) {
    this.topic = topic;
    this.partitions = partitions;
    this.holders = holders;
    this.token = options.token();
    this.deadline = options.deadline();
    this.clock = clock;
    this.clocks = new ClusterClocks(alignment, clock);
  }

  /**
   * Opens a view.
   *
   * @throws PartitionException if the broker does not answer, or if no server has a partition
   *     within the deadline
   */
  @Override
  public MergedView open() {
    return open(ends(), deadline, clocks::of);
  }

  /**
   * Opens a view as {@link #open()} does, but does not wait for a partition that moves.
   *
   * @throws PartitionException if the broker does not answer, or if no server has a partition
   *     within two seconds
   */
  MergedView openSoon() {
    return open(ends(), OPEN_TIMEOUT.compareTo(deadline) < 0 ? OPEN_TIMEOUT : deadline, clocks::of);
  }

  private Map<Integer, Long> ends() {
    try {
      return topic.ends();
    } catch (KafkaIngestException e) {
      throw new PartitionException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Opens a view of the present, which contains the records of each partition before an offset.
   *
   * @throws PartitionException if no server has a partition now
   */
  View openPresent(Map<Integer, Long> ends) {
    return open(
        ends,
        Duration.ZERO,
        (marks, evidence) ->
            clocks.recent(marks, evidence, () -> threads.later(() -> align(ends))));
  }

  /** The offsets of the clocks for what follows the present, which may be of seconds before. */
  ClockOffsets presentClocks(Map<Integer, Long> ends) {
    Optional<ClockOffsets> fresh = clocks.known(false);
    if (fresh.isPresent()) {
      return fresh.get();
    }
    try (View view = openPresent(ends)) {
      return view.clockOffsets();
    } catch (StoreException e) { // A partition moves.
      return clocks.known(true).orElse(ClockOffsets.UNKNOWN);
    }
  }

  private void align(Map<Integer, Long> ends) {
    try (View view = open(ends, Duration.ZERO, clocks::of)) {
      ClockOffsets unused = view.clockOffsets();
    } catch (StoreException e) {
      logger.debug("clocks are not aligned again now: {}", e.getMessage());
    } finally {
      clocks.refreshed();
    }
  }

  /**
   * The quarantines of all partitions, with everything that was acknowledged before.
   *
   * @throws PartitionException as for {@link #open()}
   */
  Map<Integer, PartQuarantine> quarantines() {
    return quarantines(ends());
  }

  /**
   * The quarantines of partitions, with their records before an offset.
   *
   * @throws PartitionException if no server has one of them within the deadline
   */
  Map<Integer, PartQuarantine> quarantines(Map<Integer, Long> ends) {
    Map<Integer, PartQuarantine> quarantines = new ConcurrentHashMap<>();
    List<Integer> unused =
        threads.each(
            List.copyOf(ends.entrySet()),
            end -> {
              Opening opening = opening(end.getKey(), end.getValue());
              quarantines.put(end.getKey(), anywhere(opening, deadline, 0, this::quarantine));
              return end.getKey();
            });
    return quarantines;
  }

  private PartQuarantine quarantine(Opening opening, Optional<URI> place)
      throws IOException, InterruptedException {
    if (place.isPresent()) {
      return server(place.get())
          .ask(Readings.QUARANTINE_PATH, opening, PartQuarantine.class, OPEN_TIMEOUT);
    }
    partitions.await(opening, clock);
    return partitions
        .quarantine(opening)
        .orElseThrow(() -> new IOException(partitions.absence(opening)));
  }

  /**
   * Opens a view that contains the records of each partition before an offset.
   *
   * @param patience the time to wait for a server that has a partition; none if it is zero
   * @throws PartitionException if no server has a partition within that time
   */
  MergedView open(Map<Integer, Long> ends, Duration patience, ViewClocks aligned) {
    Queue<PartView> opened = new ConcurrentLinkedQueue<>();
    try {
      List<PartView> parts =
          threads.each(
              List.copyOf(ends.entrySet()),
              end -> {
                Opening opening = opening(end.getKey(), end.getValue());
                PartView part =
                    new ResumingPart(
                        end.getKey(),
                        (partition, turn) -> anywhere(opening, patience, turn, this::open));
                opened.add(part);
                return part;
              });
      return new MergedView(
          threads, parts, aligned, view -> hosts(List.copyOf(ends.keySet()), view));
    } catch (RuntimeException e) {
      opened.forEach(PartView::close);
      throw e;
    }
  }

  /**
   * The other servers, of which each has all events or finds them as this one does. None if records
   * arrived while the view was opened: all slices must have the same events.
   */
  private List<Slicing.Host> hosts(List<Integer> numbers, MergedView view) {
    if (!view.isExact()) {
      return List.of();
    }
    Map<Integer, SliceOpening.Content> contents = new LinkedHashMap<>();
    for (int i = 0; i < numbers.size(); i++) {
      contents.put(numbers.get(i), view.contents().get(i));
    }
    return numbers.stream()
        .flatMap(partition -> holders.of(partition).stream())
        .flatMap(Optional::stream)
        .distinct()
        .sorted()
        .limit(MAX_HOSTS)
        .<Slicing.Host>map(
            address ->
                new SliceHost(
                    server(address), topic.id().toString(), Collections.unmodifiableMap(contents)))
        .toList();
  }

  /** The slices that this server walks for the queries of others. */
  Slices slices() {
    return new Slices(topic.id().toString(), this::openSlice);
  }

  private View openSlice(SliceOpening wanted) {
    Map<Integer, Long> ends = new LinkedHashMap<>();
    wanted.parts().forEach((partition, content) -> ends.put(partition, content.end()));
    MergedView view = open(ends, OPEN_TIMEOUT, ViewClocks.NONE);
    if (!view.hasEventsOf(wanted)) {
      view.close();
      throw new PartitionException(
          "records have arrived since the query began, or retention has removed other events here");
    }
    return view;
  }

  private Opening opening(int partition, long offset) {
    return new Opening(topic.id().toString(), partition, offset, 0);
  }

  /** What a server answers about a partition. */
  private interface Question<T> {
    T ask(Opening opening, Optional<URI> place) throws IOException, InterruptedException;
  }

  /**
   * Requests something about a partition here or at another server; tries at least once. Its owner
   * is the first that stores new records, and waits for them.
   *
   * @param turn how often that was done before: a server that has just failed comes last
   */
  private <T> T anywhere(Opening opening, Duration patience, int turn, Question<T> question) {
    long until = clock.nanos() + patience.toNanos();
    String reason = "";
    do {
      List<Optional<URI>> having = holders.of(opening.partition());
      for (Optional<URI> place : places(having, turn)) {
        boolean isOwner = !having.isEmpty() && place.equals(having.get(0));
        try {
          return question.ask(isOwner ? opening.waiting(patience) : opening, place);
        } catch (IOException e) {
          reason = place.map(URI::toString).orElse("here") + ": " + e.getMessage();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new PartitionException("interrupted while a partition was opened", e);
        }
      }
    } while (clock.nanos() < until && !closesSoon());
    throw new PartitionException(
        "no server has partition %d up to offset %d (%s)"
            .formatted(opening.partition(), opening.offset(), reason));
  }

  /** This server, which is empty, and others, in the order in which they are tried. */
  static List<Optional<URI>> places(List<Optional<URI>> having, int turn) {
    List<Optional<URI>> places = new ArrayList<>(List.of(Optional.empty()));
    having.stream().filter(Optional::isPresent).forEach(places::add);
    Collections.rotate(places, -turn);
    return places;
  }

  private PartView open(Opening opening, Optional<URI> place)
      throws IOException, InterruptedException {
    if (place.isPresent()) {
      return HttpPart.open(server(place.get()), opening);
    }
    partitions.await(opening, clock);
    return partitions.open(opening).orElseThrow(() -> new IOException(partitions.absence(opening)));
  }

  /** The way to another server. */
  HttpPart.Server server(URI address) {
    return new HttpPart.Server(client, address, token, OPEN_TIMEOUT, watch);
  }

  private boolean closesSoon() {
    try {
      return closing.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  @Override
  public void close() {
    closing.countDown();
    watch.shutdownNow();
    threads.close();
  }
}
