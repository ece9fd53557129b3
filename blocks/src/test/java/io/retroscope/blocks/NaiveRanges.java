package io.retroscope.blocks;

import io.retroscope.blocks.SealedZone.ValueRange;
import io.retroscope.event.Event;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The ranges of variables over the cuts of one block, cut by cut: slow and obvious. */
final class NaiveRanges {
  private final NaiveState state;
  private final List<Integer> variables;
  private final StoreNames names;

  /** For each variable the values at each cut; empty where one is not a LONG. */
  private final Map<Integer, List<Optional<List<Long>>>> cuts = new HashMap<>();

  NaiveRanges(NaiveState state, List<Integer> variables, StoreNames names) {
    this.state = state;
    this.variables = variables;
    this.names = names;
  }

  void apply(List<Event> events) {
    for (int i = 0; i < events.size(); i++) {
      state.apply(events.get(i));
      if (i + 1 == events.size() || events.get(i + 1).hlc() != events.get(i).hlc()) {
        for (int id : variables) {
          cuts.computeIfAbsent(id, key -> new ArrayList<>())
              .add(state.longs(names.variables().name(id)));
        }
      }
    }
  }

  Optional<ValueRange> range(int id) {
    List<Long> values = new ArrayList<>();
    List<Long> spreads = new ArrayList<>();
    for (Optional<List<Long>> cut : cuts.get(id)) {
      if (cut.isEmpty()) {
        return Optional.empty();
      }
      if (!cut.get().isEmpty()) {
        values.addAll(cut.get());
        long spread = Collections.max(cut.get()) - Collections.min(cut.get());
        if (spread < 0) {
          return Optional.empty();
        }
        spreads.add(spread);
      }
    }
    return spreads.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ValueRange(
                id,
                spreads.size(),
                Collections.min(values),
                Collections.max(values),
                Collections.min(spreads),
                Collections.max(spreads)));
  }
}
