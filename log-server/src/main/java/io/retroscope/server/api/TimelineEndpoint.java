package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.blocks.TimelineBins;
import io.retroscope.blocks.TimelineBins.Extremes;
import io.retroscope.blocks.TimelineBins.Lane;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.timeline.Tile;
import io.retroscope.server.timeline.TileAddress;
import io.retroscope.server.timeline.TileMaker;
import io.retroscope.server.timeline.TimelineBlocks;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.IntFunction;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code GET /v1/timeline/{level}/{tile}}: counts and extremes of 1,024 bins of time, with an ETag
 * by content. Thread-safe.
 */
final class TimelineEndpoint {
  static final String PATH = "/v1/timeline/{level}/{tile}";

  private static final int MAX_COUNT = 4;

  /** The memory of one tile with the most nodes and variables, and of its text. */
  private static final long TILE_BYTES = 32L << 20;

  private static final int MAX_GAPS = 1_000;
  private static final int MAX_UNCOUNTED = 100;

  private final EventStore store;
  private final WatermarkTracker watermarks;
  private final Semaphore running = new Semaphore(MAX_COUNT);
  private final JsonMapper json = JsonMapper.builder().build();

  TimelineEndpoint(HttpApi.Parts parts) {
    this.store = parts.store();
    this.watermarks = parts.watermarks();
  }

  void get(Context context) {
    TileAddress address = address(context);
    if (!running.tryAcquire()) {
      throw busy();
    }
    try (MemoryBudget.Charge charge = store.memory().charge()) {
      if (!charge.tryResize(TILE_BYTES)) {
        throw busy();
      }
      answer(context, address);
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

  private void answer(Context context, TileAddress address) {
    // Before the view, so that it does not promise events that the view lacks.
    long watermark = watermarks.current().hlc();
    Tile tile = tile(context, address);
    boolean isComplete = watermark >= address.range().to() && tile.missing().isEmpty();
    byte[] body = json.writeValueAsBytes(content(tile, watermark, isComplete));
    String tag = "\"" + digest(body) + "\"";
    context.header("ETag", tag);
    // Late events and retention may change any tile.
    context.header("Cache-Control", isComplete ? "private, max-age=60" : "private, no-cache");
    String known = context.header("If-None-Match");
    if (known != null && isAnyOf(known, tag)) {
      context.status(304);
    } else {
      context.contentType("application/json").result(body);
    }
  }

  private static boolean isAnyOf(String known, String tag) {
    return Arrays.stream(known.split(",", -1))
        .map(String::strip)
        .map(one -> one.startsWith("W/") ? one.substring(2) : one)
        .anyMatch(one -> one.equals(tag) || one.equals("*"));
  }

  private static String digest(byte[] body) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  private Tile tile(Context context, TileAddress address) {
    try (TimelineBlocks blocks = store.openTimeline()) {
      return new TileMaker(blocks, address, TileMaker.Limits.DEFAULT)
          .make(new HashSet<>(context.queryParams("log")));
    } catch (TileMaker.TooLargeException e) {
      throw ProblemException.of(400, "The tile is too large", String.valueOf(e.getMessage()));
    }
  }

  private static Map<String, Object> content(Tile tile, long watermark, boolean isComplete) {
    HlcRange range = tile.address().range();
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("level", tile.address().level());
    content.put("tile", tile.address().tile());
    content.put("from", HlcTimestamp.text(range.from()));
    content.put("binMicros", 1L << tile.address().level());
    content.put("complete", isComplete);
    content.put("until", HlcTimestamp.text(Math.min(range.to(), watermark)));
    tile.finestLevel().ifPresent(level -> content.put("finestLevel", level));
    List<Map<String, Object>> logs = new ArrayList<>();
    tile.logs().forEach((name, bins) -> logs.add(log(name, bins)));
    content.put("logs", logs);
    content.put("gaps", tile.gaps().stream().limit(MAX_GAPS).map(TimelineEndpoint::gap).toList());
    content.put("moreGaps", Math.max(0, tile.gaps().size() - MAX_GAPS));
    content.put("unsummarised", tile.missing().stream().map(TimelineEndpoint::missing).toList());
    return content;
  }

  private static Map<String, Object> log(String name, TimelineBins bins) {
    Map<String, Object> log = new LinkedHashMap<>();
    log.put("log", name);
    Map<String, Object> nodes = new LinkedHashMap<>();
    bins.lanes().forEach((node, lane) -> nodes.put(node, rows(bins, bin -> row(lane, bin))));
    log.put("nodes", nodes);
    Map<String, Object> variables = new LinkedHashMap<>();
    bins.variables()
        .forEach(
            (variable, extremes) -> {
              Map<String, Object> entry = new LinkedHashMap<>();
              entry.put("partial", bins.uncounted().contains(variable));
              entry.put("bins", rows(bins, bin -> row(extremes, bin)));
              variables.put(variable, entry);
            });
    log.put("variables", variables);
    log.put(
        "uncounted",
        bins.uncounted().stream()
            .filter(variable -> !bins.variables().containsKey(variable))
            .limit(MAX_UNCOUNTED)
            .toList());
    log.put("messages", rows(bins, bin -> row(bins, bin)));
    return log;
  }

  /** The rows of the bins that have one, with the bin before the other numbers. */
  private static List<Object[]> rows(TimelineBins bins, IntFunction<Object[]> rowOf) {
    List<Object[]> rows = new ArrayList<>();
    for (int bin = 0; bin < bins.size(); bin++) {
      Object[] row = rowOf.apply(bin);
      if (row.length > 0) {
        rows.add(row);
      }
    }
    return rows;
  }

  private static Object[] row(Lane lane, int bin) {
    return lane.events(bin) == 0
        ? new Object[0]
        : new Object[] {
          bin, lane.events(bin), lane.sends(bin), lane.receives(bin), lane.lines(bin)
        };
  }

  private static Object[] row(Extremes values, int bin) {
    return values.writes(bin) == 0
        ? new Object[0]
        : new Object[] {
          bin, values.writes(bin), values.min(bin), values.max(bin), values.last(bin)
        };
  }

  private static Object[] row(TimelineBins bins, int bin) {
    long slowest = bins.slowest(bin);
    return slowest == TimelineBins.NO_MESSAGE && bins.unmatched(bin) == 0
        ? new Object[0]
        : new Object[] {bin, slowest, bins.unmatched(bin)};
  }

  private static Map<String, Object> gap(Gap gap) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("node", gap.node());
    entry.put("from", HlcTimestamp.text(gap.range().from()));
    entry.put("until", HlcTimestamp.text(gap.range().to()));
    entry.put("events", gap.eventCount());
    return entry;
  }

  private static Map<String, Object> missing(Tile.Missing missing) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("log", missing.log());
    entry.put("from", HlcTimestamp.text(missing.range().from()));
    entry.put("until", HlcTimestamp.text(missing.range().to()));
    return entry;
  }
}
