// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.blocks.Run;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A decoder of sealed blocks that puts together one event after another from all sections: the
 * expected result of the decoders that make columns.
 */
public final class DecodedEvents {
  private DecodedEvents() {}

  /** All rows of a block as events, in order; each names its run. */
  public static List<Event> of(SealedBlock block) throws CorruptBlockException {
    long[] stamps = block.stamps();
    int[] rowRuns = block.runIndexes();
    long[] physical = PhysicalReadings.of(stamps, block.columns(Section.Kind.PHYSICAL, 2));
    long[] sequences = block.sequences(rowRuns, block.columns(Section.Kind.SEQUENCE, 2));
    long[] kinds = block.kinds();
    long[] marks = block.marks();
    List<Run> runs = block.runs();
    RowBodies bodies = bodies(block);
    List<Event> events = new ArrayList<>(stamps.length);
    for (int row = 0; row < stamps.length; row++) {
      Run run = runs.get(rowRuns[row]);
      int kind = (int) kinds[row];
      events.add(
          new Event(
              run.node(),
              run.incarnation(),
              (kind & Section.OF_NODE) == 0 ? block.log() : "",
              stamps[row],
              physical[row],
              sequences[row],
              EventMark.of((int) marks[row]),
              bodies.body(row, kind & ~Section.OF_NODE)));
    }
    return events;
  }

  private static RowBodies bodies(SealedBlock block) throws CorruptBlockException {
    RowBodies bodies = new RowBodies(block.rowCount());
    for (Section section : block.changeSections()) {
      Changes changes = block.changes(section);
      bodies.add(changes, change -> name(block, section, changes.name(change), changes));
    }
    bodies.sort();
    return bodies;
  }

  private static String name(SealedBlock block, Section section, int name, Changes changes) {
    return switch (section.kind()) {
      case VARIABLE -> block.names().variables().name(section.variableId());
      case RARE -> block.names().variables().name(name);
      default -> name == 0 ? "" : changes.text(name - 1);
    };
  }

  /** The changes of the section that has those of a variable, with those of all rare ones. */
  public static Optional<Changes> changes(SealedBlock block, int variableId)
      throws CorruptBlockException {
    for (Section.Key key :
        List.of(
            new Section.Key(Section.Kind.VARIABLE, variableId),
            new Section.Key(Section.Kind.RARE, 0))) {
      for (Section section : block.changeSections()) {
        if (section.kind() == key.kind() && section.variableId() == key.variableId()) {
          return Optional.of(block.changes(section));
        }
      }
    }
    return Optional.empty();
  }

  /** The value of a change. */
  public static Value value(Changes changes, int change) {
    long bits = changes.bits(change);
    return switch (changes.type(change)) {
      case NULL -> Value.NullValue.NULL;
      case BOOLEAN -> Value.of(bits != 0);
      case LONG -> Value.of(bits);
      case DOUBLE -> Value.of(Double.longBitsToDouble(bits));
      case STRING -> Value.of(changes.text(bits));
      case NESTED -> changes.nested().get((int) bits);
    };
  }
}
