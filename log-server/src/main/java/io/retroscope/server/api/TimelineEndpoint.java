// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileJson;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.server.memory.LruCache;
import io.retroscope.server.memory.MemoryBudget;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * {@code GET /v1/timeline/{level}/{tile}}: counts and extremes of 1,024 bins of time, with an ETag
 * by content. Tiles are kept, and made again if their blocks or losses have changed. Thread-safe.
 */
final class TimelineEndpoint implements AutoCloseable {
  static final String PATH = "/v1/timeline/{level}/{tile}";

  private static final int MAX_COUNT = 4;

  /**
   * The memory of one tile with the most nodes and variables, and of its text. With a smaller heap
   * a tile may have fewer nodes.
   */
  private static final long TILE_BYTES = 64L << 20;

  /** The largest amount of memory for tiles that are kept, and its part of the budget. */
  private static final long KEPT_BYTES = 32L << 20;

  private static final int KEPT_SHARE = 16;

  private final Tiles tiles;
  private final TileMaker.Limits limits;
  private final MemoryBudget memory;
  private final long tileBytes;
  private final LongSupplier watermark;
  private final Semaphore looking = new Semaphore(MAX_COUNT);
  private final Semaphore running = new Semaphore(MAX_COUNT);
  private final LruCache<Wanted, Made> kept;

  /**
   * An endpoint.
   *
   * @param watermark the packed stamp up to which no more events are expected
   */
  TimelineEndpoint(
      Tiles tiles, TileMaker.Limits limits, MemoryBudget memory, LongSupplier watermark) {
    this.tiles = tiles;
    this.memory = memory;
    this.tileBytes = Math.min(TILE_BYTES, memory.maxChargeBytes());
    this.limits = limits.within(tileBytes, TILE_BYTES);
    this.watermark = watermark;
    this.kept =
        new LruCache<>(
            Math.min(KEPT_BYTES, memory.totalBytes() / KEPT_SHARE), Made::memoryBytes, memory);
  }

  /**
   * A tile, as a request names it.
   *
   * @param logs all if empty
   * @param variables those with extremes; all if empty
   */
  record Wanted(TileAddress address, Set<String> logs, Set<String> variables) {
    private static Wanted by(Context context) {
      try {
        return new Wanted(
            TileAddress.parse(context.pathParam("level"), context.pathParam("tile")),
            Set.copyOf(context.queryParams("log")),
            Set.copyOf(context.queryParams("variable")));
      } catch (IllegalArgumentException e) {
        throw ProblemException.of(400, "No such tile", String.valueOf(e.getMessage()));
      }
    }

    private long memoryBytes() {
      return Stream.of(logs, variables)
          .flatMap(Set::stream)
          .mapToLong(name -> 64L + 2L * name.length())
          .sum();
    }
  }

  /**
   * A tile's content.
   *
   * @param source what it was made of, if that is known
   * @param isWhole whether none of its events are missing
   */
  record Made(
      Optional<TileMaker.Source> source,
      byte[] content,
      String digest,
      boolean isWhole,
      long memoryBytes) {
    private static final int BYTES_PER_BLOCK = 24;
    private static final int BYTES_PER_GAP = 200;

    private static Made of(Wanted wanted, Tiles.Fresh fresh) {
      byte[] content = TileJson.bytes(fresh.tile());
      long memoryBytes =
          content.length + wanted.memoryBytes() + fresh.source().map(Made::memoryBytes).orElse(0L);
      boolean isWhole = fresh.tile().missing().isEmpty();
      return new Made(fresh.source(), content, digest(content), isWhole, memoryBytes);
    }

    private static long memoryBytes(TileMaker.Source source) {
      return BYTES_PER_BLOCK * (long) source.blocks().size()
          + BYTES_PER_GAP * (long) (source.gaps().size() + source.ahead().size());
    }

    /** Whether nothing is missing, or expected above a stamp. */
    boolean isComplete(TileAddress address, long until) {
      return isWhole && until == address.range().to();
    }

    private static String digest(byte[] content) {
      try {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
        return HexFormat.of().formatHex(digest, 0, 16);
      } catch (NoSuchAlgorithmException e) {
        throw new AssertionError("every Java has SHA-256", e);
      }
    }
  }

  void get(Context context) {
    Wanted wanted = Wanted.by(context);
    // Before the view, so that it does not promise events that the view lacks.
    long expected = watermark.getAsLong();
    Made made = made(wanted);
    long until = Math.min(expected, wanted.address().range().to());
    boolean isComplete = made.isComplete(wanted.address(), until);
    String tag = "\"%s-%s\"".formatted(made.digest(), HlcTimestamp.text(until));
    context.header("ETag", tag);
    // Late events and retention may change any tile.
    context.header("Cache-Control", isComplete ? "private, max-age=60" : "private, no-cache");
    if (EntityTag.isKnown(context, tag)) {
      context.status(304);
    } else {
      context
          .contentType("application/json")
          .result(TileJson.until(made.content(), until, isComplete));
    }
  }

  /** The content of a tile, which is that from before unless anything has changed. */
  Made made(Wanted wanted) {
    Made before = kept.get(wanted);
    if (before != null && before.source().equals(Optional.of(source(wanted)))) {
      return before;
    }
    if (!running.tryAcquire()) {
      throw busy();
    }
    try {
      Made made = make(wanted);
      if (made.source().isPresent()) {
        kept.put(wanted, made);
      }
      return made;
    } finally {
      running.release();
    }
  }

  /** What a tile is made of now. Others wait meanwhile, because no budget counts the blocks. */
  private TileMaker.Source source(Wanted wanted) {
    looking.acquireUninterruptibly();
    try {
      return tiles.source(wanted.address(), limits);
    } finally {
      looking.release();
    }
  }

  private Made make(Wanted wanted) {
    try (MemoryBudget.Charge charge = memory.charge()) {
      if (!charge.tryResize(tileBytes)) {
        throw busy();
      }
      return Made.of(wanted, tiles.make(wanted, limits));
    } catch (TileMaker.TooLargeException e) {
      throw ProblemException.of(400, "The tile is too large", String.valueOf(e.getMessage()));
    }
  }

  private static ProblemException busy() {
    return ProblemException.of(
        429, "Too many tiles", MAX_COUNT + " tiles are made at a time; try again in a second");
  }

  /** Releases the memory of the tiles that are kept. */
  @Override
  public void close() {
    kept.close();
  }
}
