// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Happened-before among the entries of one execution, from their vector clocks. Immutable. */
final class CausalOrder {
  /*
   * An entry comes after its host's previous entry, and after entry number k of host h for every h:
   * k in its clock. A topological sort finds cycles, and also computes each entry's step (the
   * longest chain that leads to it, Lamport's clock) and its past (for each host, the number of its
   * earlier entries): the transitive closure of the clocks, which need not be closed themselves.
   *
   * An arrow is drawn where an entry depends on another host's entry, unless that is implied by its
   * own host or by another arrow: the transitive reduction.
   */

  /**
   * The maximum of entries times hosts, which is the size of the pasts in memory, four bytes each.
   */
  static final long MAX_PAST_CELLS = 50_000_000;

  private static final int NONE = -1;

  private final List<LogEntry> entries;
  private final boolean allowsGaps;
  private final List<Hole> holes = new ArrayList<>();
  private final Map<String, Integer> hostIndex = new HashMap<>();
  private final List<List<Integer>> byHost = new ArrayList<>();
  private final int[] steps;
  private final int[][] pasts;

  /**
   * A message, identified by the indices of its ends in the list of entries.
   *
   * @param from the sending entry
   * @param to the receiving entry
   */
  record Arrow(int from, int to) {}

  /**
   * Events of a host that are missing.
   *
   * @param before the entry of the host before them; -1 if there is none
   * @param after the entry of the host after them; -1 if there is none
   */
  record Hole(String host, int before, int after, long count) {}

  /**
   * Orders the entries.
   *
   * @param allowsGaps whether entries may be missing; then what depends on a missing one depends on
   *     the entry of its host before it
   * @throws io.retroscope.cli.file.InputException if the clocks contradict themselves or each other
   */
  CausalOrder(List<LogEntry> entries, boolean allowsGaps) {
    this.entries = entries;
    this.allowsGaps = allowsGaps;
    this.steps = new int[entries.size()];
    this.pasts = new int[entries.size()][];
    indexHosts();
    entries.forEach(this::checkClock);
    if (allowsGaps) {
      findLostEnds();
    }
    sort();
  }

  private void indexHosts() {
    Map<String, List<Integer>> hosts = new TreeMap<>();
    for (int i = 0; i < entries.size(); i++) {
      hosts.computeIfAbsent(entries.get(i).host(), host -> new ArrayList<>()).add(i);
    }
    if ((long) hosts.size() * entries.size() > MAX_PAST_CELLS) {
      throw entries
          .get(0)
          .refuse(
              "%d events of %d hosts are too many: events times hosts may be %d"
                  .formatted(entries.size(), hosts.size(), MAX_PAST_CELLS));
    }
    hosts.forEach(
        (host, indices) -> {
          indices.sort(Comparator.comparingInt(index -> entries.get(index).own()));
          checkOwnCounts(host, indices);
          hostIndex.put(host, byHost.size());
          byHost.add(indices);
        });
  }

  private void checkOwnCounts(String host, List<Integer> indices) {
    int before = NONE;
    int last = 0;
    for (int index : indices) {
      LogEntry entry = entries.get(index);
      if (entry.own() <= last) {
        throw entry.refuse("event %d of host \"%s\" is there twice".formatted(entry.own(), host));
      }
      if (entry.own() > last + 1) {
        if (!allowsGaps) {
          throw entry.refuse(
              "host \"%s\" continues with event %d, but event %d is missing; --allow-gaps accepts that"
                  .formatted(host, entry.own(), last + 1));
        }
        holes.add(new Hole(host, before, index, entry.own() - last - 1L));
      }
      before = index;
      last = entry.own();
    }
  }

  /** Adds the events that clocks mention after the last one of their host, or of a lost host. */
  private void findLostEnds() {
    Map<String, Integer> known = new TreeMap<>();
    entries.forEach(
        entry -> entry.clock().forEach((host, count) -> known.merge(host, count, Math::max)));
    known.forEach(
        (host, count) -> {
          Integer index = hostIndex.get(host);
          List<Integer> ofHost = index == null ? List.of() : byHost.get(index);
          int last = ofHost.isEmpty() ? NONE : ofHost.get(ofHost.size() - 1);
          int own = last == NONE ? 0 : entries.get(last).own();
          if (count > own) {
            holes.add(new Hole(host, last, NONE, (long) count - own));
          }
        });
  }

  /** The missing events. */
  List<Hole> holes() {
    return holes;
  }

  private void checkClock(LogEntry entry) {
    if (allowsGaps) {
      return;
    }
    entry
        .clock()
        .forEach(
            (host, count) -> {
              Integer known = hostIndex.get(host);
              if (known == null) {
                throw entry.refuse(
                    "the clock mentions host \"%s\", which has no event; --allow-gaps accepts that"
                        .formatted(host));
              }
              if (count > byHost.get(known).size()) {
                throw entry.refuse(
                    "the clock knows event %d of host \"%s\", which has only %d; --allow-gaps accepts that"
                        .formatted(count, host, byHost.get(known).size()));
              }
            });
  }

