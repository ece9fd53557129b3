// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NodeAlignment;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Offsets that are computed from all events when one of them is first needed. Thread-safe. */
final class LazyOffsets implements ClockOffsets {
  private final Supplier<ClockOffsets> maker;
  private @Nullable ClockOffsets made;

  LazyOffsets(Supplier<ClockOffsets> maker) {
    this.maker = maker;
  }

  private synchronized ClockOffsets offsets() {
    ClockOffsets known = made;
    if (known == null) {
      known = maker.get();
      made = known;
    }
    return known;
  }

  @Override
  public Optional<String> referenceNode() {
    return offsets().referenceNode();
  }

  @Override
  public Optional<Offset> offset(String node, long hlc) {
    return offsets().offset(node, hlc);
  }

  @Override
  public List<NodeAlignment> alignment() {
    return offsets().alignment();
  }

  @Override
  public List<Driver> drivers() {
    return offsets().drivers();
  }

  @Override
  public List<Incompleteness> contradictions() {
    return offsets().contradictions();
  }

  @Override
  public boolean mayHaveStepped(String node, long fromHlc, long toHlc) {
    return offsets().mayHaveStepped(node, fromHlc, toHlc);
  }
}
