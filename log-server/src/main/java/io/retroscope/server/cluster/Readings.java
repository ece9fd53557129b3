// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.server.live.MonotonicClock;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;

/**
 * The answers to the requests of other servers: views of the partitions here, which stay open until
 * they are closed or unused for too long. Thread-safe.
 */
public final class Readings implements AutoCloseable {
  /** The largest number of open readings; a query has one per partition. */
  private static final int MAX_OPEN = 2_000;

  /** The largest number of scans that are sent at the same time, each by a thread. */
  private static final int MAX_SCANS = 256;

  /** A query that computes for longer between two pieces begins its reading again. */
  private static final long MAX_UNUSED_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final int ID_BYTES = 16;

  /** The largest number of requests for news that wait at the same time, one per server. */
  public static final int MAX_FOLLOWERS = 64;

  private static final long MAX_WAIT_MILLIS = 5_000;

  /** The largest number of requests that wait for records at the same time. */
  public static final int MAX_OPENERS = 64;

  /** The age of a request from which on it does not say what its server follows. */
  private static final long MAX_LISTENING_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The path of news, at each server. */
  public static final String NEWS_PATH = "/v1/cluster/news";

  /** The path of readings, at each server. */
  public static final String PATH = "/v1/cluster/readings";

  /** The path of the quarantine of a partition, at each server. */
  public static final String QUARANTINE_PATH = "/v1/cluster/quarantine";

  /** The header of requests with their {@link #VERSION}. */
  public static final String VERSION_HEADER = "Retroscope-Cluster";

  /** The version of requests between servers and of the answers to them. */
  static final String VERSION = "1";

  private static final String OF_ANOTHER_VERSION =
      "the request is of another version of Retroscope: run one version on all servers";

  /** The media type of requests and of answers other than pieces. */
  public static final String JSON = "application/json";

  /** The media type of pieces. */
  public static final String PIECES = PieceFormat.MEDIA_TYPE;

  private final Partitions partitions;
  private final byte[] token;
  private final MonotonicClock clock;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, OpenReading> open = new ConcurrentHashMap<>();
  private final Semaphore scans = new Semaphore(MAX_SCANS);
  private final Semaphore followers = new Semaphore(MAX_FOLLOWERS);
  private final Semaphore openers = new Semaphore(MAX_OPENERS);
  private volatile long listenedNanos;

  /** Use of a view by requests, whose end closes it after the last of them. */
  private final class OpenReading {
    private final StoredPart part;
    private int users;
    private boolean closed;
    private long usedNanos = clock.nanos();

    OpenReading(StoredPart part) {
      this.part = part;
    }

    synchronized boolean enter() {
      if (closed) {
        return false;
      }
      users++;
      return true;
    }

    synchronized void leave() {
      users--;
      usedNanos = clock.nanos();
      closeUnused();
    }

    synchronized boolean isUnused() {
      return users == 0 && clock.nanos() - usedNanos > MAX_UNUSED_NANOS;
    }

    synchronized void close() {
      closed = true;
      closeUnused();
    }

    private void closeUnused() {
      if (closed && users == 0) {
        part.close();
      }
    }
  }

  /** The reason why a request cannot be answered, with the HTTP status that says so. */
  public static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;

    RefusedException(int status, String message) {
      super(message);
      this.status = status;
    }

