// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.blocks.RandomLog;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventKind;
import io.retroscope.event.PackedColumn;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class SectionColumnsTest {
  private static final int ROWS = 300;

  private final StoreNames names = new StoreNames();

  @Test
  void rows_inTurn_placeIsMissing_isRefused() throws CorruptBlockException {
    SealedBlock block = sealed(i -> i % 2 == 0 ? set("a") : set("b"));
    assertColumns(block, SectionColumnsTest::all);
    assertRefused(damaged(block, "a", 1), SectionColumnsTest::all);
    assertRefused(damaged(block, "b", 1), SectionColumnsTest::all);
  }

  @Test
  void rows_alike_firstPlaceIsMissing_isRefused() throws CorruptBlockException {
    SealedBlock block = sealed(i -> set("a", "b", "c"));
    assertColumns(block, SectionColumnsTest::all);
    assertRefused(damaged(block, "a", 3), SectionColumnsTest::all);
  }

  @Test
  void rows_alike_lastPlaceIsTooHigh_isRefused() throws CorruptBlockException {
    SealedBlock block = sealed(i -> set("a", "b", "c"));
    assertRefused(damaged(block, "c", 3), SectionColumnsTest::all);
  }

  @Test
  void rows_alike_placeIsThereTwice_isRefused() throws CorruptBlockException {
    SealedBlock block = sealed(i -> set("a", "b", "c"));
    assertRefused(damaged(block, "b", 0), SectionColumnsTest::all);
    assertRefused(damaged(block, "b", 2), SectionColumnsTest::all);
  }

  @Test
  void rows_alikeAndOneIsNotWanted_onlyTwoAtOnePlaceAreRefused() throws CorruptBlockException {
    SealedBlock block = sealed(i -> set("a", "b", "c"));
    assertColumns(block, SectionColumnsTest::isNotC);
    assertRefused(damaged(block, "b", 0), SectionColumnsTest::isNotC);
    // The place may be that of a change which is not wanted.
    assertColumns(damaged(block, "b", 2), SectionColumnsTest::isNotC);
  }

  @Test
  void rows_someShared_placeIsThereTwice_isRefused() throws CorruptBlockException {
    SealedBlock block = sealed(i -> i % 3 == 0 ? set("a", "b") : set("a"));
    assertColumns(block, SectionColumnsTest::all);
    assertRefused(damaged(block, "b", 0), SectionColumnsTest::all);
    assertRefused(damaged(block, "b", 2), SectionColumnsTest::all);
  }

  @Test
  void rows_someSharedAndOneIsNotWanted_placeIsThereTwice_isRefused() throws CorruptBlockException {
    SealedBlock block = sealed(i -> i % 3 == 0 ? set("a", "b") : i % 3 == 1 ? set("a") : set("c"));
    assertColumns(block, SectionColumnsTest::isNotC);
    assertThat(block.rows(SectionColumnsTest::isNotC).size()).isEqualTo(ROWS - ROWS / 3);
    assertRefused(damaged(block, "b", 0), SectionColumnsTest::isNotC);
  }

  @Test
  void rows_logLines_placeOfTheTextIsMissing_isRefused() throws CorruptBlockException {
    SealedBlock block = sealed(i -> i % 9 == 0 ? new LogLine("slow", Map.of()) : set("a"));
    assertColumns(block, SectionColumnsTest::all);
    assertRefused(
        damaged(block, section(block, Section.Kind.DETAILS, 0), 1), SectionColumnsTest::all);
    assertRefused(damaged(block, "a", 1), SectionColumnsTest::all);
  }

  @Test
  void rows_manyVariables_eachAreAColumn() throws CorruptBlockException {
    SealedBlock block = sealed(i -> set("v" + i % 40));
    assertColumns(block, SectionColumnsTest::all);
    assertColumns(block, name -> name.length() == 2);
  }

  @Test
  void join_stateChangeWithoutChange_isRefusedIfAllAreWanted() throws CorruptBlockException {
    List<VariableSets> sections = List.of(sets(0, 2));
    assertThat(new SectionColumns(3, sections, true).join(null, null)).isFalse();
    assertThat(new SectionColumns(3, sections, false).join(null, null)).isTrue();
  }

  @Test
  void join_kindThatIsNoLine_isRefused() throws CorruptBlockException {
    byte line = EventKind.LOG_LINE.code();
    for (EventKind kind : EventKind.values()) {
      byte[] kinds = {0, kind.code(), 0};
      boolean isState = kind == EventKind.STATE_CHANGE;
      assertThat(new SectionColumns(3, List.of(sets(0, 2)), false).join(kinds, null))
          .as("%s without contents", kind)
          .isEqualTo(isState);
    }
    byte[] kinds = {0, line, 0};
    assertThat(new SectionColumns(3, List.of(sets(0, 1, 2)), false).join(kinds, null)).isFalse();
  }

  private static VariableSets sets(int... rows) throws CorruptBlockException {
    WireWriter out = new WireWriter();
    PackedColumn.writeConstant(7, rows.length, out);
    byte[] bytes = out.toByteArray();
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    PackedColumn values = PackedColumn.read(in, rows.length);
    return new VariableSets(0, ValueType.LONG.code(), 0, rows, values, null);
  }

  private static boolean all(String variable) {
    return !variable.isEmpty();
  }

  private static boolean isNotC(String variable) {
    return !variable.equals("c");
  }

  private static void assertColumns(SealedBlock block, Predicate<String> wanted)
      throws CorruptBlockException {
    EventBlock rows = block.rows(wanted);
    assertThat(rows.byVariable()).isNotNull();
    assertThat(rows.size()).isPositive();
    assertThat(rows.events()).hasSize(rows.size());
  }

  private static void assertRefused(SealedBlock damaged, Predicate<String> wanted) {
    assertThatThrownBy(() -> damaged.rows(wanted)).isInstanceOf(CorruptBlockException.class);
  }

  private SealedBlock damaged(SealedBlock block, String variable, int place)
      throws CorruptBlockException {
    int id = names.variables().find(variable);
    return damaged(block, section(block, Section.Kind.VARIABLE, id), place);
  }

  private SealedBlock damaged(SealedBlock block, Section section, int place)
      throws CorruptBlockException {
    return DamagedPlaces.with(block, section, place, names);
  }

  private static Section section(SealedBlock block, Section.Kind kind, int variableId) {
    return block.changeSections().stream()
        .filter(section -> section.key().equals(new Section.Key(kind, variableId)))
        .findAny()
        .orElseThrow();
  }

  private SealedBlock sealed(IntFunction<EventBody> bodies) throws CorruptBlockException {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", 1);
    for (int i = 0; i < ROWS; i++) {
      builder.add(
          new Event(
              "n0",
              RandomLog.LOG,
              HlcTimestamp.pack(1_000L + i),
              0,
              i + 1,
              Set.of(),
              bodies.apply(i)));
    }
    List<SealedBlock> sealed =
        new Sealing(RandomLog.LOG, names, RandomLog.TIES, ROWS).seal(List.of(builder.build()));
    assertThat(sealed).hasSize(1);
    return sealed.get(0);
  }

  private static EventBody set(String... variables) {
    return new StateChange(
        Arrays.stream(variables)
            .map(name -> new Change(Operation.SET, name, Value.of(name.hashCode())))
            .toList());
  }
}