  /** The last entry of a host up to this count; -1 if there is none. */
  private int entryOf(String host, int count) {
    Integer index = hostIndex.get(host);
    List<Integer> ofHost = index == null ? List.of() : byHost.get(index);
    int from = 0;
    int to = ofHost.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (entries.get(ofHost.get(middle)).own() <= count) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from == 0 ? NONE : ofHost.get(from - 1);
  }

  private int hostOf(String name) {
    Integer index = hostIndex.get(name);
    if (index == null) {
      throw new AssertionError("a host that was not indexed: " + name);
    }
    return index;
  }

  /** The entries named in this one's clock, including its own host's previous entry. */
  List<Integer> causes(int index) {
    LogEntry entry = entries.get(index);
    List<Integer> causes = new ArrayList<>();
    entry
        .clock()
        .forEach(
            (name, count) -> {
              int cause = name.equals(entry.host()) ? count - 1 : count;
              int found = entryOf(name, cause);
              if (found != NONE) {
                causes.add(found);
              }
            });
    return causes;
  }

  private void sort() {
    int[] waiting = new int[entries.size()];
    List<List<Integer>> effects = new ArrayList<>();
    entries.forEach(entry -> effects.add(new ArrayList<>()));
    for (int i = 0; i < waiting.length; i++) {
      for (int cause : causes(i)) {
        effects.get(cause).add(i);
        waiting[i]++;
      }
    }
    ArrayDeque<Integer> ready = new ArrayDeque<>();
    for (int i = 0; i < waiting.length; i++) {
      if (waiting[i] == 0) {
        ready.add(i);
      }
    }
    int sorted = 0;
    while (!ready.isEmpty()) {
      int index = ready.remove();
      sorted++;
      place(index);
      for (int effect : effects.get(index)) {
        if (--waiting[effect] == 0) {
          ready.add(effect);
        }
      }
    }
    if (sorted < waiting.length) {
      throw cycle(waiting);
    }
  }

  /** Computes the step and the past of an entry whose causes are all placed. */
  private void place(int index) {
    LogEntry entry = entries.get(index);
    int[] past = new int[byHost.size()];
    int step = 0;
    for (int cause : causes(index)) {
      step = Math.max(step, steps[cause]);
      for (int host = 0; host < past.length; host++) {
        past[host] = Math.max(past[host], pasts[cause][host]);
      }
    }
    past[hostOf(entry.host())] = entry.own();
    steps[index] = step + 1;
    pasts[index] = past;
  }

  /** Follows causes among the remaining entries until one is repeated. */
  private RuntimeException cycle(int[] waiting) {
    boolean[] seen = new boolean[waiting.length];
    int at = 0;
    while (waiting[at] == 0) {
      at++;
    }
    while (!seen[at]) {
      seen[at] = true;
      at = causes(at).stream().filter(cause -> waiting[cause] > 0).findFirst().orElseThrow();
    }
    LogEntry entry = entries.get(at);
    return entry.refuse(
        "by the clocks, event %d of host \"%s\" happened before itself"
            .formatted(entry.own(), entry.host()));
  }

  /** The length of the longest chain of causes that ends with this entry, including itself. */
  int step(int index) {
    return steps[index];
  }

  /** The largest {@link #step}. */
  int lastStep() {
    return Arrays.stream(steps).max().orElse(0);
  }

  /** The entries, each after its causes. */
  List<Integer> inOrder() {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      order.add(i);
    }
    order.sort(Comparator.comparingInt(index -> steps[index]));
    return order;
  }

  /** The messages that ShiViz would draw, by receiver, in the order of the entries. */
  List<Arrow> arrows() {
    List<Arrow> arrows = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      List<Integer> causes = causes(i);
      causes.sort(Comparator.naturalOrder());
      for (int cause : causes) {
        if (isOfAnother(cause, i) && isWhatItKnows(cause, i) && !isImplied(cause, causes)) {
          arrows.add(new Arrow(cause, i));
        }
      }
    }
    return arrows;
  }

  private boolean isOfAnother(int cause, int effect) {
    return !entries.get(cause).host().equals(entries.get(effect).host());
  }

  /** Whether a cause is the entry that the clock names, and not one before it that is missing. */
  private boolean isWhatItKnows(int cause, int effect) {
    LogEntry entry = entries.get(cause);
    return entries.get(effect).clock().getOrDefault(entry.host(), 0) == entry.own();
  }

  private boolean isImplied(int cause, List<Integer> causes) {
    LogEntry entry = entries.get(cause);
    int host = hostOf(entry.host());
    return causes.stream().anyMatch(other -> other != cause && pasts[other][host] >= entry.own());
  }
}
