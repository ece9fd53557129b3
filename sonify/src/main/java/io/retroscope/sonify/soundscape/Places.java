// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The place of each node, which never changes: a node that appears or leaves moves no other.
 * Fifteen nodes have places of their own; further ones share. Not thread-safe.
 */
public final class Places {
  /** Places that differ; nodes beyond this number share. */
  public static final int PLACE_COUNT = 15;

  /** {@code z2} before {@code z10}. */
  static final Comparator<String> NATURAL = Places::compareNaturally;

  private static final double[] PANS = {-0.8, -0.4, 0, 0.4, 0.8};
  private static final int[] REGISTERS = {-12, 0, 12};

  /** Indexes into PANS for the nodes of a small cluster: as far from each other as can be. */
  private static final int[][] SPREAD = {{}, {2}, {0, 4}, {0, 2, 4}, {0, 1, 3, 4}, {0, 1, 2, 3, 4}};

  private static final Pattern RUN = Pattern.compile("\\d+|\\D+");

  private final Map<String, Place> places = new LinkedHashMap<>();

  /** Places for the nodes known when a session starts, in natural order of their names. */
  public Places(Collection<String> nodes) {
    List<String> ordered = nodes.stream().distinct().sorted(NATURAL).toList();
    int[] spread = SPREAD[Math.min(ordered.size(), PANS.length)];
    for (int i = 0; i < ordered.size(); i++) {
      places.put(ordered.get(i), i < spread.length ? initial(i, spread) : free());
    }
  }

  /** One node is in the middle register; of two or more, neighbours differ in register. */
  private static Place initial(int index, int[] spread) {
    int register = spread.length == 1 ? 1 : spread.length == 2 ? 2 * index : index % 3;
    return new Place(PANS[spread[index]], REGISTERS[register]);
  }

  /** The place of a node; a new node takes a free one. */
  public Place of(String node) {
    return node.isEmpty() ? Place.MIDDLE : places.computeIfAbsent(node, added -> free());
  }

  /** Whether nodes share places, which a legend must show. */
  public boolean areShared() {
    return places.size() > PLACE_COUNT;
  }

  /** All nodes with their places, in the order in which they appeared. */
  public Map<String, Place> all() {
    return new LinkedHashMap<>(places);
  }

  /** The place with the fewest nodes; of those, the first that shares neither side nor register. */
  private Place free() {
    Map<Place, Integer> nodesAt = new HashMap<>();
    places.values().forEach(place -> nodesAt.merge(place, 1, Integer::sum));
    return candidates().stream()
        .min(Comparator.comparingInt(place -> nodesAt.getOrDefault(place, 0)))
        .orElseThrow();
  }

  private static List<Place> candidates() {
    List<Place> candidates = new ArrayList<>();
    for (int i = 0; i < PLACE_COUNT; i++) {
      int pan = i % PANS.length;
      candidates.add(new Place(PANS[pan], REGISTERS[(pan + i / PANS.length) % REGISTERS.length]));
    }
    return candidates;
  }

  private static int compareNaturally(String left, String right) {
    Matcher ofLeft = RUN.matcher(left);
    Matcher ofRight = RUN.matcher(right);
    while (ofLeft.find()) {
      if (!ofRight.find()) {
        return 1;
      }
      int order = compareRuns(ofLeft.group(), ofRight.group());
      if (order != 0) {
        return order;
      }
    }
    return ofRight.find() ? -1 : left.compareTo(right);
  }

  private static int compareRuns(String left, String right) {
    boolean numbers = Character.isDigit(left.charAt(0)) && Character.isDigit(right.charAt(0));
    return numbers ? new BigInteger(left).compareTo(new BigInteger(right)) : left.compareTo(right);
  }
}