    /** The HTTP status. */
    public int status() {
      return status;
    }
  }

  Readings(Partitions partitions, String token, MonotonicClock clock) {
    this.partitions = partitions;
    this.token = token.getBytes(StandardCharsets.UTF_8);
    this.clock = clock;
    listenedNanos = clock.nanos() - MAX_LISTENING_NANOS;
  }

  /** Whether anything is followed at another server that follows partitions here. */
  boolean isAnyoneListening() {
    return clock.nanos() - listenedNanos < MAX_LISTENING_NANOS;
  }

  /**
   * Checks that a request comes from a server of the cluster, which understands the answer.
   *
   * @param authorization its header of that name; empty if it has none
   * @param version its {@link #VERSION_HEADER}; empty if it has none
   * @throws RefusedException if it does not have the cluster's token, or is of another version
   */
  public void admit(String authorization, String version) throws RefusedException {
    byte[] given = authorization.getBytes(StandardCharsets.UTF_8);
    byte[] wanted =
        ("Bearer " + new String(token, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
    if (!MessageDigest.isEqual(given, wanted)) {
      throw new RefusedException(
          401, "the servers of a cluster need the same token: check --cluster-token-file");
    }
    if (!version.equals(VERSION)) {
      throw new RefusedException(409, OF_ANOTHER_VERSION);
    }
  }

  /**
   * Opens a reading.
   *
   * @param request an opening, as JSON
   * @return the reading's id and facts, as JSON
   * @throws RefusedException if the partition is not here, or not as far as requested
   */
  public byte[] open(byte[] request) throws RefusedException, InterruptedException {
    Opening opening = parse(request, Opening.class);
    if (open.size() >= MAX_OPEN) {
      throw new RefusedException(503, "too many readings are open here; try again in a second");
    }
    await(opening);
    Optional<StoredPart> part = partitions.open(opening);
    if (part.isEmpty()) {
      throw new RefusedException(409, partitions.absence(opening));
    }
    byte[] idBytes = new byte[ID_BYTES];
    random.nextBytes(idBytes);
    String id = HexFormat.of().formatHex(idBytes);
    OpenReading reading = new OpenReading(part.get());
    open.put(id, reading);
    return ClusterJson.MAPPER.writeValueAsBytes(new Opened(id, reading.part.facts()));
  }

  /**
   * Waits for news of partitions.
   *
   * @param request a request for news, as JSON
   * @return the news, as JSON
   * @throws RefusedException if the request cannot be understood, or too many wait
   */
  public byte[] news(byte[] request) throws RefusedException, InterruptedException {
    NewsRequest wanted = parse(request, NewsRequest.class);
    if (wanted.waitMillis() > MAX_WAIT_MILLIS) {
      throw new RefusedException(400, "waitMillis is at most " + MAX_WAIT_MILLIS);
    }
    if (wanted.listens()) {
      listenedNanos = clock.nanos();
    }
    if (!followers.tryAcquire()) {
      throw new RefusedException(503, "too many servers wait for news here");
    }
    try {
      return ClusterJson.MAPPER.writeValueAsBytes(partitions.await(wanted, clock));
    } finally {
      followers.release();
    }
  }

  /**
   * The quarantine of a partition.
   *
   * @param request an opening, as JSON
   * @return the quarantined events, as JSON
   * @throws RefusedException if the partition is not here, or not as far as requested
   */
  public byte[] quarantine(byte[] request) throws RefusedException, InterruptedException {
    Opening opening = parse(request, Opening.class);
    await(opening);
    PartQuarantine quarantine =
        partitions
            .quarantine(opening)
            .orElseThrow(() -> new RefusedException(409, partitions.absence(opening)));
    return ClusterJson.MAPPER.writeValueAsBytes(quarantine);
  }

  /** Waits for records, unless too many requests do: theirs are tried again. */
  private void await(Opening opening) throws RefusedException, InterruptedException {
    if (opening.waitMillis() > Opening.MAX_WAIT_MILLIS) {
      throw new RefusedException(400, "waitMillis is at most " + Opening.MAX_WAIT_MILLIS);
    }
    if (openers.tryAcquire()) {
      try {
        partitions.await(opening, clock);
      } finally {
        openers.release();
      }
    }
  }

  /** Closes readings that are unused for too long; called periodically. */
  void closeUnused() {
    open.values().stream().filter(OpenReading::isUnused).forEach(OpenReading::close);
    open.values().removeIf(reading -> reading.closed);
  }

  /** The number of open readings. */
  int openCount() {
    return open.size();
  }

  /** An answer of a reading, of a media type, which is written once. */
  public interface Answer {
    /** {@link #JSON} or {@link #PIECES}. */
    String mediaType();

    /** Writes it; without its end if that is not possible. */
    void writeTo(OutputStream out) throws IOException;
  }

  /**
   * Answers a request about an open reading; the answer must be written.
   *
   * @throws RefusedException if the reading is not open, or the request cannot be understood
   */
  public Answer answer(String id, byte[] request) throws RefusedException {
    ReadingRequest wanted = parse(request, ReadingRequest.class);
    OpenReading reading = open.get(id);
    if (reading == null || !reading.enter()) {
      throw new RefusedException(404, "the reading is not open here");
    }
    if (wanted.what() == ReadingRequest.What.SCAN && !scans.tryAcquire()) {
      reading.leave();
      throw new RefusedException(503, "too many scans run here; try again in a second");
    }
    return new Answer() {
      @Override
      public String mediaType() {
        return wanted.what() == ReadingRequest.What.SCAN ? PIECES : JSON;
      }

      @Override
      public void writeTo(OutputStream out) throws IOException {
        try {
          write(id, reading, wanted, out);
        } finally {
          if (wanted.what() == ReadingRequest.What.SCAN) {
            scans.release();
          }
          reading.leave();
        }
      }
    };
  }

  private void write(String id, OpenReading reading, ReadingRequest wanted, OutputStream out)
      throws IOException {
    switch (wanted.what()) {
      case SCAN -> {
        try (PieceFeed feed = reading.part.scan(wanted.scan().orElseThrow())) {
          PieceFormat.write(feed, out);
        }
      }
      case DOUBTS -> write(reading.part.doubts(wanted.range()), out);
      case PRESENCES -> {
        List<ListedPresence> listed =
            reading.part.presences().stream().map(ListedPresence::of).toList();
        write(listed, out);
      }
      case MAY_WRITE -> write(reading.part.mayWrite(wanted.node().orElse(""), wanted.logs()), out);
      case BLOCK_COUNT -> write(reading.part.blockCount(), out);
      case TILE -> write(tile(reading.part, wanted.tile().orElseThrow()), out);
      case CLOSE -> {
        open.remove(id);
        reading.close();
        write(true, out);
      }
    }
  }

  static TileAnswer tile(PartView part, TileRequest wanted) {
    try {
      return TileAnswer.of(part.tile(wanted));
    } catch (TileMaker.TooLargeException e) {
      return TileAnswer.of(e);
    }
  }

  private static void write(Object answer, OutputStream out) throws IOException {
    out.write(ClusterJson.MAPPER.writeValueAsBytes(answer));
  }

  private static <T> T parse(byte[] request, Class<T> type) throws RefusedException {
    try {
      return ClusterJson.MAPPER.readValue(request, type);
    } catch (JacksonException e) {
      throw new RefusedException(400, OF_ANOTHER_VERSION);
    }
  }

  @Override
  public void close() {
    open.values().forEach(OpenReading::close);
    open.clear();
  }
}
