// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileJson;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.memory.MemoryBudget;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * {@code GET /v1/timeline/{level}/{tile}}: counts and extremes of 1,024 bins of time, with an ETag
 * by content. Thread-safe.
 */
final class TimelineEndpoint {
  static final String PATH = "/v1/timeline/{level}/{tile}";

  private static final int MAX_COUNT = 4;

  /**
   * The memory of one tile with the most nodes and variables, and of its text. With a smaller heap
   * a tile may have fewer nodes.
   */
  private static final long TILE_BYTES = 64L << 20;

  private final Supplier<TimelineBlocks> blocks;
  private final TileMaker.Limits limits;
  private final MemoryBudget memory;
  private final LongSupplier watermark;
  private final Semaphore running = new Semaphore(MAX_COUNT);

  /**
   * An endpoint.
   *
   * @param blocks opens the blocks as they are at that moment
   * @param watermark the packed stamp up to which no more events are expected
   */
  TimelineEndpoint(
      Supplier<TimelineBlocks> blocks,
      TileMaker.Limits limits,
      MemoryBudget memory,
      LongSupplier watermark) {
    this.blocks = blocks;
    this.limits = limits;
    this.memory = memory;
    this.watermark = watermark;
  }

  void get(Context context) {
    TileAddress address = address(context);
    if (!running.tryAcquire()) {
      throw busy();
    }
    long bytes = Math.min(TILE_BYTES, memory.maxChargeBytes());
    try (MemoryBudget.Charge charge = memory.charge()) {
      if (!charge.tryResize(bytes)) {
        throw busy();
      }
      answer(context, address, limits.within(bytes, TILE_BYTES));
    } finally {
      running.release();
    }
  }

  private static TileAddress address(Context context) {
    try {
      return TileAddress.parse(context.pathParam("level"), context.pathParam("tile"));
    } catch (IllegalArgumentException e) {
      throw ProblemException.of(400, "No such tile", String.valueOf(e.getMessage()));
    }
  }

  private static ProblemException busy() {
    return ProblemException.of(
        429, "Too many tiles", MAX_COUNT + " tiles are made at a time; try again in a second");
  }

  private void answer(Context context, TileAddress address, TileMaker.Limits within) {
    // Before the view, so that it does not promise events that the view lacks.
    long expected = watermark.getAsLong();
    Tile tile = tile(context, address, within);
    boolean isComplete = expected >= address.range().to() && tile.missing().isEmpty();
    byte[] body = TileJson.bytes(tile, expected, isComplete);
    String tag = "\"" + digest(body) + "\"";
    context.header("ETag", tag);
    // Late events and retention may change any tile.
    context.header("Cache-Control", isComplete ? "private, max-age=60" : "private, no-cache");
    if (EntityTag.isKnown(context, tag)) {
      context.status(304);
    } else {
      context.contentType("application/json").result(body);
    }
  }

  private static String digest(byte[] body) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  private Tile tile(Context context, TileAddress address, TileMaker.Limits within) {
    try (TimelineBlocks opened = blocks.get()) {
      return new TileMaker(opened, address, within)
          .make(
              new HashSet<>(context.queryParams("log")),
              new HashSet<>(context.queryParams("variable")));
    } catch (TileMaker.TooLargeException e) {
      throw ProblemException.of(400, "The tile is too large", String.valueOf(e.getMessage()));
    }
  }
}
