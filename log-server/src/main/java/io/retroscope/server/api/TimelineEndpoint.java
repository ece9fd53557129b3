// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileJson;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.EventStore;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.concurrent.Semaphore;

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

  private final EventStore store;
  private final EventSource source;
  private final WatermarkTracker watermarks;
  private final Semaphore running = new Semaphore(MAX_COUNT);

  TimelineEndpoint(HttpApi.Parts parts) {
    this.store = parts.store();
    this.source = parts.source();
    this.watermarks = parts.watermarks();
  }

  void get(Context context) {
    TileAddress address = address(context);
    if (!running.tryAcquire()) {
      throw busy();
    }
    long bytes = Math.min(TILE_BYTES, store.memory().maxChargeBytes());
    try (MemoryBudget.Charge charge = store.memory().charge()) {
      if (!charge.tryResize(bytes)) {
        throw busy();
      }
      answer(context, address, TileMaker.Limits.DEFAULT.within(bytes, TILE_BYTES));
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

  private void answer(Context context, TileAddress address, TileMaker.Limits limits) {
    // Before the view, so that it does not promise events that the view lacks.
    long watermark = watermarks.current().hlc();
    Tile tile = tile(context, address, limits);
    boolean isComplete = watermark >= address.range().to() && tile.missing().isEmpty();
    byte[] body = TileJson.bytes(tile, watermark, isComplete);
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

  private Tile tile(Context context, TileAddress address, TileMaker.Limits limits) {
    try (EventSource.View view = source.open();
        TimelineBlocks blocks = store.openTimeline(view.clockOffsets())) {
      return new TileMaker(blocks, address, limits)
          .make(
              new HashSet<>(context.queryParams("log")),
              new HashSet<>(context.queryParams("variable")));
    } catch (TileMaker.TooLargeException e) {
      throw ProblemException.of(400, "The tile is too large", String.valueOf(e.getMessage()));
    }
  }
}
