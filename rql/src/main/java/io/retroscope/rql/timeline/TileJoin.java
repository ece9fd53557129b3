// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.timeline;

import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.rql.timeline.Tile.Missing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** Makes one tile of those of several sources, whose events are different ones. */
public final class TileJoin {
  private TileJoin() {}

  /**
   * Joins tiles of one address.
   *
   * @param limits of the whole
   * @param variables the only variables of which extremes are wanted; all if empty
   * @throws TileMaker.TooLargeException if they have too many nodes together
   */
  public static Tile of(
      TileAddress address, List<Tile> parts, TileMaker.Limits limits, Set<String> variables) {
    Set<String> logs = new TreeSet<>();
    parts.forEach(part -> logs.addAll(part.logs().keySet()));
    Map<String, TimelineBins> joined = new TreeMap<>();
    int lanes = 0;
    int variableCount = 0;
    int series = 0;
    for (String log : logs) {
      TimelineBins bins =
          new TimelineBins(
              address.level(),
              address.firstBin(),
              TileAddress.BINS,
              new TimelineBins.Limits(
                  TileMaker.MAX_VARIABLES - variableCount, limits.series() - series, variables));
      parts.stream()
          .filter(part -> part.logs().containsKey(log))
          .forEach(part -> bins.add(part.logs().get(log)));
      lanes += bins.lanes().size();
      variableCount += bins.variables().size();
      series += bins.series();
      if (lanes > limits.lanes()) {
        throw TileMaker.tooLarge(limits.lanes());
      }
      joined.put(log, bins);
    }
    return new Tile(
        address,
        joined,
        missing(parts),
        highest(parts, Tile::finestLevel),
        highest(parts, Tile::finestNodeLevel),
        all(parts, Tile::gaps),
        all(parts, Tile::ahead),
        parts.stream().mapToInt(Tile::blocksRead).sum());
  }

  private static <T> List<T> all(List<Tile> parts, Function<Tile, List<T>> list) {
    return parts.stream().flatMap(part -> list.apply(part).stream()).toList();
  }

  private static List<Missing> missing(List<Tile> parts) {
    List<Missing> missing = new ArrayList<>(all(parts, Tile::missing));
    missing.sort(Comparator.comparing(Missing::log).thenComparingLong(part -> part.range().from()));
    return TileMaker.joined(missing);
  }

  private static OptionalInt highest(List<Tile> parts, Function<Tile, OptionalInt> level) {
    return parts.stream().map(level).flatMapToInt(OptionalInt::stream).max();
  }
}
